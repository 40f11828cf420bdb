import { formatMs } from "../../base/duration.ts";
import { percentText, plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type {
  Calibration,
  ReportedExtraction,
  RoundReport,
} from "../../verify/calibrate/calibration.ts";
import { isGood } from "../../verify/calibrate/build_calibration.ts";
import type { CallVerdict } from "../../verify/calibrate/call_verdict.ts";
import { contentLines, emptyListsText, type Show } from "./content_text.ts";
import type { NeededPause } from "../../verify/calibrate/needed_pause.ts";

/** Maximum width of a call's name in the table. */
const NAME_WIDTH = 40;
/** Maximum number of lines of an explanation. */
const MOST_LINES = 400;

/** Formats a calibration as text, with the verdict in the last line. Hides secrets. */
export function calibrationText(
  found: Calibration,
  redact: Redactor,
  explain: boolean,
): string {
  const show = (text: string, max = 60) => safeSnippet(redact(text), max);
  const lines = [
    ...(explain ? explanation(found, show) : []),
    ...callLines(found, show),
    ...contentLines(found, show, explain),
    ...conflictLines(found, show),
    ...extractionLines(found, show),
    ...uniqueLines(found, show),
    ...movedLines(found, show),
    ...pauseLines("Calls that need their recorded pause", found.pauses, show),
    ...pauseLines("Recorded pauses added as a precaution", found.possiblePauses, show),
    ...removedLines(found, show),
    ...constantLines(found, show),
    ...socketLines(found, show),
    ...messageLines(found, show),
    ...uncomparedLines(found, show),
    `${plural(found.writes.sent, "write")} sent (limit ${found.writes.limit})`,
    verdictLine(found),
  ];
  return lines.map((line) => safeText(line)).join("\n") + "\n";
}

function callLines(found: Calibration, show: Show): string[] {
  const scenarios = Map.groupBy(found.calls, ({ scenario }) => scenario);
  return [...scenarios].flatMap(([scenario, calls]) => [
    scenarios.size === 1 ? "Calls" : `Calls of ${show(scenario, NAME_WIDTH)}`,
    ...calls.map((call) => callLine(call, found, show)),
    "",
  ]);
}

function conflictLines({ conflicts }: Calibration, show: Show): string[] {
  if (conflicts.length === 0) return [];
  return [
    `Calls that two users cannot send at the same time (${conflicts.length})`,
    ...conflicts.map(({ index, user, iteration, differences }) =>
      `  call ${index + 1} (user ${user}, iteration ${iteration}): ` +
      differences.map((one) => show(one, 120)).join("; ")
    ),
    "",
  ];
}

function callLine(
  call: Calibration["calls"][number],
  found: Calibration,
  show: Show,
): string {
  const number = String(call.index + 1).padStart(4);
  return `${number}  ${show(call.name, NAME_WIDTH).padEnd(NAME_WIDTH)}  ${
    callVerdictText(call, found, show)
  }`;
}

/**
 * Describes the verdict on a call in one line. `show` makes recorded and live text safe to print.
 */
export function callVerdictText(call: CallVerdict, found: Calibration, show: Show): string {
  const where = call.iteration === undefined
    ? ""
    : ` (user ${call.user}, iteration ${call.iteration})`;
  const refusal = call.refusal === undefined ? "" : `; the page says ${show(call.refusal, 100)}`;
  const why = call.differences.map((one) => show(one, 120)).join("; ") + refusal;
  switch (call.kind) {
    case "as recorded":
      return "as recorded";
    case "repaired":
      return `repaired: ${repairedBy(call.index, found)}`;
    case "state":
      return `not offered again${where}: ${why}`;
    case "random":
      return randomText(call, call.error === undefined ? why : show(call.error, 100));
    case "refused":
      return call.rateLimit === undefined
        ? `refused${where}: ${why}`
        : `rate limit${where}: add pacing of 1 iteration per ${call.rateLimit} s`;
    case "consequence":
      return `caused by call ${call.causedBy! + 1}${where}: ${call.error ? show(call.error) : why}`;
    case "not sent":
      return call.causedBy === undefined
        ? `not sent${where}${
          call.error && call.error !== "not sent" ? `: ${show(call.error, 100)}` : ""
        }`
        : `not sent: caused by call ${call.causedBy + 1}`;
    case "no response":
      return `no response${where}: ${show(call.error ?? "", 100)}`;
  }
}

/**
 * Describes a call that failed in some attempts and succeeded in others. `why` describes the first
 * failure.
 */
function randomText({ random, user, iteration }: CallVerdict, why: string): string {
  const { attempts, succeeded, round, pause } = random!;
  const equal = pause === undefined
    ? plural(attempts, "attempt")
    : `${plural(attempts, "attempt")} without the recorded pause`;
  return `fails at random: failed in ${attempts - succeeded} of ${equal}, although the plan did ` +
    `not change between them; first in ${round} (user ${user}, iteration ${iteration}): ${why}`;
}

function repairedBy(index: number, { extracted, unique, pauses }: Calibration): string {
  return [
    ...extracted.filter(({ consumers }) => consumers.includes(index))
      .map(({ variable }) => `\${${variable}}`),
    ...unique.filter(({ source }) => source === index).map(() => "${unique}"),
    ...pauses.filter((pause) => pause.index === index).map(({ ms }) =>
      `a pause of ${formatMs(ms)}`
    ),
  ].join(", ");
}

function extractionLines({ extracted }: Calibration, show: Show): string[] {
  if (extracted.length === 0) return [];
  return [
    `Values that the server generates (${extracted.length})`,
    ...extracted.flatMap((one) => extractionText(one, show)),
    "",
  ];
}

function extractionText(
  { variable, recorded, live, source, extractor, consumers, messages }: ReportedExtraction,
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
    `  \${${variable}}: recorded ${show(recorded, 40)}, live ${show(live, 40)}`,
    `    from call ${source + 1} (${show(JSON.stringify(extractor), 160)}), sent by ${used}`,
  ];
}

