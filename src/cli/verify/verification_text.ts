import { percentText, plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Difference, StaleValue, UnprovenValue } from "../../verify/compare/comparison.ts";
import type { Counted, PlanFault, Verification } from "../../verify/result/verification.ts";

/** Maximum number of entries per section, so that the text fits on one screen. */
const MAX_ENTRIES = 6;

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Formats the findings of a verification as text, with the result in the last line. Recorded text
 * is escaped.
 */
export function verificationText(found: Verification): string {
  const { stale, unproven, differing, neverMade, unknown, nothingFound, unsent } = found;
  const sections: Section[] = [
    { title: "Stale values", lines: byValue(stale).map(staleLines) },
    { title: "Extractors that found nothing", lines: nothingFound.map(faultLine) },
    { title: "Requests that could not be sent", lines: unsent.map(faultLine) },
    { title: "Unproven values", lines: byUnproven(unproven).map(unprovenLines) },
    { title: "Calls that differ", lines: differing.map(differenceLine) },
    {
      title: "Recorded calls not sent",
      lines: neverMade.map(({ call, count }) => shown(call, 100) + times(count)),
    },
    {
      title: "Requests that are not in the recording (status 404)",
      lines: unknown.map(({ method, url, count }) => shown(`${method} ${url}`, 100) + times(count)),
    },
  ];
  const text = sections.filter(({ lines }) => lines.length > 0).map(sectionText).join("");
  return `${text}${describeCalls(found)}\n${describeVerdict(found)}\n`;
}

function sectionText({ title, lines }: Section): string {
  const more = lines.length - MAX_ENTRIES;
  const rest = more > 0 ? [`(${more} more; \`--format json\` lists all)`] : [];
  const all = [...lines.slice(0, MAX_ENTRIES), ...rest];
  return `${title} (${lines.length})\n${all.map((line) => `  ${line}\n`).join("")}\n`;
}

/** Groups stale values by value and by reason. The values that were sent most often come first. */
function byValue(stale: readonly Counted<StaleValue>[]): Counted<StaleValue>[][] {
  const groups = Map.groupBy(stale, ({ value, why }) => JSON.stringify([value, why]));
  const sent = (places: Counted<StaleValue>[]) => places.reduce((sum, { count }) => sum + count, 0);
  return [...groups.values()].sort((a, b) => sent(b) - sent(a));
}

function staleLines(places: readonly Counted<StaleValue>[]): string {
  const [{ value, why, producer, place, call, count }] = places;
  const more = places.length > 1 ? `, and ${plural(places.length - 1, "more place")}` : "";
  return [
    `${quoted(value, 48)} was sent ${why}: ${shown(place, 40)} of ${shown(call)}${
      times(count)
    }${more}`,
    `  source: ${shown(producer)}; ${shown(describeFix(places[0]), 240)}`,
  ].join("\n  ");
}

/** Groups unproven values by value. Values that occur in a response come first. */
function byUnproven(values: readonly Counted<UnprovenValue>[]): Counted<UnprovenValue>[][] {
  const groups = Map.groupBy(values, ({ value }) => value);
  const isSeen = ([{ producer }]: Counted<UnprovenValue>[]) => producer !== undefined;
  return [...groups.values()].sort((a, b) => Number(isSeen(b)) - Number(isSeen(a)));
}

function unprovenLines(places: readonly Counted<UnprovenValue>[]): string {
  const [{ value, place, call }] = places;
  const more = places.length > 1 ? `, and ${plural(places.length - 1, "more place")}` : "";
  const count = places.reduce((sum, { count }) => sum + count, 0);
  return `${quoted(value, 48)} was sent as recorded: ${shown(place, 40)} of ${shown(call)}${more}${
    times(count)
  }: ${shown(describeOrigin(places[0]), 100)}`;
}

function differenceLine({ call, place, recorded, sent, count }: Counted<Difference>): string {
  const was = recorded === undefined ? "not recorded" : `recorded ${quoted(recorded, 40)}`;
  const is = sent === undefined ? "not sent" : `sent ${quoted(sent, 40)}`;
  return `${shown(call)}: ${shown(place, 40)}: ${was}, ${is}${times(count)}`;
}

function faultLine({ request, message, count }: Counted<PlanFault>): string {
  return `${shown(request)}: ${shown(message, 120)}${times(count)}`;
}

function times(count: number): string {
  return count > 1 ? `, ${count} times` : "";
}

function shown(text: string, max = 60): string {
  return safeSnippet(text, max);
}

function quoted(text: string, max: number): string {
  return `"${safeSnippet(text, max)}"`;
}

/** Formats the load of a verification, and its numbers of calls and requests, as one line. */
export function describeCalls(
  { users, iterations, recorded, sent, matched, share }: Verification,
): string {
  const load = `${plural(users, "user")}, ${plural(iterations, "iteration")} each`;
  return `${load}: ${plural(recorded, "recorded call")}, ${plural(sent, "request")} sent, ` +
    `${plural(matched, "request")} as recorded (${percentText(share, 1)})`;
}

/**
 * Formats the result of a verification as one line. The text never claims that the plan works,
 * because only a run against the live application can prove that.
 */
export function describeVerdict(found: Verification): string {
  const { verdict, stale, unproven, nothingFound, unsent, matched, share, isForeign } = found;
  if (verdict !== "failed") {
    const count = plural(countDistinctValues(unproven), "value");
    const words = verdict === "consistent"
      ? "nothing stale found: consistent with the recording"
      : `nothing stale found; ${count} unproven: the server could generate ${
        countDistinctValues(unproven) === 1 ? "a different one" : "different ones"
      } (see above)`;
    return share === 1 ? words : `${words}; not every request was as recorded (see above)`;
  }
  const faults = [
    isForeign &&
    "the recording does not seem to belong to the plan: it contains hardly any of the requests",
    stale.length > 0 && `${plural(countStaleValues(stale), "stale value")} would be sent`,
    nothingFound.length > 0 && "extractors find nothing",
    unsent.length > 0 && "requests cannot be sent",
    matched <= 0 && "no request was as recorded",
  ];
  return `failed: ${faults.filter((fault) => fault !== false).join(", ")}`;
}

/** Returns the number of distinct values in a list. */
export function countDistinctValues(list: readonly { readonly value: string }[]): number {
  return new Set(list.map(({ value }) => value)).size;
}

/** Describes the source of an unproven value. */
export function describeOrigin({ producer }: UnprovenValue): string {
  return producer === undefined
    ? "looks random, and no earlier response contains it"
    : `the response to ${producer} contains it`;
}

function countStaleValues(stale: readonly StaleValue[]): number {
  return new Set(stale.map(({ value, why }) => JSON.stringify([value, why]))).size;
}

/**
 * Describes how to fix a stale value: which extractor to add to the call that returns it, or which
 * header to remove.
 */
export function describeFix({ extractor, write }: StaleValue): string {
  if (extractor === undefined) return "remove the Cookie header: each user's cookie jar sends it";
  return `add \`extract: [${JSON.stringify(extractor)}]\` there and write \`${write}\``;
}
