import { isText } from "./media_type.ts";

// deno-lint-ignore no-control-regex -- these characters distinguish bytes from text
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\ufffd]/;

/**
 * Reports whether `text` is binary content that a recorder stored as a string: it contains lone
 * surrogates, or it contains control or replacement characters and its media type `essence` is not
 * textual.
 */
export function isBinary(text: string, essence: string): boolean {
  return !text.isWellFormed() || (CONTROL.test(text) && !isText(essence));
}

/**
 * Returns the original bytes of binary content that a recorder stored as a string. mitmproxy escapes
 * each byte that is not valid UTF-8 as a lone surrogate U+DC80 to U+DCFF. Firefox and Chrome write one
 * character per byte.
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
