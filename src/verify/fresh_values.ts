import { parseExactJson } from "../base/exact_json.ts";
import { type Random, random } from "../base/random.ts";
import { mapLeaves } from "../traffic/session/body_fields.ts";
import { dynamicBy, dynamicShape } from "../traffic/session/dynamic_value.ts";
import { type FoundValue, ValueFinder } from "./runs.ts";

/** A timestamp and the notation in which it was written. */
export interface Timestamp {
  /** Unix milliseconds. */
  readonly ms: number;
  /** Resolution of the notation, in milliseconds. */
  readonly step: number;
  /** Writes Unix milliseconds in the same notation. */
  write(ms: number): string;
}

const ISO =
  /^(\d{4}-\d\d-\d\d)([T .+])(\d\d:\d\d)(?::(\d\d)(?:([.,])(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/i;
const HTTP = /^[A-Z][a-z]{2}, \d\d[ -][A-Z][a-z]{2}[ -]\d{4} \d\d:\d\d:\d\d GMT$/;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;

/** Earliest time that digits without separators can represent, in Unix milliseconds. */
const FIRST = Date.UTC(2001, 8, 9, 1, 46, 40);
/**
 * End (exclusive) of the range of times that digits without separators can represent, in Unix
 * milliseconds.
 */
const LAST = Date.UTC(2100, 0, 1);

/**
 * Parses a timestamp: ISO 8601, an HTTP date, Unix seconds, milliseconds or microseconds, or
 * `YYYYMMDDhhmmss`. Returns undefined for any other text.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  if (/^\d+$/.test(text)) return parseDigits(text);
  if (HTTP.test(text)) return parseHttpDate(text);
  return parseIso(text);
}

function parseDigits(text: string): Timestamp | undefined {
  if (text.length === 14) return parseCompact(text);
  const scale = { 10: 1_000, 13: 1, 16: 1 / 1_000 }[text.length];
  if (scale === undefined) return undefined;
  const ms = Number(text) * scale;
  if (ms < FIRST || ms >= LAST) return undefined;
  const rest = scale < 1 ? text.slice(13) : "";
  return {
    ms,
    step: Math.max(scale, 1),
    write: (to) => String(Math.floor(to / Math.max(scale, 1))) + rest,
  };
}

function parseCompact(text: string): Timestamp | undefined {
  const [year, month, day, hour, minute, second] = COMPACT.exec(text)!.slice(1).map(Number);
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  if (!(ms >= FIRST && ms < LAST) || isoDigits(ms) !== text) return undefined;
  return { ms, step: 1_000, write: isoDigits };
}

/** Formats Unix milliseconds as `YYYYMMDDhhmmss` in UTC. */
function isoDigits(ms: number): string {
  return new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14);
}

function parseHttpDate(text: string): Timestamp | undefined {
  const ms = Date.parse(text.replace(/-/g, " "));
  if (Number.isNaN(ms)) return undefined;
  const separator = text[7];
  return {
    ms,
    step: 1_000,
    write: (to) => {
      const written = new Date(to).toUTCString();
      return written.slice(0, 7) + separator + written.slice(8, 11) + separator +
        written.slice(12);
    },
  };
}

function parseIso(text: string): Timestamp | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, date, between, minutes, seconds, point = ".", fraction = "", zone = ""] = match;
  const offset = zoneOffset(zone);
  const ms =
    Date.parse(`${date}T${minutes}:${seconds ?? "00"}.${fraction.padEnd(3, "0").slice(0, 3)}Z`) -
    offset;
  if (Number.isNaN(ms)) return undefined;
  return {
    ms,
    step: seconds === undefined
      ? 60_000
      : fraction === ""
      ? 1_000
      : fraction.length === 1
      ? 100
      : fraction.length === 2
      ? 10
      : 1,
    write: (to) => {
      const iso = new Date(to + offset).toISOString();
      const second = seconds === undefined ? "" : iso.slice(16, 19);
      const digits = (iso.slice(20, 23) + fraction.slice(3)).slice(0, fraction.length);
      return iso.slice(0, 10) + between + iso.slice(11, 16) + second +
        (fraction === "" ? "" : point + digits) + zone;
    },
  };
}

