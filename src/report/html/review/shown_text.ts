import { safeSnippet } from "../../../base/safe_text.ts";
import { type Markup, markup } from "../markup.ts";

/**
 * Default maximum length of recorded text on the page, in characters. Longer text, such as a token,
 * is shortened.
 */
const LONGEST = 240;

/** Formats recorded text as code and shortens it to `max` characters. */
export function code(text: string, max: number = LONGEST): Markup {
  return markup`<code>${safeSnippet(text, max)}</code>`;
}
