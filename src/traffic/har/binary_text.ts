import { isText } from "./media_type.ts";

// deno-lint-ignore no-control-regex -- these characters distinguish bytes from text
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\ufffd]/;

/**
 * Reports whether a recorder stored bytes in this text: it contains lone surrogates, or control or
 * replacement characters although its media type is not textual.
 */
export function isBinary(text: string, essence: string): boolean {
  return !text.isWellFormed() || (CONTROL.test(text) && !isText(essence));
}

/**
 * Returns the bytes that a recorder stored as text. mitmproxy escapes each byte that is not UTF-8 as a
 * lone surrogate U+DC80 to U+DCFF; Firefox and Chrome write one character for each byte.
 */
export function bytesOfText(text: string): Uint8Array {
  if (!/[^\p{ASCII}\u0080-\u00ff]/u.test(text)) {
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
  }
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (code >= 0xdc80 && code <= 0xdcff) bytes[length++] = code & 0xff;
    else length += encoder.encodeInto(char, bytes.subarray(length)).written;
  }
  return bytes.subarray(0, length);
}
