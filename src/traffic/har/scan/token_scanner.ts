import { SLACK } from "./addresses.ts";
import { reserveMemory, type ScannerProgram, startScanner } from "./scanner_program.ts";
import { FOUND, FOUND_BYTES, TOKEN_BYTES, TOKENS } from "./token_addresses.ts";

/** The tokens that a `TokenScanner` found in a string, in the order of their offsets. */
export interface FoundTokens {
  /** All tokens that the scanner looked for. */
  readonly wanted: readonly string[];
  /**
   * Two integers for each found token: its index in `wanted`, and its offset in UTF-16 code units.
   * If the token consists of digits and is only a part of a longer token in the text, the
   * complement of the index (`~index`) replaces the index.
   */
  readonly found: Int32Array;
  /** True if the text is ASCII. */
  readonly isAscii: boolean;
}

/**
 * Finds many tokens in UTF-8 text with WebAssembly. A token is a maximal run of letters, digits and
 * characters that are not ASCII. A token that consists of digits is also found within a longer
 * token that contains non-ASCII characters, because these characters can be white space or
 * punctuation.
 */
export class TokenScanner {
  readonly #wanted: readonly string[];
  readonly #program: ScannerProgram;
  /** Address of the first byte of the text to search. */
  readonly #text: number;
  #memory: Uint8Array;

  /** Creates a scanner. `wanted` contains each token to find once. */
  constructor(wanted: readonly string[]) {
    // bench: scripts/bench/har.ts, a browser session: -30 % of the CPU time of `convertHar`
    this.#wanted = wanted;
    this.#program = startScanner();
    const tokens = new TextEncoder().encode(wanted.map((token) => `${token} `).join(""));
    const power = Math.ceil(Math.log2(2 * wanted.length + 2));
    const table = Math.ceil((TOKENS + tokens.length + SLACK) / 16) * 16;
    this.#text = table + TOKEN_BYTES * 2 ** power;
    this.#memory = reserveMemory(this.#program, this.#text + SLACK);
    this.#memory.set(tokens, TOKENS);
    this.#program.addTokens(TOKENS, TOKENS + tokens.length, table, power);
  }

  /**
   * Returns the tokens of `wanted` that occur in a string, which must be valid UTF-8. Returns
   * undefined if they occur more than 65,536 times.
   */
  find(utf8: Uint8Array): FoundTokens | undefined {
    const end = this.#text + utf8.length;
    if (end + SLACK > this.#memory.length) {
      this.#memory = reserveMemory(this.#program, end + SLACK);
    }
    this.#memory.set(utf8, this.#text);
    const count = this.#program.findTokens(this.#text, end);
    if (count < 0) return undefined;
    return {
      wanted: this.#wanted,
      found: new Int32Array(this.#memory.buffer, FOUND, count * FOUND_BYTES / 4).slice(),
      isAscii: this.#program.isAscii.value !== 0,
    };
  }
}
