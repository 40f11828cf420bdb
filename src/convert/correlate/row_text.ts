import { random } from "../../base/random.ts";
import { compileNow } from "../../extract/compile_now.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import { escapeRegex } from "./sources/boundary_expression.ts";
import type { Candidate, Located } from "./sources/source_search.ts";
import type { TypedNames } from "./sources/typed_names.ts";

/** A row of a list in markup. Offsets are in UTF-16 units; `end` is exclusive. */
interface Row {
  readonly start: number;
  readonly end: number;
}

/** Matches the start of an element that can be a row of a list. */
const ROW = /<(tr|li|option|article)\b/gi;
/** Maximum length of a row in UTF-16 units. */
const LONGEST_ROW = 10_000;
/** Maximum length of the text before a value in its row that the expression contains. */
const LONGEST_CONTEXT = 40;

/** Maximum length of a text after a name, in the same element. */
const LONGEST_END = 40;

/**
 * Returns the candidate with an extractor that finds a row of a list by the text that the user typed,
 * such as the title of the object, and not by its position. Other users' rows can then precede it.
 * Returns the candidate unchanged if its row contains no such text, or if other rows contain it too.
 */
export function withRowText(candidate: Candidate, typed: TypedNames): Candidate {
  const { source, producer, value } = candidate;
  const { response } = producer.exchange;
  if (source !== "html" || typed.size === 0 || !/html|xml/.test(response.mimeType)) {
    return candidate;
  }
  // The getter decodes the body.
  const { text } = response;
  if (text === undefined) return candidate;
  const located = candidate.locate();
  const at = valueOffset(text, located, value);
  const row = at === undefined ? undefined : rowAround(text, at);
  if (at === undefined || row === undefined) return candidate;
  const within = text.slice(row.start, row.end);
  for (const [name, order] of typed) {
    if (order >= producer.order) continue;
    const shown = shownName(name, within);
    if (shown === undefined || text.split(shown).length !== within.split(shown).length) continue;
    const found = byName(text, row, at, value, shown);
    if (found !== undefined && returns(producer, found, value)) {
      const { transform } = located as { readonly transform?: Located["transform"] };
      const stable = { ...found, ...(transform && { transform }) } as Located;
      return { ...candidate, locate: () => stable };
    }
  }
  return candidate;
}

/** Returns the offset of the value that an extractor finds by the text around it. */
function valueOffset(text: string, located: Located, value: string): number | undefined {
  if (located.type === "boundary") {
    const at = text.indexOf(located.left) + located.left.length;
    return text.startsWith(value, at) ? at : undefined;
  }
  if (located.type !== "regex") return undefined;
  const match = new RegExp(located.expression, "d").exec(text);
  return match?.[1] === value ? match.indices?.[1]?.[0] : undefined;
}

/** Returns the row that contains an offset, up to the start or the end of the next row. */
function rowAround(text: string, at: number): Row | undefined {
  const from = Math.max(0, at - LONGEST_ROW);
  const before = text.slice(from, at);
  const last = [...before.matchAll(ROW)].at(-1);
  if (last === undefined) return undefined;
  const edge = new RegExp(`<\\/?${last[1]}\\b`, "gi");
  if (before.slice(last.index + 1).search(edge) >= 0) return undefined;
  const length = text.slice(at, at + LONGEST_ROW).search(edge);
  return length < 0 ? undefined : { start: from + last.index, end: at + length };
}

/** Returns a name as a row contains it, with the characters around it, if it fills an element or an attribute. */
function shownName(name: string, row: string): string | undefined {
  const escaped = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  for (const form of new Set([name, escaped])) {
    const pattern = new RegExp(`[>"']\\s*${escapeRegex(form)}\\s*[<"']`);
    const [shown] = pattern.exec(row) ?? [];
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/** Returns an extractor for a value of a row that also contains `name`. */
function byName(
  text: string,
  { start }: Row,
  at: number,
  value: string,
  name: string,
): Located | undefined {
  const stop = text[at + value.length];
  if (stop === undefined || value.includes(stop)) return undefined;
  const context = text.slice(Math.max(start, at - LONGEST_CONTEXT), at);
  const left = escapeRegex(/[\w.-]*[^\w\s]*$/.exec(context)![0] || context);
  const group = `${left}([^${escapeRegex(stop)}]+)${escapeRegex(stop)}`;
  const isBefore = text.indexOf(name, start) < at;
  // Editing the plan may append text such as `${unique}` to the name.
  const pattern = `${escapeRegex(name.slice(0, -1))}[^<>"']{0,${LONGEST_END}}${
    escapeRegex(name.slice(-1))
  }`;
  const expression = isBefore
    ? `${pattern}[\\s\\S]*?${group}`
    : `[\\s\\S]*${group}[\\s\\S]*?${pattern}`;
  return { type: "regex", expression };
}

function returns({ exchange }: RecordedCall, located: Located, value: string): boolean {
  return compileNow(located)(new RecordedView(exchange.response), random(1)) === value;
}
