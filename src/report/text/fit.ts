import { safeSnippet } from "../../base/safe_text.ts";
import { cutToWidth } from "../../base/text_width.ts";

/** Makes recorded text safe and cuts it to `columns` of a terminal. */
export function fit(text: string, columns: number): string {
  return cutToWidth(safeSnippet(text, columns), columns);
}
