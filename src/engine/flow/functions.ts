import { createHmac, hash } from "node:crypto";
import { isNumber, parseExactJson } from "../../base/exact_number.ts";
import { durationMs } from "../../base/format.ts";
import {
  type DateField,
  ENCODINGS,
  type FunctionName,
  parseDatePattern,
} from "../../plan/expressions/functions.ts";
import { TemplateFault } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";
import { checkLength, shown, toNumber, toText, utf8 } from "./values.ts";

export const FUNCTIONS: {
  readonly [Name in FunctionName]: (args: readonly unknown[], vu: Vu) => unknown;
} = {
  base64: ([text]) => utf8(text).toBase64(),
  base64url: ([text]) => utf8(text).toBase64({ alphabet: "base64url", omitPadding: true }),
  url_encode: ([text]) => encodeURIComponent(toText(text)),
  hex: ([text]) => utf8(text).toHex(),
  sha256: ([text, encoding]) => hash("sha256", toText(text), digestEncoding(encoding)),
  hmac_sha256: ([key, text, encoding]) =>
    createHmac("sha256", toText(key)).update(toText(text)).digest(
      digestEncoding(encoding),
    ),
  jwt_decode([token, part]) {
    const parts = toText(token).split(".");
    if (parts.length < 2) throw new TemplateFault("jwt_decode(): not a JSON Web Token");
    try {
      const bytes = Uint8Array.fromBase64(parts[part === "header" ? 0 : 1], {
        alphabet: "base64url",
      });
      return parseExactJson(DECODER.decode(bytes));
    } catch {
      throw new TemplateFault(
        "jwt_decode(): a part of the JSON Web Token is not base64url-encoded JSON",
      );
    }
  },
  json: ([value]) => JSON.stringify(value),
  number: ([value]) => toNumber(value),
  length([value]) {
    if (typeof value === "string" || Array.isArray(value)) return value.length;
    throw new TemplateFault(`length(): expected text or a list, found ${shown(value)}`);
  },
  substring([value, start, end]) {
    const text = toText(value).slice(
      toInteger(start),
      end === undefined ? undefined : toInteger(end),
    );
    return text.toWellFormed();
  },
  replace([value, from, to]) {
    const [text, search, replacement] = [toText(value), toText(from), toText(to)];
    if (search === "") throw new TemplateFault("replace(): the text to replace is empty");
    const pieces = text.split(search);
    checkLength(text.length + (pieces.length - 1) * (replacement.length - search.length));
    return pieces.join(replacement);
  },
  lower: ([text]) => toText(text).toLowerCase(),
  upper: ([text]) => toText(text).toUpperCase(),
  date([format, offset]) {
    const time = new Date(Date.now() + (offset === undefined ? 0 : offsetMs(offset)));
    if (Number.isNaN(time.getTime())) throw new TemplateFault("date(): the time is out of range");
    return formatTime(time, toText(format));
  },
  now: () => Date.now(),
  uuid: ([name], vu) => name === undefined ? vu.random.uuid() : vu.namedUuid(String(name)),
  random_int(args, { random }) {
    const [min, max] = [toInteger(args[0]), toInteger(args[1])];
    if (min > max) throw new TemplateFault(`random_int(): ${min} is greater than ${max}`);
    return random.int(min, max);
  },
  random_float(args, { random }) {
    const [min, max] = [Number(toNumber(args[0])), Number(toNumber(args[1]))];
    if (min > max) throw new TemplateFault(`random_float(): ${min} is greater than ${max}`);
    const value = min + (max - min) * random.next();
    if (!Number.isFinite(value)) {
      throw new TemplateFault("random_float(): the range is too large");
    }
    return value;
  },
  random_string([length, characters], { random }) {
    const alphabet = characters === undefined ? LETTERS_AND_DIGITS : [...toText(characters)];
    const count = toInteger(length);
    if (count < 0 || alphabet.length === 0) {
      throw new TemplateFault(
        "random_string(): expected a length of at least 0 and a nonempty set of characters",
      );
    }
    checkLength(count);
    let text = "";
    for (let i = 0; i < count; i++) text += alphabet[random.int(0, alphabet.length - 1)];
    return text;
  },
  random_choice(args, { random }) {
    const choices = args.length > 1 ? args : args[0];
    if (!Array.isArray(choices) || choices.length === 0) {
      throw new TemplateFault(
        `random_choice(): expected a list that is not empty, found ${
          Array.isArray(choices) ? "an empty list" : shown(choices)
        }`,
      );
    }
    return choices[random.int(0, choices.length - 1)];
  },
  pkce_verifier: (_, vu) => verifierOf(vu),
  pkce_challenge: ([verifier], vu) =>
    hash("sha256", verifier === undefined ? verifierOf(vu) : toText(verifier), "base64url"),
};

