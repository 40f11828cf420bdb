import { safeSnippet } from "../../base/safe_text.ts";
import { cutToWidth } from "../../base/text_width.ts";

/** Recorded text made safe and cut to so many columns of a terminal. */
export function fit(text: string, columns: number): string {
  return cutToWidth(safeSnippet(text, columns), columns);
}
