/** A token of an expression. `at` is its zero-based offset in the text, in UTF-16 code units. */
export type Token =
  | { readonly kind: "number" | "name" | "symbol"; readonly text: string; readonly at: number }
  | { readonly kind: "string"; readonly text: string; readonly at: number }
  | { readonly kind: "end"; readonly text: ""; readonly at: number };

/** Syntax error in an expression, at an offset in the text. */
export class ExpressionError extends SyntaxError {
  override readonly name = "ExpressionError";
  /** Zero-based offset of the error in the text, in UTF-16 code units. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const SPACE = /\s*/y;
const NUMBER = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SYMBOL = /\?\?|[=!<>]=|[-+*/%()[\],.<>]/y;
const STRING = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/ys;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g;
const ESCAPED: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
};
/** Operators of other languages, and what to write instead. */
const OTHERS: Readonly<Record<string, string>> = {
  "&&": "and",
  "||": "or",
  "!": "not",
  "=": "==",
  "===": "==",
  "=~": "matches",
};
const OTHER = /&&|\|\||===|=~|!|=/y;

/** Reads the tokens of an expression, from the start of a string or from an offset in it. */
export class TokenReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  /** Zero-based offset of the first character that has not been read, in UTF-16 code units. */
  get at(): number {
    return this.#at;
  }

  /**
   * Reads the next token. The expression ends before a `}` outside a string literal, or at the end
   * of the text. Throws ExpressionError if no token starts at the current offset.
   */
  next(): Token {
    this.match(SPACE);
    const at = this.#at;
    const char = this.#text[at];
    if (char === undefined || char === "}") return { kind: "end", text: "", at };
    if (char === '"' || char === "'") return this.#string(at);
    for (
      const [kind, pattern] of [["name", NAME], ["number", NUMBER], ["symbol", SYMBOL]] as const
    ) {
      const text = this.match(pattern);
      if (text !== undefined) return { kind, text, at };
    }
    const other = this.match(OTHER);
    if (other !== undefined) {
      throw new ExpressionError(`write \`${OTHERS[other]}\` instead of \`${other}\``, at);
    }
    throw new ExpressionError(
      `unexpected \`${String.fromCodePoint(this.#text.codePointAt(at)!)}\``,
      at,
    );
  }

  /**
   * Reads the text that a sticky pattern matches at the current offset. Returns undefined if the
   * pattern does not match there.
   */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #string(at: number): Token {
    const source = this.match(STRING);
    if (source === undefined) throw new ExpressionError("text without a closing quote", at);
    return { kind: "string", text: unescapeText(source.slice(1, -1)), at };
  }
}

function unescapeText(source: string): string {
  return source.replace(
    ESCAPE,
    (_, code: string | undefined, char: string) =>
      code === undefined ? ESCAPED[char] ?? char : String.fromCharCode(parseInt(code, 16)),
  );
}
