import { safeSnippet } from "../../../base/safe_text.ts";
import { type Markup, markup } from "../markup.ts";

/** Maximum length of a shown text, in characters. Tokens can have thousands. */
const LONGEST = 240;

/** Formats recorded text as code and shortens it to `max` characters. */
export function code(text: string, max: number = LONGEST): Markup {
  return markup`<code>${safeSnippet(text, max)}</code>`;
}
