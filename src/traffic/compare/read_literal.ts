/** Maximum nesting depth of lists and objects in a literal. */
const DEEPEST = 200;
/** Matches white space, then a string, a number, a name or a delimiter. */
const TOKEN =
  /\s*(?:"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|(-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([\p{L}_$][\p{L}\p{N}_$]*)|([[\]{}:,]))/uy;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", null],
]);

/** A token of a literal. Exactly one member is present. */
interface Token {
  readonly string?: string;
  readonly number?: string;
  readonly name?: string;
  readonly mark?: string;
}

/**
 * Reads a list or an object in JavaScript notation, such as `{rs:[['set',{$u:'w1'}]]}`. Some
 * servers send it instead of JSON. Keeps escape sequences in strings, except escaped quotes and
 * backslashes. Returns undefined if the text contains anything else, such as a function or a
 * variable, or more than 200 nested lists and objects.
 */
export function readLiteral(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return new LiteralReader(text).read();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const value = this.#value(this.#next(), 0);
    if (this.#text.slice(this.#at).trim() !== "") throw new SyntaxError("text after the literal");
    return value;
  }

  #value({ string, number, name, mark }: Token, depth: number): unknown {
    if (depth > DEEPEST) throw new SyntaxError("nested too deeply");
    if (string !== undefined) return string;
    if (number !== undefined) return Number(number);
    if (name !== undefined && WORDS.has(name)) return WORDS.get(name);
    if (mark === "[") return this.#list(depth);
    if (mark === "{") return this.#object(depth);
    throw new SyntaxError("not a literal");
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    for (let token = this.#next(); token.mark !== "]"; token = this.#next()) {
      items.push(this.#value(token, depth + 1));
      if (this.#ends("]")) break;
    }
    return items;
  }

  #object(depth: number): Record<string, unknown> {
    const members: [string, unknown][] = [];
    for (let token = this.#next(); token.mark !== "}"; token = this.#next()) {
      const key = token.string ?? token.name ?? token.number;
      if (key === undefined || this.#next().mark !== ":") throw new SyntaxError("not a member");
      members.push([key, this.#value(this.#next(), depth + 1)]);
      if (this.#ends("}")) break;
    }
    return Object.fromEntries(members);
  }

  /** Reads a comma or the delimiter `end`. Returns true if it is `end`. */
  #ends(end: string): boolean {
    const { mark } = this.#next();
    if (mark !== end && mark !== ",") throw new SyntaxError("delimiter missing");
    return mark === end;
  }

  #next(): Token {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found === null) throw new SyntaxError("unknown token");
    this.#at = TOKEN.lastIndex;
    const [, double, single, number, name, mark] = found;
    const string = (double ?? single)?.replace(/\\(["'\\/])/g, "$1");
    return { string, number, name, mark };
  }
}
