import { ExactNumber } from "../../base/exact_number.ts";

/** Maximum length of an object, a list or a call that is written on one line, in characters. */
const MAX_WIDTH = 84;

/** Indents each line of a piece of code. Literals in the code must not contain line breaks. */
export function indent(code: string): string {
  return code.replace(/^(?=.)/gm, "  ");
}

/**
 * A member of an object literal: its key and the code for its value. If `isComputed` is true, `key`
 * is the code for a computed key.
 */
export type Member = readonly [key: string, code: string, isComputed?: boolean];

/**
 * Returns the JavaScript code for an object. An object that does not fit on one line is split over
 * several lines. `room` is the number of characters to leave free on that line for the code around
 * the object.
 */
export function objectCode(entries: readonly Member[], room = 0): string {
  const members = entries.map(([key, code, isComputed]) => {
    if (isComputed) return `[${key}]: ${code}`;
    return key === code && isName(key) ? key : `${objectKey(key)}: ${code}`;
  });
  return enclosed("{", members, "}", " ", room);
}

/** Returns the JavaScript code for a list. `room` has the same meaning as in `objectCode`. */
export function listCode(items: readonly string[], room = 0): string {
  return enclosed("[", items, "]", "", room);
}

/**
 * Returns the JavaScript code for a call. If the last argument is the only one with several lines,
 * it starts on the line of the callee, provided that its first line fits.
 */
export function callCode(callee: string, args: readonly string[]): string {
  const last = args.at(-1);
  const others = args.slice(0, -1);
  const hugs = last !== undefined && last.includes("\n") && /^[^\n]*[[{(]\n/.test(last) &&
    !others.some((arg) => arg.includes("\n"));
  if (hugs && lineLength(`${callee}(${args.join(", ")}`) <= MAX_WIDTH) {
    return `${callee}(${args.join(", ")})`;
  }
  return enclosed(`${callee}(`, args, ")", "");
}

/** Returns a block: `head {`, the indented body, and `}`. */
export function blockCode(head: string, body: string): string {
  return body === "" ? `${head} {}` : `${head} {\n${indent(body)}\n}`;
}

/**
 * Returns the JavaScript code for an arrow function whose body is an expression. A body that starts
 * with `{` is an object literal and is enclosed in parentheses.
 */
export function arrowCode(parameters: string, body: string): string {
  return `${parameters} => ${body.startsWith("{") ? `(${body})` : body}`;
}

function enclosed(
  open: string,
  items: readonly string[],
  close: string,
  space: string,
  room = 0,
): string {
  if (items.length === 0) return open + close;
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length + room <= MAX_WIDTH && !line.includes("\n")) return line;
  const isShort = items.every((item) => item.length <= 8 && !item.includes("\n"));
  const lines = isShort && items.length > 10 ? filled(items) : items.map((item) => `${item},`);
  return `${open}\n${indent(lines.join("\n"))}\n${close}`;
}

/** Writes many short items on as few lines as possible. */
function filled(items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || last.length + item.length + 2 > MAX_WIDTH) lines.push(`${item},`);
    else lines[lines.length - 1] = `${last} ${item},`;
  }
  return lines;
}

function lineLength(code: string): number {
  return code.indexOf("\n") < 0 ? code.length : code.indexOf("\n");
}

/**
 * Formats a duration in milliseconds for k6, without rounding: `1m30s`, `250ms`, `1.5ms`.
 */
export function formatDuration(ms: number): string {
  if (ms <= 0) return "0s";
  const whole = Math.floor(ms / 1_000);
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3_600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const rest = Number((ms - whole * 1_000).toFixed(6));
  const parts: [number, string][] = [[hours, "h"], [minutes, "m"], [seconds, "s"], [rest, "ms"]];
  return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit}`).join("");
}

/** Formats milliseconds as a number of seconds, the unit of `sleep` in k6. */
export function secondsText(ms: number): string {
  return String(Number((ms / 1_000).toFixed(9)));
}

/**
 * Characters that a literal escapes: control and format characters, line and paragraph separators,
 * lone surrogates, unassigned characters, and spaces other than U+0020. Also `<` if it starts text
 * that can end or change a script in HTML, such as `</script`.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|<(?=[/!sS?])/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Returns a JavaScript string literal in single quotes that evaluates to `text`. Recorded text
 * enters a script only through this function and the others in this file.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { stringLiteral } from "./javascript.ts";
 *
 * assertEquals(stringLiteral("it's </script>"), "'it\\'s \\x3c/script>'");
 * ```
 */
export function stringLiteral(text: string): string {
  return `'${escapeText(text, /[\\']/g)}'`;
}

