import { FAILED, stateWord } from "../session/outcome_words.ts";
import { difference } from "./name_difference.ts";
import type { ResponseDifference } from "./response_difference.ts";
import { markupTexts } from "./visible_texts.ts";

const SCRIPT_START = /<script\b[^<>]*>/i;
const SCRIPT_END = /<\/script/i;
const SHORT_STRING = /(["'])([A-Za-z][A-Za-z _-]{1,20})\1/g;
const FAILURE: ReadonlySet<string> = new Set(FAILED);

/**
 * Compares pages that show no text and only run scripts, such as responses in a hidden frame. If
 * the live scripts contain a string that states a failure, such as `"error"`, and the recorded ones
 * do not, returns this difference.
 */
export function compareScripts(page: string, livePage: string): ResponseDifference[] {
  const known = failuresIn(page);
  const more = [...failuresIn(livePage)].filter((word) => !known.has(word));
  if (more.length === 0 || showsText(page) || showsText(livePage)) return [];
  return [difference("script", "", more.join(", "))];
}

function failuresIn(page: string): Set<string> {
  const scripts = page.split(SCRIPT_START).slice(1).map((rest) => rest.split(SCRIPT_END, 1)[0]);
  const words = scripts.flatMap((script) =>
    Array.from(script.matchAll(SHORT_STRING), ([, , text]) => text)
  );
  return new Set(words.filter((word) => FAILURE.has(stateWord(word))));
}

function showsText(page: string): boolean {
  return markupTexts(page, false).length > 0;
}