/** Functions whose result depends only on their arguments, so that it can be calculated once. */
export const PURE: ReadonlySet<string> = new Set<FunctionName>([
  "base64",
  "base64url",
  "url_encode",
  "hex",
  "sha256",
  "hmac_sha256",
  "jwt_decode",
  "json",
  "number",
  "length",
  "substring",
  "replace",
  "lower",
  "upper",
]);

/** Returns the encoding of a hash (default: hex). Throws TemplateFault if it is unknown. */
function digestEncoding(encoding: unknown): "hex" | "base64" | "base64url" {
  if (encoding === undefined) return "hex";
  if (ENCODINGS.includes(encoding as string)) return encoding as "hex";
  throw new TemplateFault(`unknown encoding: ${shown(encoding)}`);
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

function offsetMs(offset: unknown): number {
  if (isNumber(offset)) return Number(offset) * 1_000;
  const [, sign, duration] = /^([+-]?)(.*)$/s.exec(String(offset))!;
  const ms = durationMs(duration);
  if (ms === undefined) throw new TemplateFault(`date(): not a duration: ${shown(offset)}`);
  return sign === "-" ? -ms : ms;
}

function formatTime(time: Date, format: string): string | number {
  switch (format) {
    case "iso":
      return time.toISOString();
    case "http":
      return time.toUTCString();
    case "unix":
      return Math.floor(time.getTime() / 1_000);
    case "unix_ms":
      return time.getTime();
  }
  const parts = parseDatePattern(format);
  if (parts === undefined) throw new TemplateFault(`date(): unknown format ${shown(format)}`);
  return parts.map((part) => "text" in part ? part.text : FIELDS[part.field](time)).join("");
}

const FIELDS: Readonly<Record<DateField, (time: Date) => string>> = {
  yyyy: (time) => String(time.getUTCFullYear()).padStart(4, "0"),
  MM: (time) => two(time.getUTCMonth() + 1),
  dd: (time) => two(time.getUTCDate()),
  HH: (time) => two(time.getUTCHours()),
  mm: (time) => two(time.getUTCMinutes()),
  ss: (time) => two(time.getUTCSeconds()),
  SSS: (time) => String(time.getUTCMilliseconds()).padStart(3, "0"),
};

function two(value: number): string {
  return String(value).padStart(2, "0");
}

const LETTERS_AND_DIGITS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"];

/** Names of the UUIDs of a verifier. Plans cannot use them, because they contain a space. */
const PARTS = ["pkce 1", "pkce 2"] as const;

/** Returns the PKCE verifier of an iteration (RFC 7636): 64 hexadecimal digits. */
function verifierOf(vu: Pick<Vu, "namedUuid">): string {
  return PARTS.map((name) => vu.namedUuid(name).replaceAll("-", "")).join("");
}

function toInteger(value: unknown): number {
  const number = Number(toNumber(value));
  if (!Number.isSafeInteger(number)) throw new TemplateFault(`not a whole number: ${shown(value)}`);
  return number;
}
