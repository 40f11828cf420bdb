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

/** Milliseconds from 1582-10-15, the start of the timestamps in UUIDs, to 1970-01-01. */
const GREGORIAN_MS = 12_219_292_800_000;
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * Returns the time at which a value was generated, in Unix milliseconds, if the value contains that
 * time. Recognizes timestamps, UUIDs of version 1, 6 or 7, MongoDB ObjectIds and ULIDs. Returns
 * undefined for other values.
 */
export function embeddedTime(value: string): number | undefined {
  return parseTimestamp(value)?.ms ?? uuidTime(value) ?? objectIdTime(value) ?? ulidTime(value);
}

function uuidTime(value: string): number | undefined {
  const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-([167])([0-9a-f]{3})-[89ab][0-9a-f]{3}-/i.exec(value);
  if (parts === null) return undefined;
  const [, a, b, version, c] = parts;
  if (version === "7") return parseInt(a + b, 16);
  const ticks = version === "1" ? c + b + a : a + b + c;
  return Number(BigInt(`0x${ticks}`) / 10_000n) - GREGORIAN_MS;
}

function objectIdTime(value: string): number | undefined {
  return /^[0-9a-f]{24}$/.test(value) ? parseInt(value.slice(0, 8), 16) * 1_000 : undefined;
}

function ulidTime(value: string): number | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value)) return undefined;
  let ms = 0;
  for (const digit of value.slice(0, 10)) ms = ms * 32 + CROCKFORD.indexOf(digit);
  return ms;
}
