import { eastAsianWidth } from "get-east-asian-width";

// Combining marks, which have no width.
const ZERO_WIDTH = /\p{Mn}|\p{Me}/u;
// deno-lint-ignore no-control-regex -- matches the escape sequences of `style`
const STYLES = /\x1b\[\d*m/g;
const ASCII = /^[ -~]*$/;

/**
 * Returns the number of terminal columns that `text` occupies. ANSI color sequences do not count.
 */
export function textWidth(text: string): number {
  const plain = text.replace(STYLES, "");
  if (ASCII.test(plain)) return plain.length;
  let width = 0;
  for (const c of plain) width += charWidth(c);
  return width;
}

/**
 * Shortens text to at most `columns` terminal columns, including a final ellipsis. The text must
 * not contain color sequences.
 */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let cut = "";
  let width = 1;
  for (const c of text) {
    width += charWidth(c);
    if (width > columns) break;
    cut += c;
  }
  return columns < 1 ? "" : cut + "…";
}

function charWidth(c: string): number {
  if (c < "\u0300") return 1;
  return ZERO_WIDTH.test(c) ? 0 : eastAsianWidth(c.codePointAt(0)!);
}
