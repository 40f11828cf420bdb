import { decodePercent } from "../../base/string_escapes.ts";
import { utf8Text } from "../../base/utf8.ts";

/**
 * A percent-decoded string, and the offset of each of its UTF-16 code units in the encoded string.
 */
export interface Decoded {
  readonly value: string;
  /**
   * Offsets in the encoded string: one for each UTF-16 code unit of `value`, and one for its end.
   */
  readonly offsets: readonly number[];
}

/**
 * Decodes percent-encoded text, including `+` as a space if `plus` is true. Returns undefined if
 * `text` contains nothing to decode or is not valid percent-encoded UTF-8.
 */
export function percentDecode(text: string, plus: boolean): Decoded | undefined {
  if (!text.includes("%") && !(plus && text.includes("+"))) return undefined;
  let value = "";
  const offsets: number[] = [];
  for (let at = 0; at < text.length;) {
    const run = /^(?:%[0-9A-Fa-f]{2})+/.exec(text.slice(at, at + 12));
    if (run === null) {
      if (text[at] === "%") return undefined;
      value += plus && text[at] === "+" ? " " : text[at];
      offsets.push(at++);
      continue;
    }
    const character = firstCharacter(run[0]);
    if (character === undefined) return undefined;
    for (let i = 0; i < character.text.length; i++) offsets.push(at);
    value += character.text;
    at += character.bytes * 3;
  }
  offsets.push(text.length);
  return { value, offsets };
}

/**
 * Decodes percent-encoded text, including `+` as a space if `plus` is true. Returns `text` itself
 * if it contains nothing to decode or is not valid percent-encoded UTF-8.
 */
export function percentDecodedText(text: string, plus: boolean): string {
  const spaced = plus ? text.replaceAll("+", " ") : text;
  if (!text.includes("%")) return spaced;
  return decodePercent(spaced) ?? text;
}

/**
 * Decodes the first UTF-8 character in a sequence of `%XX` escapes. Returns the character and the
 * length of its UTF-8 encoding in bytes, or undefined if the encoding is invalid.
 */
function firstCharacter(run: string): { text: string; bytes: number } | undefined {
  const first = parseInt(run.slice(1, 3), 16);
  if (first < 0x80) return { text: String.fromCharCode(first), bytes: 1 };
  const bytes = Uint8Array.from(run.slice(1).split("%"), (hex) => parseInt(hex, 16));
  const lead = bytes[0];
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes.length < length) return undefined;
  const text = utf8Text(bytes.subarray(0, length));
  return text === undefined ? undefined : { text, bytes: length };
}
