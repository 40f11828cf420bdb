import { isMap } from "../../base/exact_number.ts";
import { type ComparedResponse, readBody } from "./compared_response.ts";
import { withoutValues } from "./value_free_text.ts";
import { markupTexts, type VisibleText } from "./visible_texts.ts";

const REFUSAL =
  /\b(?:expired|invalid|denied|forbidden|refused|rejected|not allowed|not permitted|unauthori[sz]ed|incorrect|mismatch|already (?:exists|taken|in use|been)|must be unique|try again|too many|failed)\b/i;
/** Maximum length, in UTF-16 code units, of the text that `findRefusalText` returns. */
const LONGEST = 200;

/**
 * Returns the first visible text in a live response that looks like a refusal and that no recorded
 * response to the call contains. Such text contains a word such as `expired`, `invalid` or
 * `denied`, or the class of its element or the name of its JSON member indicates an error. Returns
 * undefined if there is no such text. The text may contain anything that the server sent.
 */
export function findRefusalText(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
): string | undefined {
  const seen = new Set(recorded.flatMap(visibleTexts).map(({ text }) => withoutValues(text)));
  return visibleTexts(live).find(({ text, inError }) =>
    (inError || REFUSAL.test(text)) && !seen.has(withoutValues(text))
  )?.text.slice(0, LONGEST);
}

type ReadText = Pick<VisibleText, "text" | "inError">;

function visibleTexts(response: ComparedResponse): ReadText[] {
  const body = readBody(response);
  if (body === undefined) return [];
  if (body.form === "json") return jsonTexts(body.json);
  if (body.form !== "text") return markupTexts(body.text, body.form === "xml");
  return body.text.length > 2_000 ? [] : [{ text: body.text.trim(), inError: false }];
}

function jsonTexts(json: unknown): ReadText[] {
  const texts: ReadText[] = [];
  // An explicit stack: JSON may be nested too deeply for recursion.
  const stack: (readonly [name: string, value: unknown])[] = [["", json]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [name, value] = top;
    if (typeof value === "string") {
      texts.push({ text: value, inError: /^(?:errors?|error_?description)$/i.test(name) });
    } else if (Array.isArray(value) || isMap(value)) {
      for (const member of Object.entries(value).reverse()) stack.push(member);
    }
  }
  return texts;
}
