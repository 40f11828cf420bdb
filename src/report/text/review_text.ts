import { plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { listSection, type Section } from "../blocks.ts";
import type { Review, ReviewDifference, ReviewNote, ReviewValue } from "../html/review.ts";
import { printText, style } from "./print_blocks.ts";

/** Maximum number of entries per section, so that the text fits on one screen. */
const MAX_ENTRIES = 6;

/**
 * Formats a review as text: the result, then what is bad and, with `explain`, everything else.
 * Recorded text is escaped.
 */
export function reviewText(review: Review, explain: boolean): string {
  const { verdict, facts, values, differences, notes } = review;
  const isShown = ({ rating }: ReviewValue | ReviewNote) => explain || rating === "bad";
  const different = Map.groupBy(
    differences,
    ({ what, recorded, actual }) => JSON.stringify([what, recorded, actual]),
  );
  const sections = [
    ...lists(values.filter(isShown), ({ result }) => `${result} values`, valueLines),
    list("Calls that differ", [...different.values()].map(differenceLine)),
    ...lists(notes.filter(isShown), ({ kind }) => kind, noteLine),
  ];
  const listed = printText(sections, style(false, Infinity)).join("\n").trimEnd();
  return [
    verdict,
    ...(listed === "" ? [] : ["", listed]),
    ...(explain ? ["", ...facts] : []),
    "",
  ].join("\n");
}

function lists<Item>(
  items: readonly Item[],
  titleOf: (item: Item) => string,
  line: (item: Item) => string,
): Section[] {
  return [...Map.groupBy(items, titleOf)].map(([title, items]) => list(title, items.map(line)));
}

function list(title: string, lines: readonly string[]): Section {
  const more = lines.length - MAX_ENTRIES;
  const rest = more > 0 ? [`(${more} more; \`--format json\` lists all)`] : [];
  const heading = title.charAt(0).toUpperCase() + title.slice(1);
  return listSection(`${heading} (${lines.length})`, [...lines.slice(0, MAX_ENTRIES), ...rest]);
}

function valueLines({ recorded = "", to, from, reason, fix, count }: ReviewValue): string {
  const [first, ...rest] = to;
  const more = rest.length > 0 ? `, and ${plural(rest.length, "more place")}` : "";
  const place = first.place === undefined ? "" : `${shown(first.place, 40)} of `;
  const source = from === undefined || reason?.includes(from.call) ? undefined : from.call;
  const why = [
    reason && shown(reason, 120),
    source && `source: ${shown(source)}`,
    fix && shown(fix, 240),
  ].filter(Boolean);
  return [
    `${quoted(recorded, 48)} in ${place}${shown(first.call)}${more}${times(count)}`,
    `  ${why.join("; ")}`,
  ].join("\n  ");
}

function differenceLine(calls: readonly ReviewDifference[]): string {
  const [{ call, what, recorded, actual }] = calls;
  const more = calls.length > 1 ? ` and ${plural(calls.length - 1, "more call")}` : "";
  const count = calls.reduce((sum, { count = 1 }) => sum + count, 0);
  const was = recorded === undefined ? "not recorded" : `recorded ${quoted(recorded, 40)}`;
  const is = actual === undefined ? "not sent" : `sent ${quoted(actual, 40)}`;
  return `${shown(call)}${more}: ${shown(what, 40)}: ${was}, ${is}${times(count)}`;
}

function noteLine({ subject, message }: ReviewNote): string {
  return `${shown(subject, 100)}: ${shown(message, 120)}`;
}

function times(count = 1): string {
  return count > 1 ? `, ${count} times` : "";
}

function shown(text: string, max = 60): string {
  return safeSnippet(text, max);
}

function quoted(text: string, max: number): string {
  return `"${safeSnippet(text, max)}"`;
}