/** Returns the offset of a time zone such as `+01:00`, in milliseconds. */
function zoneOffset(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const HEX_LETTERS = /^[^g-z]*$/i;
const utf8 = new TextDecoder();

/**
 * Generates a different value of the same length. Replaces digits with digits, and letters with
 * letters of the same case. A leading digit becomes 1 to 8, so that a number stays valid in JSON
 * and in the range of a 64-bit integer. If the value contains no letters except hex digits, neither
 * does the result. A UUID keeps its version and variant. A JWT keeps its header, its timestamps and
 * the names of its claims. If `shift` is not 0, a timestamp moves that many milliseconds later
 * instead.
 */
export function freshValue(value: string, random: Random, shift = 0): string {
  const timestamp = shift === 0 ? undefined : parseTimestamp(value);
  if (timestamp !== undefined) return timestamp.write(timestamp.ms + shift);
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

/** Number of attempts to generate a unique value of the same length before trying a longer one. */
const ATTEMPTS = 40;
const DAY_MS = 86_400_000;

/** The recorded value that a fresh value replaces, and the user who gets the fresh value. */
export interface Origin {
  readonly recorded: string;
  /**
   * Identifies the recorded value: the value itself or, for a short id, NUL, the kind of the id,
   * NUL and the id.
   */
  readonly key: string;
  readonly user: string;
}

/** A fresh value in text, with its origin. */
export interface FoundFresh extends FoundValue, Origin {}

/** Generates unique fresh values for recorded values, and finds them in text. */
export class FreshValues {
  readonly #random: Random;
  readonly #taken: Set<string>;
  readonly #origins = new Map<string, Origin>();
  readonly #finder = new ValueFinder();

  /** Creates a generator that never generates a value in `taken`. */
  constructor(seed: number, taken: Iterable<string>) {
    this.#random = random(seed);
    this.#taken = new Set(taken);
  }

  /** Returns a random duration, in milliseconds, by which to move the timestamps of one user. */
  shift(): number {
    return this.#random.int(1, 60) * DAY_MS + this.#random.int(0, DAY_MS - 1);
  }

  /**
   * Generates a fresh value for a user, whose timestamps move by `shift`. `key` identifies the
   * recorded value. It is the value itself or, for a short id, NUL, the kind of the id, NUL and
   * the id. A fresh short id is longer than the recorded one, so that it is unique.
   */
  generate(key: string, user: string, shift: number): string {
    const recorded = key.slice(key.lastIndexOf("\0") + 1);
    const fresh = key === recorded ? this.#unused(recorded, shift) : this.#unusedId(recorded);
    this.#taken.add(fresh);
    this.#origins.set(fresh, { recorded, key, user });
    this.#finder.add(fresh);
    return fresh;
  }

  /** Returns the fresh values in `text`, in order. */
  find(text: string): FoundFresh[] {
    return this.#finder.find(text).map((found) => ({
      ...found,
      ...this.#origins.get(found.value)!,
    }));
  }

  /** Replaces every fresh value in `text` with its recorded value. */
  recorded(text: string): string {
    let [recorded, done] = ["", 0];
    for (const { start, end, recorded: value } of this.find(text)) {
      recorded += text.slice(done, start) + value;
      done = end;
    }
    return recorded + text.slice(done);
  }

  #unusedId(recorded: string): string {
    for (;;) {
      const number = String(this.#random.int(100_000, 999_999_999));
      const fresh = /\d/.test(recorded) ? recorded.replace(/\d+/, number) : recorded + number;
      if (!this.#taken.has(fresh)) return fresh;
    }
  }

  #unused(recorded: string, shift: number): string {
    const step = parseTimestamp(recorded)?.step ?? 0;
    for (let attempt = 0, shape = recorded;; attempt++) {
      const fresh = freshValue(shape, this.#random, step && shift + attempt * step);
      if (!this.#taken.has(fresh)) return fresh;
      if (step === 0 && attempt >= ATTEMPTS) shape += "1";
    }
  }
}
