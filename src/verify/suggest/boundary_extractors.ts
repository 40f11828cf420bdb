import type { Exchange } from "../../traffic/har/recording.ts";
import { generatedValues } from "../values/generated_values.ts";
import type { Proposal } from "./proposal.ts";

/** Maximum length of a left boundary, in UTF-16 code units. */
const LONGEST_LEFT = 120;
const KEY = /([A-Za-z_][\w-]*)["'\]\\]*\s*[:=]?[\s"'=(\\]*$/;

/**
 * Proposes a boundary extractor for each of the first five occurrences of a value in the response
 * text. The left boundary is the shortest text that starts with a word, ends at the value and
 * occurs only once in the response. It must not contain values that a server could have generated.
 * The right boundary is the character after the value.
 */
export function* boundaryExtractors(value: string, { response }: Exchange): Generator<Proposal> {
  const text = response.text ?? "";
  const forms = [
    { written: value, transform: undefined },
    { written: JSON.stringify(value).slice(1, -1), transform: ["json_decode"] as const },
    { written: value.replaceAll("/", "\\/"), transform: ["json_decode"] as const },
    { written: encodeURIComponent(value.toWellFormed()), transform: ["url_decode"] as const },
    { written: value.replaceAll("&", "&amp;"), transform: ["html_decode"] as const },
  ];
  for (const { written, transform } of forms) {
    if (transform !== undefined && written === value) continue;
    for (let at = text.indexOf(written), n = 0; at >= 0 && n < 5; n++) {
      const extractor = boundaryAt(text, at, at + written.length);
      if (extractor !== undefined) {
        const { left } = extractor;
        const name = left.endsWith("/") ? "id" : KEY.exec(left)?.[1] ?? "";
        yield {
          name,
          extractor: transform ? { ...extractor, transform: [...transform] } : extractor,
        };
      }
      at = text.indexOf(written, at + written.length);
    }
  }
}

/**
 * Returns a boundary extractor for `text[start, end)`. Returns undefined if no left boundary of
 * limited length is both unique in `text` and free of generated values, or if nothing follows the
 * value.
 */
export function boundaryAt(
  text: string,
  start: number,
  end: number,
): { type: "boundary"; left: string; right: string } | undefined {
  const right = text.slice(end, end + 1);
  const left = right === "" ? undefined : leftBoundary(text, start);
  return left === undefined ? undefined : { type: "boundary", left, right };
}

function leftBoundary(text: string, start: number): string | undefined {
  for (let from = wordBefore(text, start); start - from <= LONGEST_LEFT;) {
    const left = text.slice(from, start);
    if (generatedValues(left).length > 0) return undefined;
    if (text.indexOf(left) === from && text.indexOf(left, from + 1) < 0) return left;
    if (from === 0) return undefined;
    from = wordBefore(text, from);
  }
  return undefined;
}

/** Returns the start of the last word in `text` that ends at or before `end`. */
function wordBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && !/\w/.test(text[at - 1])) at--;
  while (at > 0 && /\w/.test(text[at - 1])) at--;
  return at;
}
