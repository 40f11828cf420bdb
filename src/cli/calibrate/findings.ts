import { formatMs, plural } from "../../base/format.ts";
import type {
  CalibratedCall,
  Calibration,
  CallContent,
  CountedDifference,
} from "../../calibrate/calibration.ts";
import type { NeededPause } from "../../calibrate/pause_trial.ts";
import type { ExtractedRepair, NewVariable } from "../../calibrate/trial.ts";
import type { VariableUses } from "../../calibrate/draft.ts";
import type { Rating } from "../../report/html/review.ts";

/**
 * Makes text from a recording or a live response safe to print, and shortens it to `max`
 * characters.
 */
export type Show = (text: string, max?: number) => string;

/** Maximum width of a call's name. */
export const NAME_WIDTH = 40;

/** Findings of one kind: a section of the text, and notes of the review page. */
export interface Findings {
  /** Title of the section. */
  readonly title: string;
  /** Kind of the notes. Absent if the page shows the findings elsewhere. */
  readonly kind?: string;
  readonly rating: Rating;
  /** True if readers need the findings to judge the plan, so that the text always lists them. */
  readonly isNeeded: boolean;
  readonly items: readonly (readonly [subject: string, message: string])[];
}

/**
 * Lists what a calibration found out, apart from its verdicts. `nameOf` returns the name of the
 * call with a zero-based index.
 */
export function listFindings(
  found: Calibration,
  show: Show,
  nameOf: (index: number) => string,
): Findings[] {
  const { rateLimit, socketFailure } = found;
  const needed = (kind: string, rating: Rating, title: string, items: Findings["items"]) => (
    { title, kind, rating, isNeeded: true, items }
  );
  const other = (
    title: string,
    items: Findings["items"],
    kind?: string,
    rating: Rating = "open",
  ) => (
    { title, ...(kind !== undefined && { kind }), rating, isNeeded: false, items }
  );
  const pauseOf = (pause: NeededPause) =>
    [
      nameOf(pause.index),
      `${formatMs(pause.ms)}; without it: ${withoutPause(pause, show)}`,
    ] as const;
  return [
    needed(
      "not sent",
      "bad",
      "Recorded writes that the plan does not send",
      found.missing.map(({ entry, name }) => [`entry ${entry}`, show(name, NAME_WIDTH)]),
    ),
    needed(
      "WebSocket failed",
      "bad",
      "WebSockets that failed",
      (socketFailure?.errors ?? []).map((error) => [
        `${socketFailure!.failed} of ${socketFailure!.sessions} in ${socketFailure!.round}`,
        show(error, 160),
      ]),
    ),
    needed(
      "conflict of users",
      "open",
      "Calls that two users cannot send at the same time",
      found.conflicts.map(({ index, user, iteration, differences }) => [
        `${nameOf(index)} (user ${user}, iteration ${iteration})`,
        differences.map((one) => show(one, 120)).join("; "),
      ]),
    ),
    needed(
      "pause added as a precaution",
      "open",
      "Recorded pauses added as a precaution",
      found.possiblePauses.map(pauseOf),
    ),
    needed(
      "rate limit",
      "open",
      "Rate limit of the server",
      rateLimit === undefined ? [] : [[
        `${plural(rateLimit.responses, "response")} with status ${rateLimit.statuses.join(" or ")}`,
        rateLimitText(rateLimit),
      ]],
    ),
    other("Values that the server generates", [
      ...found.extracted.map((one) => extractionText(one, `call ${one.source + 1}`, show)),
      ...found.received.map((one) =>
        extractionText(one, `a message on ${show(one.socket, 60)}`, show)
      ),
    ]),
    other(
      "Strings that must be unique",
      found.unique.map(({ recorded, template, source }) => [
        nameOf(source),
        `${show(recorded, 60)} is now ${show(template, 80)}`,
      ]),
    ),
    other(
      "Requests moved before others",
      found.moved.map(({ index, before, ms }) => [
        nameOf(index),
        `before ${nameOf(before)}, because the browser sent it ${
          formatMs(Math.round(ms))
        } later, ` +
        "before the response changed a cookie",
      ]),
      "request moved",
      "good",
    ),
    other(
      "Calls that need their recorded pause",
      found.pauses.map(pauseOf),
      "pause added",
      "good",
    ),
    other(
      "Variables removed",
      found.removed.map(({ variable, source, reason }) => [
        nameOf(source),
        `\${${variable}}: ${show(reason, 120)}`,
      ]),
      "variable removed",
    ),
    other(
      "Constant variables, which you can remove",
      found.constants.map(({ variable, value, source }) => [
        nameOf(source),
        `\${${variable}} is always ${show(value, 60)}`,
      ]),
    ),
    other(
      "WebSocket messages that differ from the recorded ones",
      found.messages.flatMap(({ name, received, asRecorded, differences }) =>
        differences.map((one) =>
          [
            `${show(name, NAME_WIDTH)} (${received - asRecorded} of ${
              plural(received, "message")
            })`,
            show(one, 160),
          ] as const
        )
      ),
      "message differs",
    ),
    other(
      "Not compared with the recording",
      found.uncompared.map(({ index, name, what, senders = [] }) => [
        index === undefined ? show(name, NAME_WIDTH) : nameOf(index),
        what + sendersText(senders),
      ]),
      "not compared",
    ),
  ];
}