function uniqueLines({ unique }: Calibration, show: Show): string[] {
  if (unique.length === 0) return [];
  return [
    `Text that must be unique (${unique.length})`,
    ...unique.map(({ recorded, template, source }) =>
      `  call ${source + 1}: ${show(recorded, 60)} is now ${show(template, 80)}`
    ),
    "",
  ];
}

function movedLines({ moved, calls }: Calibration, show: Show): string[] {
  if (moved.length === 0) return [];
  const nameOf = (index: number) => {
    const name = calls.find((call) => call.index === index)?.name ?? "";
    return `call ${index + 1} (${show(name, NAME_WIDTH)})`;
  };
  return [
    `Requests moved before others (${moved.length})`,
    ...moved.map(({ index, before, ms }) =>
      `  ${nameOf(index)} before ${nameOf(before)}: ${reasonToMove(ms)}`
    ),
    "",
  ];
}

/**
 * Returns the reason why a request was moved before another one, although the browser sent it `ms`
 * milliseconds after that one.
 */
export function reasonToMove(ms: number): string {
  return `the browser sent it ${formatMs(Math.round(ms))} later, but with the old cookies`;
}

function pauseLines(title: string, pauses: readonly NeededPause[], show: Show): string[] {
  if (pauses.length === 0) return [];
  return [
    `${title} (${pauses.length})`,
    ...pauses.map((pause) =>
      `  call ${pause.index + 1}: ${formatMs(pause.ms)}; without it: ${
        withoutPause(pause, (text) => show(text, 120))
      }`
    ),
    "",
  ];
}

/** Describes what goes wrong if the plan omits a pause that a call needs. */
export function withoutPause({ differences }: NeededPause, show: (text: string) => string): string {
  return differences.length === 0
    ? "an extractor found no value"
    : differences.map(show).join("; ");
}

function removedLines({ removed }: Calibration, show: Show): string[] {
  if (removed.length === 0) return [];
  return [
    `Variables removed (${removed.length})`,
    ...removed.map(({ variable, source, reason }) =>
      `  \${${variable}} of call ${source + 1}: ${show(reason, 120)}`
    ),
    "",
  ];
}

function constantLines({ constants }: Calibration, show: Show): string[] {
  if (constants.length === 0) return [];
  return [
    `Constant variables, which you can remove (${constants.length})`,
    ...constants.map(({ variable, value, source }) =>
      `  \${${variable}} of call ${source + 1} is always ${show(value, 60)}`
    ),
    "",
  ];
}

function socketLines({ socketFailure }: Calibration, show: Show): string[] {
  if (socketFailure === undefined) return [];
  const { failed, sessions, round, errors } = socketFailure;
  return [
    `WebSockets that failed: ${failed} of ${sessions} in ${round}`,
    ...errors.map((error) => `  ${show(error, 160)}`),
    "",
  ];
}

function messageLines({ messages }: Calibration, show: Show): string[] {
  const differing = messages.filter(({ received, asRecorded }) => asRecorded < received);
  if (differing.length === 0) return [];
  return [
    "Messages of WebSockets that differ from the recorded ones",
    ...differing.flatMap(({ name, received, asRecorded, differences }) => [
      `  ${show(name, NAME_WIDTH)}: ${received - asRecorded} of ${plural(received, "message")}`,
      ...differences.map((one) => `    ${show(one, 160)}`),
    ]),
    "",
  ];
}

