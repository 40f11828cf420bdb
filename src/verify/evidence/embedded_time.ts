import { parseTimestamp } from "../values/timestamps.ts";

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