/** Escapes `text` for use in a template literal. Does not add the enclosing backticks. */
export function templateText(text: string): string {
  return escapeText(text, /[\\`]|\$(?=\{)|\$$/g);
}

function escapeText(text: string, special: RegExp): string {
  return text.replace(special, "\\$&").replace(UNSAFE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return SHORT[character] ?? Array.from({ length: character.length }, (_, i) => {
    const code = character.charCodeAt(i);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  }).join("");
}

/** Matches names that need no quotes as the key of an object or after a dot. */
const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * Returns the code for a key in an object literal. The key `__proto__`, which would set the
 * prototype, becomes a computed key.
 */
export function objectKey(name: string): string {
  if (name === "__proto__") return "['__proto__']";
  return NAME.test(name) ? name : stringLiteral(name);
}

/**
 * Returns JavaScript code that reads the member `name` of `object`: `object.name` or
 * `object['name']`.
 */
export function memberOf(object: string, name: string): string {
  return NAME.test(name) ? `${object}.${name}` : `${object}[${stringLiteral(name)}]`;
}

/**
 * Matches regular expressions that can be written as a literal between slashes: printable ASCII
 * without slashes or backticks, so that nothing in the expression can end the literal.
 */
const PLAIN_PATTERN = /^(?![*+?])(?:[\w \-=:;,.<>()[\]{}+*?|^$&%#!@~'"]|\\[\w\-.()[\]{}+*?|^$])+$/;

/**
 * Returns the JavaScript code for a regular expression with this pattern. The only supported flag
 * is `g`.
 */
export function patternLiteral(pattern: string, flags: "" | "g" = ""): string {
  if (PLAIN_PATTERN.test(pattern) && !/<[!sS?]/.test(pattern)) return `/${pattern}/${flags}`;
  const more = flags === "" ? "" : `, '${flags}'`;
  return `new RegExp(${stringLiteral(pattern)}${more})`;
}

/**
 * Returns the JavaScript code for a string, number, boolean or null. A number becomes a string if
 * JavaScript would print it with different digits.
 */
export function scalarLiteral(value: unknown): string {
  if (typeof value === "string") return stringLiteral(value);
  if (value instanceof ExactNumber) return stringLiteral(value.text);
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

/**
 * Returns a string literal that contains the Base64 text `text`. Adds missing padding and removes
 * spaces, as `b64decode` requires.
 */
export function base64Literal(text: string): string {
  return stringLiteral(Uint8Array.fromBase64(text).toBase64());
}

/** Maximum length of the text in a comment, in UTF-16 code units. */
const MAX_COMMENT = 300;

/**
 * Converts `text` to a single line without control characters, for a comment that starts with two
 * slashes. Shortens long text.
 */
export function commentText(text: string): string {
  const line = text.replace(UNSAFE, (found) => found === "<" ? "< " : " ").replace(/\s+/g, " ");
  return line.length > MAX_COMMENT ? `${line.slice(0, MAX_COMMENT).toWellFormed()}…` : line.trim();
}

/** Words that cannot be variable names in a module. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["arguments", "async", "await", "break", "case", "catch", "class", "const", "continue"],
  ...["debugger", "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false"],
  ...["finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface"],
  ...["let", "new", "null", "of", "package", "private", "protected", "public", "return", "static"],
  ...["super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void"],
  ...["while", "with", "yield"],
]);

/** Names that the script reads from the global scope. */
const GLOBALS: readonly string[] = [
  ...["Array", "ArrayBuffer", "Date", "Error", "Infinity", "JSON", "Math", "NaN", "Number"],
  ...["Object", "Promise", "RegExp", "Set", "String", "Uint8Array", "__ENV", "__ITER", "__VU"],
  ...[
    "clearTimeout",
    "console",
    "crypto",
    "decodeURIComponent",
    "encodeURIComponent",
    "globalThis",
  ],
  ...["open", "setTimeout"],
];

/** Reports whether `text` is a valid variable name. */
export function isName(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text) && !RESERVED.has(text);
}

/** Assigns variable names that are unique in a script. */
export class Names {
  readonly #taken: Set<string>;

  /** Creates an empty set of names. Names in `taken` are never assigned. */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...GLOBALS, ...taken]);
  }

  /**
   * Returns an unused name that resembles `text`, such as `logIn` for `log in`. If `text` has no
   * letters or digits, the name resembles `fallback`.
   */
  take(text: string, fallback: string): string {
    const words = text.replace(/[^A-Za-z0-9_$]+/g, " ").trim().slice(0, 60).split(" ");
    const camel = words.map((word, i) => i === 0 ? word : word[0].toUpperCase() + word.slice(1));
    const joined = camel.join("");
    const name = /[A-Za-z]/.test(joined) ? joined.replace(/^(?=\d)/, "_") : fallback;
    for (let i = 1;; i++) {
      const candidate = i === 1 ? name : `${name}${/\d$/.test(name) ? "_" : ""}${i}`;
      if (!isName(candidate) || this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return candidate;
    }
  }
}
