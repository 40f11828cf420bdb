import * as ascii from "../../../base/ascii.ts";
import { FIELD_INDEX, type Spans } from "./log_fields.ts";

const { CLOSE_BRACKET, COLON, COMMA, DOT, OPEN_BRACKET, SPACE } = ascii;

/** Length, in bytes, of the longest address: `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const MAX_BYTES = 45;

/** Reports whether `bytes[from, to)` is an IPv4 or IPv6 address without a port. */
export function isAddress(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > MAX_BYTES) return false;
  let [colons, dots, group] = [0, 0, 0];
  let [hasLetters, isShortened] = [false, false];
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (byte === COLON) {
      if (dots > 0) return false;
      if (i > from && bytes[i - 1] === COLON) isShortened = true;
      colons++;
      group = 0;
    } else if (byte === DOT) {
      if (group === 0 || group > 3) return false;
      dots++;
      group = 0;
    } else {
      if (!isHex(byte) || ++group > 4) return false;
      if (byte > 0x39) hasLetters = true;
    }
  }
  if (dots > 0 && (dots !== 3 || group === 0 || group > 3)) return false;
  if (colons === 0) return dots === 3 && !hasLetters;
  const groups = colons + 1 + (dots > 0 ? 1 : 0);
  return isShortened ? groups <= 9 : groups === 8;
}

/**
 * Parses the list of addresses in `bytes[from, to)`, such as the value of `X-Forwarded-For`. Sets
 * the `client` field in `spans` to the first address, without its port. Returns false if the first
 * item is not an address.
 */
export function setFirstAddress(
  bytes: Uint8Array,
  from: number,
  to: number,
  spans: Spans,
): boolean {
  let start = from;
  while (start < to && bytes[start] === SPACE) start++;
  const isBracketed = bytes[start] === OPEN_BRACKET;
  if (isBracketed) start++;
  let end = start;
  let colon = -1;
  let [colons, dots] = [0, 0];
  for (; end < to && bytes[end] !== COMMA && bytes[end] !== SPACE; end++) {
    const byte = bytes[end];
    if (byte === CLOSE_BRACKET && isBracketed) break;
    if (byte === DOT) dots++;
    if (byte === COLON && colons++ === 0) colon = end;
  }
  // `10.0.0.1:443`
  if (colons === 1 && dots === 3) end = colon;
  if (!isAddress(bytes, start, end)) return false;
  spans.set(FIELD_INDEX.client, start, end);
  return true;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return byte >= 0x30 && byte <= 0x39 || lower >= 0x61 && lower <= 0x66;
}
