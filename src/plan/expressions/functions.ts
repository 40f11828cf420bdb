import { isNumber, type WrittenNumber } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";

/** Named formats of the function `date`. */
const NAMED_DATES = ["iso", "http", "unix", "unix_ms"] as const;

/** Part of a date pattern: a field such as `yyyy`, or literal text. */
export type DatePart = { readonly field: DateField } | { readonly text: string };

/** Field of a date pattern. */
export type DateField = "yyyy" | "MM" | "dd" | "HH" | "mm" | "ss" | "SSS";
const DATE_FIELDS: readonly DateField[] = ["yyyy", "MM", "dd", "HH", "mm", "ss", "SSS"];

const PART = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+/gy;

/**
 * Parses a date pattern. Letters are fields, text in single quotes is literal, and `''` is a single
 * quote. Returns undefined if a field is unknown or a quote is not closed.
 */
export function parseDatePattern(pattern: string): DatePart[] | undefined {
  const parts: DatePart[] = [];
  let done = 0;
  for (const [found, quoted, letter] of pattern.matchAll(PART)) {
    done += found.length;
    if (letter === undefined) parts.push({ text: quoted === "" ? "'" : quoted ?? found });
    else {
      const field = DATE_FIELDS.find((name) => name === found);
      if (field === undefined) return undefined;
      parts.push({ field });
    }
  }
  return done === pattern.length ? parts : undefined;
}

function dateFormatError(format: string): string | undefined {
  if ((NAMED_DATES as readonly string[]).includes(format) || parseDatePattern(format)) {
    return undefined;
  }
  return `unknown date format: expected ${NAMED_DATES.join(", ")}, or a pattern of ` +
    `${DATE_FIELDS.join(", ")} with other letters in single quotes`;
}

/** Value of an argument that is a literal. Undefined if the value is known only during the run. */
export type KnownArgument = string | boolean | null | WrittenNumber | undefined;

/** Definition of a function of the plan language. `engine/flow` evaluates it. */
export interface FunctionVariant {
  /** `?` at the end of a name marks an optional argument, `…` one that can be repeated. */
  readonly parameters: readonly string[];
  readonly description: string;
  /** Example of a call, for the docs. */
  readonly example: string;
  /** Result of the example as text. Absent if the result is not always the same. */
  readonly result?: string;
  /** True if the argument is a name that is not evaluated, as in `uuid(draft)`. */
  readonly takesName?: true;
  /** Returns the error in the arguments of a call, or undefined if there is no error. */
  readonly check?: (args: readonly KnownArgument[]) => string | undefined;
}

/** Returns the smallest and the largest number of arguments that a function accepts. */
export function arity({ parameters }: FunctionVariant): [least: number, most: number] {
  const least = parameters.filter((name) => !name.endsWith("?")).length;
  return [least, parameters.some((name) => name.endsWith("…")) ? Infinity : parameters.length];
}

/** Text encodings for hashes. */
export const ENCODINGS: readonly string[] = ["hex", "base64", "base64url"];

function encodingError(encoding: KnownArgument): string | undefined {
  if (encoding === undefined || ENCODINGS.includes(encoding as string)) return undefined;
  return `the encoding must be one of ${ENCODINGS.join(", ")}`;
}

function rangeError(min: KnownArgument, max: KnownArgument): string | undefined {
  if (!isNumber(min) || !isNumber(max) || Number(min) <= Number(max)) return undefined;
  return "the first number is greater than the second";
}

