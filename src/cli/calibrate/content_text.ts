import { plural } from "../../base/format.ts";
import type { CallContent, CountedDifference } from "../../calibrate/call_content.ts";
import type { CalibratedCall, Calibration } from "../../calibrate/calibration.ts";

/**
 * Makes text from a recording or a live response safe to print, and shortens it to `max`
 * characters.
 */
export type Show = (text: string, max?: number) => string;

type DifferingCall = CalibratedCall & { readonly content: CallContent };

/**
 * Reports which lists are empty only in live responses, and which calls returned content that
 * differs from the recording. With `explain`, also shows each difference.
 */
export function contentLines({ calls }: Calibration, show: Show, explain: boolean): string[] {
  const differing = calls.filter(isDiffering);
  if (differing.length === 0) return [];
  const emptied = differing.flatMap((call) => emptyLists(call).map((one) => ({ call, one })));
  const numbers = differing.map(({ index }) => index + 1).join(", ");
  const count = `${plural(differing.length, "call")} with content that differs from the recording`;
  return [
    ...(emptied.length === 0 ? [] : [
      `Warning: lists that are empty, but have items in the recording (${emptied.length})`,
      ...emptied.map(({ call, one }) => `  ${differenceText(call, one, show)}`),
      "",
    ]),
    ...(explain
      ? ["Content that differs from the recording", ...differing.flatMap((c) => detail(c, show))]
      : [`${count}: ${numbers} (\`--explain\` lists the differences)`]),
    "",
  ];
}

/**
 * Returns text to append to a result: how many calls returned an empty list instead of a list with
 * items. Returns an empty string if no call did.
 */
export function emptyListsText({ calls }: Pick<Calibration, "calls">): string {
  const { length } = calls.filter((call) => isDiffering(call) && emptyLists(call).length > 0);
  if (length === 0) return "";
  return `; ${plural(length, "call")} returned an empty list that has items in the recording`;
}

/** Describes a content difference, such as `recorded "open", live "closed" (2 of 4 responses)`. */
function valuesText(
  { recorded, live, responses }: CountedDifference,
  { responses: all }: CallContent,
  show: Show,
): string {
  const quoted = (text: string) => text === "" ? "nothing" : JSON.stringify(show(text, 100));
  return `recorded ${quoted(recorded)}, live ${quoted(live)} (${responses} of ` +
    `${plural(all, "response")})`;
}

function isDiffering(call: CalibratedCall): call is DifferingCall {
  return call.content !== undefined;
}

function emptyLists({ content }: DifferingCall): CountedDifference[] {
  return content.differences.filter(({ kind }) => kind === "empty list");
}

function detail(call: DifferingCall, show: Show): string[] {
  const { differences, more } = call.content;
  return [
    ...differences.map((one) => `  ${differenceText(call, one, show)}`),
    ...(more > 0 ? [`  call ${call.index + 1}: ${more} more`] : []),
  ];
}

function differenceText(call: DifferingCall, one: CountedDifference, show: Show): string {
  const place = show(one.place, 80);
  return `call ${call.index + 1} ${show(call.name, 40)}: ${place}: ` +
    valuesText(one, call.content, show);
}
