import { formatMs, plural } from "../../base/format.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
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

/** A finding: a line of the text, and a note of the review page. */
export type Finding = readonly [subject: string, message: string];

/** Findings of one kind: a section of the text, and notes of the review page. */
export interface Findings {
  /** Title of the section. */
  readonly title: string;
  /** Kind of the notes. Absent if the page shows the findings elsewhere. */
  readonly kind?: string;
  readonly rating: Rating;
  /** True if readers need the findings to judge the plan, so that the text always lists them. */
  readonly isNeeded: boolean;
  readonly items: readonly Finding[];
}

/** Returns the name of the call with a zero-based index. */
export type NameOf = (index: number) => string;

/** Lists what a calibration found out, apart from its verdicts. */
export function listFindings(found: Calibration, show: Show, nameOf: NameOf): Findings[] {
  return [
    ...listProblems(found, show, nameOf),
    ...listRepairs(found, show, nameOf),
    ...listOpenQuestions(found, show, nameOf),
  ];
}

/** Lists what can make a run of the plan fail, or go wrong without a failure. */
function listProblems(found: Calibration, show: Show, nameOf: NameOf): Findings[] {
  return [
    {
      title: "Recorded writes that the plan does not send",
      kind: "not sent",
      rating: "bad",
      isNeeded: true,
      items: found.missing.map(({ entry, name }) => [`entry ${entry}`, show(name, NAME_WIDTH)]),
    },
    {
      title: "WebSockets that failed",
      kind: "WebSocket failed",
      rating: "bad",
      isNeeded: true,
      items: socketItems(found, show),
    },
    {
      title: "Calls that two users cannot send at the same time",
      kind: "conflict of users",
      rating: "open",
      isNeeded: true,
      items: found.conflicts.map(({ index, user, iteration, differences }) => [
        `${nameOf(index)} (user ${user}, iteration ${iteration})`,
        differences.map((one) => show(one, 120)).join("; "),
      ]),
    },
    {
      title: "Recorded pauses added as a precaution",
      kind: "pause added as a precaution",
      rating: "open",
      isNeeded: true,
      items: found.possiblePauses.map((pause) => pauseItem(pause, show, nameOf)),
    },
    {
      title: "Rate limit of the server",
      kind: "rate limit",
      rating: "open",
      isNeeded: true,
      items: rateLimitItems(found),
    },
  ];
}

/** Lists what the calibration changed in the plan. */
function listRepairs(found: Calibration, show: Show, nameOf: NameOf): Findings[] {
  return [
    {
      title: "Values that the server generates",
      rating: "open",
      isNeeded: false,
      items: extractionItems(found, show),
    },
    {
      title: "Strings that must be unique",
      rating: "open",
      isNeeded: false,
      items: found.unique.map(({ recorded, template, source }) => [
        nameOf(source),
        `${show(recorded, 60)} is now ${show(template, 80)}`,
      ]),
    },
    {
      title: "Requests moved before others",
      kind: "request moved",
      rating: "good",
      isNeeded: false,
      items: found.moved.map(({ index, before, ms }) => [
        nameOf(index),
        `before ${nameOf(before)}, because the browser sent it ${
          formatMs(Math.round(ms))
        } later, ` +
        "before the response changed a cookie",
      ]),
    },
    {
      title: "Calls that need their recorded pause",
      kind: "pause added",
      rating: "good",
      isNeeded: false,
      items: found.pauses.map((pause) => pauseItem(pause, show, nameOf)),
    },
    {
      title: "Variables removed",
      kind: "variable removed",
      rating: "open",
      isNeeded: false,
      items: found.removed.map(({ variable, source, reason }) => [
        nameOf(source),
        `\${${variable}}: ${show(reason, 120)}`,
      ]),
    },
  ];
}

/** Lists what the calibration leaves for you to decide. */
function listOpenQuestions(found: Calibration, show: Show, nameOf: NameOf): Findings[] {
  return [
    {
      title: "Constant variables, which you can remove",
      rating: "open",
      isNeeded: false,
      items: found.constants.map(({ variable, value, source }) => [
        nameOf(source),
        `\${${variable}} is always ${show(value, 60)}`,
      ]),
    },
    {
      title: "WebSocket messages that differ from the recorded ones",
      kind: "message differs",
      rating: "open",
      isNeeded: false,
      items: found.messages.flatMap((messages) => messageItems(messages, show)),
    },
    {
      title: "Not compared with the recording",
      kind: "not compared",
      rating: "open",
      isNeeded: false,
      items: found.uncompared.map(({ index, name, what, senders = [] }) => [
        index === undefined ? show(name, NAME_WIDTH) : nameOf(index),
        what + sendersText(senders),
      ]),
    },
  ];
}

function socketItems({ socketFailure }: Calibration, show: Show): Finding[] {
  if (socketFailure === undefined) return [];
  const { failed, sessions, round, errors } = socketFailure;
  return errors.map((error) => [`${failed} of ${sessions} in ${round}`, show(error, 160)]);
}

function messageItems(
  { name, received, asRecorded, differences }: Calibration["messages"][number],
  show: Show,
): Finding[] {
  const differing = `${received - asRecorded} of ${plural(received, "message")}`;
  return differences.map((one) => [`${show(name, NAME_WIDTH)} (${differing})`, show(one, 160)]);
}

function pauseItem(pause: NeededPause, show: Show, nameOf: NameOf): Finding {
  return [nameOf(pause.index), `${formatMs(pause.ms)}; without it: ${withoutPause(pause, show)}`];
}

/** Describes what goes wrong if the plan omits a pause that a call needs. */
function withoutPause({ differences }: NeededPause, show: Show): string {
  return differences.length === 0
    ? "an extractor found no value"
    : differences.map((one) => show(one, 120)).join("; ");
}

/** Describes which requests a server limited, how long a calibration waited, and what to do. */
function rateLimitItems({ rateLimit }: Calibration): Finding[] {
  if (rateLimit === undefined) return [];
  const { responses, statuses, calls, sockets, waitedMs, longestMs } = rateLimit;
  const sent = [
    ...(calls.length === 0 ? [] : [callNumbers(calls)]),
    ...(sockets === 0 ? [] : ["requests that open WebSockets"]),
  ].join(" and ");
  return [[
    `${plural(responses, "response")} with status ${statuses.join(" or ")}`,
    `waited ${formatMs(waitedMs)} in total, at most ${formatMs(longestMs)} before one ` +
    `request; rate-limited: ${sent}; a run does not wait: add \`pacing\` to the scenario, or a ` +
    "`think_time` before these requests (`convert --think-time` adds the recorded pauses)",
  ]];
}

function callNumbers(indexes: readonly number[]): string {
  const numbers = indexes.map((index) => index + 1).join(", ");
  return `${indexes.length === 1 ? "call" : "calls"} ${numbers}`;
}

function extractionItems({ extracted, received }: Calibration, show: Show): Finding[] {
  return [
    ...extracted.map((one) => extractionItem(one, `call ${one.source + 1}`, show)),
    ...received.map((one) => extractionItem(one, `a message on ${show(one.socket, 60)}`, show)),
  ];
}

/** Describes a value that the plan now extracts from `source`, a response or a message. */
function extractionItem(
  { variable, recorded, live, extractor: { name: _, ...extractor }, ...rest }:
    & NewVariable
    & VariableUses
    & Pick<ExtractedRepair, "isRestored">,
  source: string,
  show: Show,
): Finding {
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
