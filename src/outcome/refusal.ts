import { isMap } from "../base/exact_number.ts";
import { type ComparedResponse, readBody } from "../correlation/compared_response.ts";
import { withoutValues } from "../correlation/value_free_text.ts";
import { markupTexts, type VisibleText } from "./visible_texts.ts";

const REFUSAL =
  /\b(?:expired|invalid|denied|forbidden|refused|rejected|not allowed|not permitted|unauthori[sz]ed|incorrect|mismatch|already (?:exists|taken|in use|been)|must be unique|try again|too many|failed)\b/i;
/** Maximum length, in UTF-16 code units, of the text that `findRefusalText` returns. */
const LONGEST = 200;

/**
 * Returns the first visible text in a live response that looks like a refusal and that no recorded
 * response to the call contains. Such text contains a word such as `expired`, `invalid` or
 * `denied`, or the class of its element or the name of its JSON member indicates an error. Prefers
 * text of several words to a code such as `csrf`. Returns undefined if there is no such text. The
 * text may contain anything that the server sent.
 */
export function findRefusalText(
  recorded: readonly ComparedResponse[],
  live: ComparedResponse,
): string | undefined {
  const seen = new Set(recorded.flatMap(visibleTexts).map(({ text }) => withoutValues(text)));
  const found = visibleTexts(live).filter(({ text, inError }) =>
    (inError || REFUSAL.test(text)) && !seen.has(withoutValues(text))
  );
  const best = found.find(({ text }) => /\S\s+\S/.test(text)) ?? found[0];
  return best?.text.slice(0, LONGEST);
}

/** A string in a body, and whether its place in the body indicates an error. */
export type ReadText = Pick<VisibleText, "text" | "inError">;

/**
 * Returns the strings in a JSON body, and the texts that any other body shows. Returns an empty
 * list for plain text of more than 2,000 UTF-16 code units.
 */
export function visibleTexts(response: ComparedResponse): ReadText[] {
  const body = readBody(response);
  if (body === undefined) return [];
  if (body.form === "json") return jsonTexts(body.json);
  if (body.form !== "text") return markupTexts(body.text, body.form === "xml");
  return body.text.length > 2_000 ? [] : [{ text: body.text.trim(), inError: false }];
}

/** Matches the name of a JSON member that contains an error. */
const ERROR = /^(?:errors?|error_?(?:code|message|description))$/i;
/** Matches the name of a JSON member that explains an error in a sibling member. */
const EXPLANATION = /^(?:message|msg|details?|description|reason)$/i;

/**
 * Returns all strings in a JSON value. Sets `inError` for strings in a member that contains an
 * error (see `ERROR`) or that explains such an error (see `EXPLANATION`).
 */
function jsonTexts(json: unknown): ReadText[] {
  const texts: ReadText[] = [];
  // An explicit stack: JSON may be nested too deeply for recursion.
  const stack: (readonly [inError: boolean, value: unknown])[] = [[false, json]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [inError, value] = top;
    if (typeof value === "string") texts.push({ text: value, inError });
    else if (Array.isArray(value)) {
      for (const item of value.toReversed()) stack.push([inError, item]);
    } else if (isMap(value)) {
      const members = Object.entries(value);
      const hasError = members.some(([name, one]) => ERROR.test(name) && Boolean(one));
      for (const [name, one] of members.toReversed()) {
        stack.push([
          inError || ERROR.test(name) || hasError && EXPLANATION.test(name),
          one,
        ]);
      }
    }
  }
  return texts;
}
