import { utf8Text } from "../base/utf8.ts";

/** For each byte value, 1 if a header name may contain it (a token in RFC 9110), otherwise 0. */
export const IS_TOKEN: Uint8Array = new Uint8Array(256);
for (const c of "!#$%&'*+-.^_`|~0123456789") IS_TOKEN[c.charCodeAt(0)] = 1;
for (let c = 65; c <= 90; c++) IS_TOKEN[c] = IS_TOKEN[c + 32] = 1;

/** Encodes a lower-case word as bytes, for `equalsWord`. */
export function encodeWord(word: string): Uint8Array {
  return new TextEncoder().encode(word);
}

/**
 * Reports whether `bytes[from, to)` equals `word`, ignoring case. `word` must be in lower case, and
 * the bytes must not contain control characters.
 */
export function equalsWord(word: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== word.length) return false;
  for (let i = 0; i < word.length; i++) if ((bytes[from + i] | 32) !== word[i]) return false;
  return true;
}

/**
 * Decodes the header value in `bytes[from, to)`, as UTF-8 if it is valid UTF-8, otherwise as
 * Latin-1.
 */
export function fieldText(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  let union = 0;
  let at = from;
  // Decodes eight bytes at a time, because each string concatenation costs more than the characters
  // it adds.
  // bench: scripts/bench/http.ts. If a cookie is kept, parsing takes 18 % fewer instructions,
  // partly because unused names are not decoded.
  for (const last = to - 8; at <= last; at += 8) {
    const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    const [e, f, g, h] = [bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]];
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
    union |= a | b | c | d | e | f | g | h;
  }
  for (; at < to; at++) {
    text += String.fromCharCode(bytes[at]);
    union |= bytes[at];
  }
  return union < 128 ? text : utf8Text(bytes.subarray(from, to)) ?? text;
}
