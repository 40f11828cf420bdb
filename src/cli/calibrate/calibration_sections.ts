import { formatMs, plural } from "../../base/format.ts";
import type { CallContent, CountedDifference } from "../../calibrate/calibration.ts";
import type {
  CalibratedCall,
  Calibration,
  ReportedExtraction,
} from "../../calibrate/calibration.ts";
import type { NeededPause } from "../../calibrate/pause_trial.ts";
import { type Block, listSection, type Section } from "../../report/blocks.ts";
import { NAME_WIDTH, type Show } from "./call_lines.ts";

type DifferingCall = CalibratedCall & { readonly content: CallContent };

/**
 * Reports which lists are empty only in live responses, and which calls returned content that
 * differs from the recording. With `explain`, also shows each difference.
 */
export function contentBlocks({ calls }: Calibration, show: Show, explain: boolean): Block[] {
  const all = calls.filter(isDiffering);
  if (all.length === 0) return [];
  const common = commonDifferences(all);
  const differing = all.map((call) => withoutCommon(call, common))
    .filter(({ content: { differences, more } }) => differences.length + more > 0);
  const emptied = differing.flatMap((call) => emptyLists(call).map((one) => ({ call, one })));
  const numbers = differing.map(({ index }) => index + 1).join(", ");
  const count = `${plural(differing.length, "call")} with content that differs from the recording`;
  return [
    listSection(
      `Warning: lists that are empty, but have items in the recording (${emptied.length})`,
      emptied.map(({ call, one }) => differenceText(call, one, show)),
    ),
    listSection(
      "The same difference in several calls",
      [...common.values()].map(([[call, one], ...others]) =>
        `${differenceText(call, one, show)}; also in ${plural(others.length, "other call")}`
      ),
    ),
    explain
      ? listSection(
        "Content that differs from the recording",
        differing.flatMap((call) => detail(call, show)),
      )
      : differing.length === 0
      ? { lines: [] }
      : { lines: [`${count}: ${numbers} (\`--explain\` lists the differences)`, ""] },
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

/** Minimum number of calls in which a difference is common. */
const COMMON = 3;

type FoundDifference = readonly [call: DifferingCall, difference: CountedDifference];

/** Returns the differences that are the same in at least `COMMON` calls, except empty lists. */
function commonDifferences(calls: readonly DifferingCall[]): Map<string, FoundDifference[]> {
  const found = calls.flatMap((call) =>
    call.content.differences.map((one): FoundDifference => [call, one])
  ).filter(([, { kind }]) => kind !== "empty list");
  return new Map(
    [...Map.groupBy(found, ([, one]) => keyOf(one))].filter(([, all]) => all.length >= COMMON),
  );
}

function keyOf({ kind, place, recorded, live }: CountedDifference): string {
  return JSON.stringify([kind, place, recorded, live]);
}

function withoutCommon(
  call: DifferingCall,
  common: ReadonlyMap<string, unknown>,
): DifferingCall {
  const differences = call.content.differences.filter((one) => !common.has(keyOf(one)));
  return { ...call, content: { ...call.content, differences } };
}

function emptyLists({ content }: DifferingCall): CountedDifference[] {
  return content.differences.filter(({ kind }) => kind === "empty list");
}

function detail(call: DifferingCall, show: Show): string[] {
  const { differences, more } = call.content;
  return [
    ...differences.map((one) => differenceText(call, one, show)),
    ...(more > 0 ? [`call ${call.index + 1}: ${more} more`] : []),
  ];
}

function differenceText(call: DifferingCall, one: CountedDifference, show: Show): string {
  const place = show(one.place, 80);
  return `call ${call.index + 1} ${show(call.name, 40)}: ${place}: ` +
    valuesText(one, call.content, show);
}

/** Lists the values that the plan now extracts. */
export function extractionSection({ extracted, received }: Calibration, show: Show): Section {
  const count = extracted.length + received.length;
  return listSection(`Values that the server generates (${count})`, [
    ...extracted.flatMap((one) => extractionText(one, `call ${one.source + 1}`, show)),
    ...received.flatMap((one) => extractionText(one, `a message on ${show(one.socket, 60)}`, show)),
  ]);
}

/**
 * Returns the report lines for a value that the plan now extracts. `source` describes the response
 * or the message that contains the value.
 */
function extractionText(
  { variable, recorded, live, extractor, consumers, messages, isRestored }: Omit<
    ReportedExtraction,
    "source"
  >,
  source: string,
  show: Show,
): string[] {
  const calls = consumers.length === 1 ? "call" : "calls";
  const used = [
    ...(consumers.length === 0
      ? []
      : [`${calls} ${consumers.map((index) => index + 1).join(", ")}`]),
    ...(messages === 0 ? [] : [plural(messages, "WebSocket message")]),
  ].join(" and ");
  return [
    `\${${variable}}: recorded ${show(recorded, 40)}, live ${show(live, 40)}`,
    `  from ${source} (${show(JSON.stringify(extractor), 160)}), sent by ${used}${
      isRestored ? "; found in the live body, because the recorded one is missing" : ""
    }`,
  ];
}

/** Lists the strings that the plan now makes unique. */
export function uniqueSection({ unique }: Calibration, show: Show): Section {
  const lines = unique.map(({ recorded, template, source }) =>
    `call ${source + 1}: ${show(recorded, 60)} is now ${show(template, 80)}`
  );
  return listSection(`Strings that must be unique (${unique.length})`, lines);
}

/** Lists the variables that were removed from the plan. */
export function removedSection({ removed }: Calibration, show: Show): Section {
  const lines = removed.map(({ variable, source, reason }) =>
    `\${${variable}} of call ${source + 1}: ${show(reason, 120)}`
  );
  return listSection(`Variables removed (${removed.length})`, lines);
}

/** Lists the variables whose value was always the same. */
export function constantSection({ constants }: Calibration, show: Show): Section {
  const lines = constants.map(({ variable, value, source }) =>
    `\${${variable}} of call ${source + 1} is always ${show(value, 60)}`
  );
  return listSection(`Constant variables, which you can remove (${constants.length})`, lines);
}

/**
 * Describes the server's rate limit: the number and statuses of the responses that reported it, the
 * requests that it affected, how long the calibration waited, and what to do.
 */
export function rateLimitSection({ rateLimit }: Calibration): Section {
  const { responses = 0, statuses = [] } = rateLimit ?? {};
  return listSection(
    `Rate limit of the server: ${plural(responses, "response")} with status ${
      statuses.join(" or ")
    }`,
    rateLimit === undefined ? [] : rateLimitDetails(rateLimit),
  );
}

/** Describes which requests a server limited, how long a calibration waited, and what to do. */
export function rateLimitDetails(
  { calls, sockets, waitedMs, longestMs }: NonNullable<Calibration["rateLimit"]>,
): string[] {
  const numbers = calls.map((index) => index + 1).join(", ");
  const sent = [
    ...(calls.length === 0 ? [] : [`${calls.length === 1 ? "call" : "calls"} ${numbers}`]),
    ...(sockets === 0 ? [] : ["requests that open WebSockets"]),
  ].join(" and ");
  return [
    `waited ${formatMs(waitedMs)} in total, at most ${formatMs(longestMs)} before one request; ` +
    `rate-limited: ${sent}`,
    "a run does not wait: add `pacing` to the scenario, or a `think_time` before these requests " +
    "(`convert --think-time` adds the recorded pauses)",
  ];
}

/** Lists the requests that the plan now sends earlier. */
export function movedSection({ moved, calls }: Calibration, show: Show): Section {
  const nameOf = (index: number) => {
    const name = calls.find((call) => call.index === index)?.name ?? "";
    return `call ${index + 1} (${show(name, NAME_WIDTH)})`;
  };
  const lines = moved.map(({ index, before, ms }) =>
    `${nameOf(index)} before ${nameOf(before)}: ${reasonToMove(ms)}`
  );
  return listSection(`Requests moved before others (${moved.length})`, lines);
}

/**
 * Explains why a request was moved before another request that the browser sent `ms` milliseconds
 * earlier.
 */
export function reasonToMove(ms: number): string {
  return `the browser sent it ${
    formatMs(Math.round(ms))
  } later, before the response changed a cookie`;
}

/** Lists recorded pauses that the plan keeps, under `title`. */
export function pauseSection(
  title: string,
  pauses: readonly NeededPause[],
  show: Show,
): Section {
  const lines = pauses.map((pause) =>
    `call ${pause.index + 1}: ${formatMs(pause.ms)}; without it: ${
      withoutPause(pause, (text) => show(text, 120))
    }`
  );
  return listSection(`${title} (${pauses.length})`, lines);
}

/** Describes what goes wrong if the plan omits a pause that a call needs. */
export function withoutPause({ differences }: NeededPause, show: (text: string) => string): string {
  return differences.length === 0
    ? "an extractor found no value"
    : differences.map(show).join("; ");
}

/** Lists the errors of the first round in which WebSockets failed unexpectedly. */
export function socketSection({ socketFailure }: Calibration, show: Show): Section {
  const { failed, sessions, round, errors = [] } = socketFailure ?? {};
  return listSection(
    `WebSockets that failed: ${failed} of ${sessions} in ${round}`,
    errors.map((error) => show(error, 160)),
  );
}

/** Lists the WebSockets whose received messages differ from the recorded ones. */
export function messageSection({ messages }: Calibration, show: Show): Section {
  const differing = messages.filter(({ received, asRecorded }) => asRecorded < received);
  const lines = differing.flatMap(({ name, received, asRecorded, differences }) => [
    `${show(name, NAME_WIDTH)}: ${received - asRecorded} of ${plural(received, "message")}`,
    ...differences.map((one) => `  ${show(one, 160)}`),
  ]);
  return listSection("WebSocket messages that differ from the recorded ones", lines);
}

/** Lists the bodies, events and messages that were not compared with the recording. */
export function uncomparedSection({ uncompared }: Calibration, show: Show): Section {
  const lines = uncompared.map((one) => uncomparedText(one, show));
  return listSection(`Not compared with the recording (${uncompared.length})`, lines);
}

function uncomparedText(
  { index, name, what, senders = [] }: Calibration["uncompared"][number],
  show: Show,
): string {
  const call = index === undefined ? "" : `call ${index + 1} `;
  return `${call}${show(name, NAME_WIDTH)}: ${what}${sendersText(senders)}`;
}

/**
 * Returns the end of a sentence that lists the calls that send values of a missing body. `senders`
 * contains their zero-based numbers. Returns an empty string if there are none.
 */
export function sendersText(senders: readonly number[]): string {
  if (senders.length === 0) return "";
  const numbers = senders.map((one) => one + 1).join(", ");
  return senders.length === 1
    ? `; call ${numbers} sends a recorded value that it may have contained`
    : `; calls ${numbers} send recorded values that it may have contained`;
}
