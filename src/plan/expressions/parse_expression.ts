import { writtenNumber } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import {
  BARE,
  type BinaryOperator,
  ENV_NAME,
  type Expression,
  isMember,
  OPERATORS,
  RESERVED,
  SPACES,
} from "./expression.ts";
import { arity, type FunctionName, FUNCTIONS, type FunctionVariant } from "./functions.ts";

/** A token of an expression. `at` is its zero-based offset in the text, in UTF-16 code units. */
type Token =
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
class TokenReader {
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

  /** Undefined if the sticky pattern does not match at the current offset. */
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

/** Maximum nesting depth of parentheses, calls and prefix operators. */
const MAX_DEPTH = 100;
/** Maximum number of operators, calls and members. Limits the recursion depth of an evaluation. */
const MAX_OPERATIONS = 1_000;
/** Maximum length of an expression, in UTF-16 code units. */
const MAX_LENGTH = 10_000;

/**
 * Matches the name after the prefix of a namespace. It may contain `-` and `.`, as in
 * `vars.api-key`.
 */
const NAME_IN_SPACE = /[^\s()+*/%<>=!?,"'[\]{}|&]+/y;
const DOT = /\./y;
/** Matches the dot and the name of a data source. */
const SOURCE = /\.[^\s()+*/%<>=!?,"'[\]{}|&.]+/y;

const LEVELS: ReadonlyMap<string, number> = new Map(
  OPERATORS.flatMap((names, level) => names.map((name) => [name, level] as const)),
);
const COMPARISON = LEVELS.get("==")!;
const DEFAULT = LEVELS.get("??")!;
const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
};
const KEYWORDS = ["and", "or", "not", "matches"];

/** A parsed expression, and where it ends in the text. */
export interface ParsedExpression {
  readonly expression: Expression;
  /** Zero-based offset of the first character after the expression, in UTF-16 code units. */
  readonly end: number;
}

/**
 * The expression at `start` ends at a `}` or with the text. Throws ExpressionError if it is
 * invalid, too long or nested too deeply.
 */
export function parseExpressionAt(text: string, start: number): ParsedExpression {
  return new Parser(text, start).parse();
}

/** Recursive descent parser for one expression. */
class Parser {
  readonly #start: number;
  readonly #tokens: TokenReader;
  #token: Token;
  #depth = 0;
  #operations = 0;

  constructor(text: string, start: number) {
    this.#start = start;
    this.#tokens = new TokenReader(text, start);
    this.#token = this.#tokens.next();
  }

  parse(): ParsedExpression {
    const expression = this.#binary(0);
    const { kind, at } = this.#token;
    if (kind !== "end") throw this.#unexpected();
    return { expression, end: at };
  }

  #binary(level: number): Expression {
    if (level === OPERATORS.length) return this.#unary();
    if (level === COMPARISON && this.#skip("name", "not")) {
      return this.#operation({ kind: "unary", operator: "not", operand: this.#deeper(level) });
    }
    let left = this.#binary(level + 1);
    while (this.#token.kind !== "string" && LEVELS.get(this.#token.text) === level) {
      const operator = this.#take().text as BinaryOperator;
      const right = level === DEFAULT ? this.#deeper(level) : this.#binary(level + 1);
      left = this.#operation({ kind: "binary", operator, left, right });
      if (level === COMPARISON && LEVELS.get(this.#token.text) === COMPARISON) {
        throw this.#error("comparisons cannot be chained: use `and`");
      }
    }
    return left;
  }

  #unary(): Expression {
    if (!this.#skip("symbol", "-")) return this.#members(this.#primary());
    if (this.#token.kind === "number") {
      return { kind: "literal", value: writtenNumber(`-${this.#take().text}`) };
    }
    const operand = this.#nest(() => this.#unary());
    return this.#operation({ kind: "unary", operator: "-", operand });
  }

  #members(of: Expression): Expression {
    for (let one = of;;) {
      let key: Expression;
      if (this.#skip("symbol", ".")) {
        key = { kind: "literal", value: this.#expectKind("name").text };
      } else if (this.#skip("symbol", "[")) {
        key = this.#deeper(0);
        this.#expect("]");
      } else return one;
      one = this.#operation({ kind: "member", of: one, key });
    }
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.kind === "string") return { kind: "literal", value: this.#take().text };
    if (token.kind === "number") {
      return { kind: "literal", value: writtenNumber(this.#take().text) };
    }
    if (this.#skip("symbol", "(")) {
      const inner = this.#deeper(0);
      this.#expect(")");
      return inner;
    }
    if (token.kind !== "name" || KEYWORDS.includes(token.text)) throw this.#unexpected();
    if (isMember(SPACES, token.text)) return this.#inSpace(token.text);
    this.#take();
    if (this.#isSymbol("(")) return this.#call(token);
    if (token.text === "setup" && this.#skip("symbol", ".")) {
      return { kind: "setup", name: this.#expectKind("name").text };
    }
    if (Object.hasOwn(CONSTANTS, token.text)) {
      return { kind: "literal", value: CONSTANTS[token.text] };
    }
    if (isMember(BARE, token.text)) return { kind: token.text };
    if (RESERVED.has(token.text)) {
      throw new ExpressionError("a function needs parentheses", token.at);
    }
    return { kind: "variable", name: token.text };
  }

  #inSpace(space: (typeof SPACES)[number]): Expression {
    const { at } = this.#token;
    const source = space === "data" ? this.#tokens.match(SOURCE)?.slice(1) : "";
    const name = source === undefined ? undefined : this.#nameOfMember();
    if (!name) {
      const form = space === "data" ? "data.SOURCE.COLUMN" : `${space}.NAME`;
      throw new ExpressionError(`the name is missing: write \`${form}\``, at);
    }
    if (space === "data") return { kind: space, source: source!, column: name };
    if (space === "env" && !ENV_NAME.test(name)) {
      throw new ExpressionError("not the name of an environment variable", at);
    }
    return { kind: space, name };
  }

  #nameOfMember(): string | undefined {
    const name = this.#tokens.match(DOT) === undefined
      ? this.#quotedName()
      : this.#tokens.match(NAME_IN_SPACE);
    this.#token = this.#tokens.next();
    return name;
  }

  #quotedName(): string | undefined {
    this.#token = this.#tokens.next();
    if (!this.#skip("symbol", "[")) return undefined;
    const { text } = this.#expectKind("string");
    if (!this.#isSymbol("]")) throw this.#unexpected();
    return text;
  }

  #call({ text, at }: Token): Expression {
    if (!Object.hasOwn(FUNCTIONS, text)) {
      const names = Object.keys(FUNCTIONS);
      const hint = didYouMean(text, names) || `expected one of ${names.join(", ")}`;
      throw new ExpressionError(`unknown function: ${hint}`, at);
    }
    const name = text as FunctionName;
    const args = this.#arguments();
    const error = callError(name, args);
    if (error !== undefined) throw new ExpressionError(`${name}(): ${error}`, at);
    return this.#operation({ kind: "call", name, arguments: args });
  }

  #arguments(): Expression[] {
    const args: Expression[] = [];
    this.#expect("(");
    if (this.#skip("symbol", ")")) return args;
    do args.push(this.#deeper(0)); while (this.#skip("symbol", ","));
    this.#expect(")");
    return args;
  }

  #deeper(level: number): Expression {
    return this.#nest(() => this.#binary(level));
  }

  #nest<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) {
      throw this.#error("nested too deeply: split the expression into `set` steps");
    }
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #operation(expression: Expression): Expression {
    if (++this.#operations > MAX_OPERATIONS) {
      throw this.#error(
        `more than ${MAX_OPERATIONS} operations: split the expression into \`set\` steps`,
      );
    }
    return expression;
  }

  #take(): Token {
    const token = this.#token;
    if (token.at - this.#start > MAX_LENGTH) {
      throw this.#error(
        `the expression is longer than ${MAX_LENGTH} characters: split it into \`set\` steps`,
      );
    }
    this.#token = this.#tokens.next();
    return token;
  }

  #isSymbol(text: string): boolean {
    return this.#token.kind === "symbol" && this.#token.text === text;
  }

  #skip(kind: "symbol" | "name", text: string): boolean {
    if (this.#token.kind !== kind || this.#token.text !== text) return false;
    this.#take();
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#skip("symbol", symbol)) throw this.#error(`expected \`${symbol}\``);
  }

  #expectKind(kind: "name" | "string"): Token {
    if (this.#token.kind !== kind) {
      throw this.#error(`expected a ${kind === "name" ? kind : "text"}`);
    }
    return this.#take();
  }

  #unexpected(): ExpressionError {
    const { kind, text } = this.#token;
    return this.#error(
      kind === "end" ? "the expression is not complete" : `unexpected \`${text}\``,
    );
  }

  #error(message: string): ExpressionError {
    return new ExpressionError(message, this.#token.at);
  }
}

function callError(name: FunctionName, args: readonly Expression[]): string | undefined {
  const definition: FunctionVariant = FUNCTIONS[name];
  const [least, most] = arity(definition);
  if (args.length < least || args.length > most) {
    if (most === 0) return "takes no arguments";
    return `expected ${name}(${definition.parameters.join(", ")})`;
  }
  if (definition.takesName && args.some(({ kind }) => kind !== "variable")) {
    return "takes no arguments except a name, such as `draft`";
  }
  return definition.check?.(args.map((arg) => arg.kind === "literal" ? arg.value : undefined));
}
