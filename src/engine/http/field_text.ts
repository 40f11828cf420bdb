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
  let isAscii = true;
  for (let i = from; i < to; i++) {
    text += String.fromCharCode(bytes[i]);
    if (bytes[i] >= 128) isAscii = false;
  }
  return isAscii ? text : utf8Text(bytes.subarray(from, to)) ?? text;
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
