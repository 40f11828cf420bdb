import { type FoundTokens, TokenScanner } from "../../traffic/har/scan/token_scanner.ts";
import type { WantedValues } from "./sources/source_search.ts";
import { numbersToFind } from "./sources/named_values.ts";

/**
 * In one pass over the bytes of a body that is not JSON, finds the tokens of all values that the
 * searches look for:
 *
 * - the longest tokens of the values that look dynamic in a request (`WantedValues.sought`),
 * - numbers of up to seven digits that requests send (`numbersToFind`), and
 * - the tokens of links that requests use (`LinkSearch.tokens`).
 *
 * A search that looks for other values in bodies must add their tokens here.
 */
export class BodyTokens {
  readonly #wanted: WantedValues;
  readonly #tokens: () => Iterable<string>;
  #scanner: TokenScanner | undefined;

  /**
   * Creates a finder. `tokens` returns the tokens of links. They are needed only if there is a body
   * that is not JSON.
   */
  constructor(wanted: WantedValues, tokens: () => Iterable<string>) {
    this.#wanted = wanted;
    this.#tokens = tokens;
  }

  /**
   * Returns the wanted tokens in a body. `utf8` and `text` are its content. Returns undefined if only
   * the text can be searched: if it contains too many wanted tokens, or if the bytes may be invalid.
   */
  find(utf8: Uint8Array, text: string): FoundTokens | undefined {
    const found = (this.#scanner ??= this.#startScanner()).find(utf8);
    return found === undefined || (!found.isAscii && text.includes(REPLACEMENT))
      ? undefined
      : found;
  }

  #startScanner(): TokenScanner {
    const { sought, sent } = this.#wanted;
    const tokens = new Set([...sought.tokens(), ...numbersToFind(sent), ...this.#tokens()]);
    return new TokenScanner([...tokens]);
  }
}

/** Character that replaces invalid bytes when they are decoded. */
const REPLACEMENT = "\ufffd";
