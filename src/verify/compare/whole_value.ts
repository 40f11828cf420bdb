import type { Exchange } from "../../traffic/har/recording.ts";
import { responseTexts, writtenForms } from "../recorded/response_texts.ts";

/**
 * Maximum length, in UTF-16 code units, of a request field that is searched for the complete value.
 */
const LONGEST = 8_192;

const SCHEME = /^[A-Za-z][\w-]* +(?=\S+$)/;
/** Matches text that is a single token, such as base64, and not a path or a URL. */
const TOKEN = /^[\w+=.~|%-][\w+/=.~|%-]*$/;
const PART = /[^\s/?&=;,"'<>]+/g;

/**
 * Extends `part` to the complete value that contains it. `text` is the text of one field of a
 * request. Tries `text`, `text` without a scheme such as `Bearer`, and the pieces of `text` between
 * delimiters. Returns the first one that contains `part` and that the response of `holder` contains
 * in any encoding. If no piece meets both conditions, returns `part`. If `holder` is undefined,
 * returns `text` if it is a single token, and otherwise `part`.
 */
export function wholeValue(text: string, part: string, holder: Exchange | undefined): string {
  if (text === part || text.length > LONGEST) return part;
  if (holder === undefined) return TOKEN.test(text) ? text : part;
  const candidates = [text, text.replace(SCHEME, "")];
  for (const [piece] of text.matchAll(PART)) if (piece.includes(part)) candidates.push(piece);
  const texts = responseTexts(holder);
  const isHeld = (candidate: string) =>
    texts.some((held) => [...writtenForms(candidate)].some((form) => held.includes(form)));
  return candidates.find((candidate) => candidate.includes(part) && isHeld(candidate)) ?? part;
}