/** Describes what goes wrong if the plan omits a pause that a call needs. */
function withoutPause({ differences }: NeededPause, show: Show): string {
  return differences.length === 0
    ? "an extractor found no value"
    : differences.map((one) => show(one, 120)).join("; ");
}

/** Describes which requests a server limited, how long a calibration waited, and what to do. */
function rateLimitText(
  { calls, sockets, waitedMs, longestMs }: NonNullable<Calibration["rateLimit"]>,
): string {
  const sent = [
    ...(calls.length === 0 ? [] : [callNumbers(calls)]),
    ...(sockets === 0 ? [] : ["requests that open WebSockets"]),
  ].join(" and ");
  return `waited ${formatMs(waitedMs)} in total, at most ${formatMs(longestMs)} before one ` +
    `request; rate-limited: ${sent}; a run does not wait: add \`pacing\` to the scenario, or a ` +
    "`think_time` before these requests (`convert --think-time` adds the recorded pauses)";
}

function callNumbers(indexes: readonly number[]): string {
  const numbers = indexes.map((index) => index + 1).join(", ");
  return `${indexes.length === 1 ? "call" : "calls"} ${numbers}`;
}

/** Describes a value that the plan now extracts from `source`, a response or a message. */
function extractionText(
  { variable, recorded, live, extractor: { name: _, ...extractor }, ...rest }:
    & NewVariable
    & VariableUses
    & Pick<ExtractedRepair, "isRestored">,
  source: string,
  show: Show,
): readonly [string, string] {
  const { consumers, messages, isRestored } = rest;
  const used = [
    ...(consumers.length === 0 ? [] : [callNumbers(consumers)]),
    ...(messages === 0 ? [] : [plural(messages, "WebSocket message")]),
  ].join(" and ");
  const message = `recorded ${show(recorded, 40)}, live ${show(live, 40)}; from ${source} ` +
    `(${show(JSON.stringify(extractor), 160)}), sent by ${used}` +
    (isRestored ? "; found in the live body, because the recorded one is missing" : "");
  return [`\${${variable}}`, message];
}

/** Returns the end of a sentence that lists the calls that send values of a missing body. */
function sendersText(senders: readonly number[]): string {
  if (senders.length === 0) return "";
  return senders.length === 1
    ? `; ${callNumbers(senders)} sends a recorded value that it may have contained`
    : `; ${callNumbers(senders)} send recorded values that it may have contained`;
}

type DifferingCall = CalibratedCall & { readonly content: CallContent };

/** Calls whose content differs from the recording, and how. */
export interface ContentFindings {
  /** Lists that are empty, but have items in the recording. */
  readonly emptied: readonly string[];
  /** Differences that are the same in several calls. */
  readonly common: readonly string[];
  readonly others: readonly string[];
  /** One-based numbers of the calls in which the other differences were found. */
  readonly calls: readonly number[];
}

/** Minimum number of calls in which a difference is common. */
const COMMON = 3;

/** Lists the differences in content, which do not affect the verdicts. */
export function contentFindings(calls: readonly CalibratedCall[], show: Show): ContentFindings {
  const differing = calls.filter((call): call is DifferingCall => call.content !== undefined);
  const all = differing.flatMap((call) => call.content.differences.map((one) => ({ call, one })));
  const key = ({ kind, place, recorded, live }: CountedDifference) =>
    JSON.stringify([kind, place, recorded, live]);
  const isEmptied = ({ one }: typeof all[number]) => one.kind === "empty list";
  const common = [
    ...Map.groupBy(all.filter((found) => !isEmptied(found)), ({ one }) => key(one)).values(),
  ].filter(({ length }) => length >= COMMON);
  const shared = new Set(common.map(([{ one }]) => key(one)));
  const own = all.filter(({ one }) => !shared.has(key(one)));
  const text = ({ call, one }: typeof all[number]) =>
    `call ${call.index + 1} ${show(call.name, NAME_WIDTH)}: ${show(one.place, 80)}: ` +
    valuesText(one, call.content, show);
  return {
    emptied: all.filter(isEmptied).map(text),
    common: common.map((found) =>
      `${text(found[0])}; also in ${plural(found.length - 1, "other call")}`
    ),
    others: [
      ...own.map(text),
      ...differing.filter(({ content }) => content.more > 0)
        .map(({ index, content }) => `call ${index + 1}: ${content.more} more`),
    ],
    calls: differing.filter((call) =>
      call.content.more > 0 || own.some((found) => found.call === call)
    ).map(({ index }) => index + 1),
  };
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