function uncomparedLines({ uncompared }: Calibration, show: Show): string[] {
  if (uncompared.length === 0) return [];
  return [
    `Not compared with the recording (${uncompared.length})`,
    ...uncompared.map((one) => `  ${uncomparedText(one, show)}`),
    "",
  ];
}

/** Describes events or messages that a calibration did not compare. */
function uncomparedText(
  { index, name, what }: Calibration["uncompared"][number],
  show: Show,
): string {
  const call = index === undefined ? "" : `call ${index + 1} `;
  return `${call}${show(name, NAME_WIDTH)}: ${what}`;
}

function explanation({ explanation }: Calibration, show: Show): string[] {
  const more = explanation.length - MOST_LINES;
  return [
    "Evidence",
    ...explanation.slice(0, MOST_LINES).map((line) => `  ${show(line, 240)}`),
    ...(more > 0 ? [`  (${more} more lines)`] : []),
    "",
  ];
}

/** Describes the load of one round of a calibration. */
export function roundText({ users, iterations, staggered }: RoundReport): string {
  const load = `${plural(iterations, "iteration")}, ${plural(users, "user")}`;
  return staggered ? `${load}, staggered` : load;
}

/**
 * Returns the end of a sentence that states a result. It states what the result does not cover: lists that
 * are empty, and what a calibration did not compare. Empty if there is nothing to state.
 */
export function reservations(found: Calibration): string {
  return emptyListsText(found) + notComparedText(found);
}

/**
 * Returns the end of a sentence. It states how many of the received WebSocket messages were equal
 * to the recorded messages, and what a calibration did not compare. Empty if it compared everything
 * and received no messages.
 */
function notComparedText({ messages, uncompared }: Calibration): string {
  const received = messages.reduce((sum, one) => sum + one.received, 0);
  const asRecorded = messages.reduce((sum, one) => sum + one.asRecorded, 0);
  const compared = received === 0
    ? ""
    : `; ${asRecorded} of ${plural(received, "WebSocket message")} as recorded`;
  const parts = [
    ...(uncompared.some(({ index }) => index !== undefined) ? ["events of streams"] : []),
    ...(uncompared.some(({ index }) => index === undefined) ? ["messages of WebSockets"] : []),
  ];
  return compared + (parts.length === 0 ? "" : `; not compared: ${parts.join(" and ")}`);
}

/** Formats the result of a calibration as one line. */
export function verdictLine(found: Calibration): string {
  const { proven, calls, rounds, target } = found;
  const good = calls.filter(isGood).length;
  const { asRecorded, calls: sent } = rounds.at(-1)!;
  const load = roundText(rounds.at(-1)!);
  const count = `${good} of ${plural(calls.length, "call")}`;
  if (found.interrupted) {
    return `interrupted on ${target}: so far, ${count} matched the recording, ${load}`;
  }
  if (found.overload !== undefined) {
    const { status, seconds } = found.overload;
    return `not proven against ${target}: the target still responded with status ${status} after ` +
      `waiting ${formatMs(seconds * 1_000)}; ${count} matched the recording`;
  }
  if (proven) return `proven against ${target}: ${count}, ${load}${reservations(found)}`;
  const share = percentText(sent === 0 ? 0 : asRecorded / sent, 1);
  return `not proven against ${target}: ${count} as recorded, ${load}; ` +
    `${share} of the responses of the last round matched${unprovenReason(found)}`;
}

/**
 * Returns the main reason, in parentheses, why a calibration did not prove that the plan works. May
 * be empty.
 */
function unprovenReason(found: Calibration): string {
  const { exceptState, calls, rounds, socketFailure, messages, possiblePauses } = found;
  const { repairs, alternated } = rounds.at(-1)!;
  if (exceptState) {
    return " (the others differ only because the state changed; `--allow-state` accepts them)";
  }
  if (calls.every(isGood) && repairs > 0) {
    return " (the last round still repaired the plan; calibrate the result again)";
  }
  if (alternated) return " (the last round still tried pauses; calibrate the result again)";
  if (possiblePauses.length > 0) {
    return " (recorded pauses were added as a precaution; calibrate the result again)";
  }
  if (socketFailure !== undefined) return " (WebSockets failed)";
  const refused = messages.reduce((sum, one) => sum + one.refused, 0);
  if (refused > 0) {
    return ` (${plural(refused, "WebSocket message")} that ${refused === 1 ? "states" : "state"} ` +
      "an error, unlike in the recording)";
  }
  const random = calls.filter(({ kind }) => kind === "random").length;
  return random > 0 ? ` (${plural(random, "call")} failed at random)` : "";
}
