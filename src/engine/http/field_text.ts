const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** 1 for the bytes that a header's name may have (RFC 9110, token). */
export const TOKEN: Uint8Array = new Uint8Array(256);
for (const c of "!#$%&'*+-.^_`|~0123456789") TOKEN[c.charCodeAt(0)] = 1;
for (let c = 65; c <= 90; c++) TOKEN[c] = TOKEN[c + 32] = 1;

/** The bytes of a word in lower case, for `matches`. */
export function pattern(word: string): Uint8Array {
  return new TextEncoder().encode(word);
}

/** Whether the bytes in [from, to) are `word`, letter case ignored; no control may be among them. */
export function matches(word: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== word.length) return false;
  for (let i = 0; i < word.length; i++) if ((bytes[from + i] | 32) !== word[i]) return false;
  return true;
}

/** The text of a header's value: UTF-8 if it is that, Latin-1 otherwise. */
export function fieldText(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  let seen = 0;
  let at = from;
  // Eight at a time: every piece that is joined to a text costs more than its characters.
  for (const last = to - 8; at <= last; at += 8) {
    const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    const [e, f, g, h] = [bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]];
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
    seen |= a | b | c | d | e | f | g | h;
  }
  for (; at < to; at++) {
    text += String.fromCharCode(bytes[at]);
    seen |= bytes[at];
  }
  return seen < 128 ? text : utf8Text(bytes.subarray(from, to)) ?? text;
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