/** All functions that expressions can call, by name. The docs list them in this order. */
export const FUNCTIONS = {
  base64: {
    parameters: ["text"],
    description: "The UTF-8 bytes of the text, encoded as base64",
    example: `base64("user:pass")`,
    result: "dXNlcjpwYXNz",
  },
  base64url: {
    parameters: ["text"],
    description: "The UTF-8 bytes of the text, encoded as base64url without padding",
    example: `base64url("a?b>")`,
    result: "YT9iPg",
  },
  url_encode: {
    parameters: ["text"],
    description: "The text, percent-encoded for a path segment, a query or a form",
    example: `url_encode("a b&c")`,
    result: "a%20b%26c",
  },
  hex: {
    parameters: ["text"],
    description: "The UTF-8 bytes of the text as hexadecimal digits",
    example: `hex("abc")`,
    result: "616263",
  },
  sha256: {
    parameters: ["text", "encoding?"],
    description: 'The SHA-256 hash of the text as "hex" (default), "base64" or "base64url"',
    example: `sha256("abc", "base64url")`,
    result: "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0",
    check: ([, encoding]) => encodingError(encoding),
  },
  hmac_sha256: {
    parameters: ["key", "text", "encoding?"],
    description:
      'The HMAC-SHA-256 of the text with the key, as "hex" (default), "base64" or "base64url"',
    example: `hmac_sha256("Jefe", "what do ya want for nothing?")`,
    result: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    check: ([, , encoding]) => encodingError(encoding),
  },
  jwt_decode: {
    parameters: ["token", "part?"],
    description:
      'The claims of a JSON Web Token, or its header if `part` is "header". The signature is not verified',
    example: 'jwt_decode("e30.eyJzdWIiOiI3In0.").sub',
    result: "7",
    check: ([, part]) =>
      part === undefined || part === "payload" || part === "header"
        ? undefined
        : 'the second argument must be "payload" or "header"',
  },
  json: {
    parameters: ["value"],
    description: "The value as JSON",
    example: 'json("say \\"hi\\"")',
    result: '"say \\"hi\\""',
  },
  number: {
    parameters: ["value"],
    description:
      "The value as a number that keeps all its digits. Text that is not a JSON number is an error",
    example: `number("9007199254740993") + 1`,
    result: "9007199254740994",
  },
  length: {
    parameters: ["value"],
    description: "The number of characters in the text, or of items in the list",
    example: `length("abc")`,
    result: "3",
  },
  substring: {
    parameters: ["text", "start", "end?"],
    description:
      "The characters of the text from `start` (counting from 0) up to but not including `end`. Negative positions count from the end",
    example: `substring("abcdef", 1, -2)`,
    result: "bcd",
  },
  replace: {
    parameters: ["text", "from", "to"],
    description: "The text, with each `from` replaced by `to`",
    example: `replace("a-b-c", "-", "+")`,
    result: "a+b+c",
    check: ([, from]) => from === "" ? "the text to replace is empty" : undefined,
  },
  lower: {
    parameters: ["text"],
    description: "The text in lowercase",
    example: `lower("ÄB")`,
    result: "äb",
  },
  upper: {
    parameters: ["text"],
    description: "The text in uppercase",
    example: `upper("äb")`,
    result: "ÄB",
  },
  date: {
    parameters: ["format", "offset?"],
    description:
      'The current time in UTC, formatted: "iso", "http", "unix" (seconds), "unix_ms", or ' +
      "a pattern of `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS`, in which text in single quotes " +
      'is literal. `offset` is added to the time: a duration such as "1d" or "-90m", or seconds',
    example: `date("yyyy-MM-dd", "1d")`,
    check: ([format, offset]) => {
      if (typeof format === "string" && dateFormatError(format)) return dateFormatError(format);
      if (typeof offset !== "string" || durationMs(offset.replace(/^[+-]/, "")) !== undefined) {
        return undefined;
      }
      return 'the offset must be a duration such as "1d" or "-90m"';
    },
  },
  now: {
    parameters: [],
    description: "The current time in Unix milliseconds",
    example: "now()",
  },
  uuid: {
    parameters: ["NAME?"],
    description:
      "A random UUID. With a name, each iteration generates one UUID and uses it in every call " +
      "with that name",
    example: "uuid(draft)",
    takesName: true,
  },
  random_int: {
    parameters: ["min", "max"],
    description: "A random whole number from `min` to `max`, both included",
    example: "random_int(1, 6)",
    check: (args) => {
      const isWhole = args.every((arg) =>
        arg === undefined || isNumber(arg) && Number.isSafeInteger(Number(arg))
      );
      if (!isWhole) return "expected two whole numbers";
      return rangeError(args[0], args[1]) &&
        "expected two whole numbers, the first not greater than the second";
    },
  },
  random_float: {
    parameters: ["min", "max"],
    description: "A random number from `min` (included) to `max` (not included)",
    example: "random_float(0, 1)",
    check: ([min, max]) => rangeError(min, max),
  },
  random_string: {
    parameters: ["length", "characters?"],
    description:
      "Random text of the given length, made up of `[A-Za-z0-9]` or of the given characters",
    example: `random_string(8, "0123456789")`,
  },
  random_choice: {
    parameters: ["value…"],
    description:
      "One of the arguments, chosen at random. If there is only one argument, it must be a list, and one of its items is chosen",
    example: `random_choice("de", "fr", "it")`,
  },
  pkce_verifier: {
    parameters: [],
    description: "A PKCE `code_verifier` that is new in each iteration",
    example: "pkce_verifier()",
  },
  pkce_challenge: {
    parameters: ["verifier?"],
    description:
      "The PKCE `code_challenge` (method `S256`) of a verifier (default: `pkce_verifier()`)",
    example: `pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")`,
    result: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  },
} satisfies Readonly<Record<string, FunctionVariant>>;

/** Name of a function that expressions can call. */
export type FunctionName = keyof typeof FUNCTIONS;
