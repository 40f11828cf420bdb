import { parseExactJson } from "../base/exact_number.ts";
import { type Random, random } from "../base/random.ts";
import { mapLeaves } from "../traffic/session/body_fields.ts";
import { dynamicBy, dynamicShape } from "../traffic/session/dynamic_value.ts";
import { type Found, withShown } from "../traffic/session/value_index.ts";
import { ValueFinder } from "./generated_values.ts";
import { valueInKey } from "./short_ids.ts";

const DAY_MS = 86_400_000;
const ISO = /^(\d{4}-\d\d-\d\d)[T .+](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/i;
const HTTP = /^[A-Z][a-z]{2}, (\d\d[ -][A-Z][a-z]{2}[ -]\d{4}) \d\d:\d\d:\d\d GMT$/;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;
const EPOCH = /^(\d{10})(?:\d{3}|\d{6})?$/;

/** Earliest time that digits without separators can represent, in Unix milliseconds. */
const FIRST = Date.UTC(2001, 8, 9, 1, 46, 40);
/** End (exclusive) of the times that digits without separators can represent. */
const LAST = Date.UTC(2100, 0, 1);

/**
 * Parses ISO 8601, an HTTP date, Unix seconds, milliseconds or microseconds, or `YYYYMMDDhhmmss`.
 * `later` writes the timestamp a number of days later.
 */
export function parseTimestamp(
  text: string,
): { readonly ms: number; later(days: number): string } | undefined {
  const [, seconds] = EPOCH.exec(text) ?? [];
  const ms = seconds === undefined
    ? Date.parse(isoForm(text))
    : Number(text) * 10 ** (13 - text.length);
  if (Number.isNaN(ms) || /^\d/.test(text) && !/\D/.test(text) && (ms < FIRST || ms >= LAST)) {
    return undefined;
  }
  if (seconds !== undefined) {
    return { ms, later: (days) => String(Number(seconds) + days * 86_400) + text.slice(10) };
  }
  const [, day] = HTTP.exec(text) ?? [];
  const dayOf = (iso: string, days: number) => new Date(Date.parse(iso) + days * DAY_MS);
  if (day !== undefined) {
    return {
      ms,
      later: (days) => {
        const date = dayOf(day.replaceAll("-", " ") + " UTC", days).toUTCString().slice(0, 16);
        return date.replace(/(?<=\d) (?=\w)|(?<=[a-z]) (?=\d{4})/g, day[2]) + text.slice(16);
      },
    };
  }
  const size = COMPACT.test(text) ? 8 : 10;
  return {
    ms,
    later: (days) => {
      const date = dayOf(isoForm(text).slice(0, 10), days).toISOString().slice(0, 10);
      return (size === 8 ? date.replaceAll("-", "") : date) + text.slice(size);
    },
  };
}

/** Returns a form of a timestamp that `Date.parse` accepts; of other text, an empty one. */
function isoForm(text: string): string {
  if (HTTP.test(text)) return text.replace(/(?<=\w)-/g, " ");
  const iso = COMPACT.test(text) ? text.replace(COMPACT, "$1-$2-$3T$4:$5:$6Z") : text;
  const [, date, time, fraction = "0", zone = "Z"] = ISO.exec(iso) ?? [];
  if (date === undefined) return "";
  return `${date}T${time}.${fraction}`.replace(/(T\d\d:\d\d)\./, "$1:00.") +
    zone.replace(/^(.\d\d)(\d\d)$/, "$1:$2");
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const HEX_LETTERS = /^[^g-z]*$/i;
const utf8 = new TextDecoder();

/**
 * Generates a value of the same form. Numbers stay valid in JSON and in 64 bits. A UUID keeps its
 * version, a JWT its header, times and names. A timestamp moves by `days` unless it is 0.
 */
export function freshValue(value: string, random: Random, days = 0): string {
  const timestamp = days === 0 ? undefined : parseTimestamp(value);
  if (timestamp !== undefined) return timestamp.later(days);
  switch (dynamicShape(value)) {
    case "uuid":
      return reshaped(value, random, (at) => at === 14 || at === 19);
    case "jwt":
      return freshJwt(value, random);
    default:
      return reshaped(value, random, () => false);
  }
}

function reshaped(value: string, random: Random, kept: (at: number) => boolean): string {
  const letters = HEX_LETTERS.test(value) ? LOWER.slice(0, 6) : LOWER;
  return [...value].map((character, at) => {
    if (kept(at)) return character;
    if (DIGITS.includes(character)) return String(random.int(at === 0 ? 1 : 0, at === 0 ? 8 : 9));
    const lower = character.toLowerCase();
    if (!LOWER.includes(lower)) return character;
    const letter = letters[random.int(0, letters.length - 1)];
    return lower === character ? letter : letter.toUpperCase();
  }).join("");
}

function freshJwt(jwt: string, random: Random): string {
  const [header, payload, signature] = jwt.split(".");
  return [header, freshClaims(payload, random), reshaped(signature, random, () => false)].join(".");
}

function freshClaims(payload: string, random: Random): string {
  try {
    const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
    const claims = mapLeaves(
      parseExactJson(utf8.decode(bytes)),
      (leaf, key) =>
        typeof leaf === "string" && dynamicBy(key, leaf)
          ? reshaped(leaf, random, () => false)
          : leaf,
    );
    return new TextEncoder().encode(JSON.stringify(claims))
      .toBase64({ alphabet: "base64url", omitPadding: true });
  } catch {
    return reshaped(payload, random, () => false);
  }
}

const ATTEMPTS = 40;

export interface FreshOrigin {
  readonly recorded: string;
  /** The recorded value itself or, for a short id, NUL, its kind, NUL and the id. */
  readonly key: string;
  readonly user: string;
}

/** Generates unique fresh values for recorded values, and finds them in text. */
export class FreshValues {
  readonly #random: Random;
  readonly #taken: Set<string>;
  readonly #origins = new Map<string, FreshOrigin>();
  readonly #finder = new ValueFinder();

  constructor(seed: number, taken: Iterable<string>) {
    this.#random = random(seed);
    this.#taken = new Set(taken);
  }

  /** Returns a random number of days by which to move the timestamps of one user. */
  shift(): number {
    return this.#random.int(1, 60);
  }

  /** Timestamps move by `shift` days. A short id gets longer, so that it is unique. */
  generate(key: string, user: string, shift: number): string {
    const recorded = valueInKey(key);
    const fresh = key === recorded ? this.#unused(recorded, shift) : this.#unusedId(recorded);
    this.#taken.add(fresh);
    this.#origins.set(fresh, { recorded, key, user });
    this.#finder.add(fresh);
    return fresh;
  }

  find(text: string): (Found & FreshOrigin)[] {
    return this.#finder.find(text).map((found) => ({
      ...found,
      ...this.#origins.get(found.value)!,
    }));
  }

  /** Replaces the fresh values in `text` that `accepts` accepts with their recorded values. */
  recorded(
    text: string,
    accepts: (fresh: FreshOrigin & { readonly value: string }) => boolean = () => true,
  ): string {
    const shown = this.find(text).filter(accepts).map(({ start, end, value, recorded }) => {
      const written = text.slice(start, end);
      return { start, end, text: encodeLike(recorded, { value, written }) };
    });
    return withShown(text, shown);
  }

  #unusedId(recorded: string): string {
    for (;;) {
      const number = String(this.#random.int(100_000, 999_999_999));
      const fresh = /\d/.test(recorded) ? recorded.replace(/\d+/, number) : recorded + number;
      if (!this.#taken.has(fresh)) return fresh;
    }
  }

  #unused(recorded: string, shift: number): string {
    const isTime = parseTimestamp(recorded) !== undefined;
    for (let attempt = 0, shape = recorded;; attempt++) {
      const fresh = freshValue(shape, this.#random, isTime ? shift + attempt : 0);
      if (!this.#taken.has(fresh)) return fresh;
      if (!isTime && attempt >= ATTEMPTS) shape += "1";
    }
  }
}

/** Encodes a value as another value is `written`. */
export function encodeLike(
  value: string,
  { value: other, written }: { readonly value: string; readonly written: string },
): string {
  if (written === other) return value;
  if (written === encodeURIComponent(other.toWellFormed())) {
    return encodeURIComponent(value.toWellFormed());
  }
  const colon = /%3a/i.exec(written)?.[0];
  const plus = /%2b/i.exec(written)?.[0];
  let encoded = colon === undefined ? value : value.replaceAll(":", colon);
  if (plus !== undefined) encoded = encoded.replaceAll("+", plus);
  return written.includes("%20") ? encoded.replaceAll(" ", "%20") : encoded;
}
