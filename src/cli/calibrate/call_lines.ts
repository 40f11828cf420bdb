import { formatMs, plural } from "../../base/format.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
import { type CallVerdict, isGood } from "../../calibrate/verdicts.ts";
import { listSection, type Section } from "../../report/blocks.ts";

/**
 * Makes text from a recording or a live response safe to print, and shortens it to `max`
 * characters.
 */
export type Show = (text: string, max?: number) => string;

/** Maximum width of a call's name in the table. */
export const NAME_WIDTH = 40;

/**
 * Lists the calls of each scenario with their verdicts. Unless `isWhole`, only those that are not
 * as recorded.
 */
export function callSections(found: Calibration, show: Show, isWhole: boolean): Section[] {
  const scenarios = Map.groupBy(found.calls, ({ scenario }) => scenario);
  const which = isWhole ? "" : " that are not as recorded";
  return [...scenarios].map(([scenario, calls]) =>
    listSection(
      (scenarios.size === 1 ? "Calls" : `Calls of ${show(scenario, NAME_WIDTH)}`) + which,
      calls.filter((call) => isWhole || !isGood(call)).map((call) => callLine(call, found, show)),
    )
  );
}

/** Lists the recorded writes that the plan does not send. */
export function missingSection({ missing }: Calibration, show: Show): Section {
  const lines = missing.map(({ entry, name }) => `entry ${entry}: ${show(name, NAME_WIDTH)}`);
  return listSection(`Recorded writes that the plan does not send (${missing.length})`, lines);
}

/** Lists the calls that two users cannot send at the same time. */
export function conflictSection({ conflicts }: Calibration, show: Show): Section {
  const lines = conflicts.map(({ index, user, iteration, differences }) =>
    `call ${index + 1} (user ${user}, iteration ${iteration}): ` +
    differences.map((one) => show(one, 120)).join("; ")
  );
  return listSection(
    `Calls that two users cannot send at the same time (${conflicts.length})`,
    lines,
  );
}

function callLine(
  call: Calibration["calls"][number],
  found: Calibration,
  show: Show,
): string {
  const number = String(call.index + 1).padStart(2);
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
  const refusal = call.refusal === undefined
    ? ""
    : `; the response says ${show(call.refusal, 100)}`;
  const why = call.differences.map((one) => show(one, 120)).join("; ") + refusal +
    unsentText(call, show);
  switch (call.kind) {
    case "as recorded":
      return "as recorded";
    case "repaired":
      return `repaired: ${repairedBy(call.index, found)}`;
    case "state":
      return `not offered again${where}: ${why}`;
    case "login":
      return `login ${call.wasAccepted ? "no longer accepted" : "refused"}${where}: ${why}`;
    case "other request":
      return `as recorded, but the request differs from the recorded one${where}: ${why}`;
    case "not shown":
      return `as recorded, but not shown to work${where}: ${why}`;
    case "unclear":
      return `unclear whether the login or the state of the application changed${where}: ${why}`;
    case "unclear write":
      return `unclear whether the server refused the request${where}: ${why}`;
    case "user":
      return `as recorded only for other users${where}: ${why}${foreignText(call, show)}`;
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
      return `no response${where}: ${show(call.error ?? "", 300)}`;
  }
}

/**
 * Returns the end of a sentence that names the literals that may belong to another user, if any.
 */
function foreignText({ user, foreign }: CallVerdict, show: Show): string {
  if (foreign === undefined) return "";
  const literals = foreign.map(({ name, value }) =>
    JSON.stringify(show(value, 60)) + (name === "" ? "" : ` (${show(name, 40)})`)
  );
  return `; the plan sends ${
    literals.join(", ")
  }, which recorded responses contain, but no earlier ` +
    `response to user ${user}`;
}

/** Returns the end of a sentence that names the recorded headers that a request lacks, if any. */
function unsentText({ unsentHeaders }: CallVerdict, show: Show): string {
  if (unsentHeaders === undefined) return "";
  const { names, areNamed } = unsentHeaders;
  const headers = `recorded ${names.length === 1 ? "header" : "headers"} ` +
    names.map((name) => show(name, 60)).join(", ");
  return areNamed
    ? `; the response names the ${headers}, which the plan does not send`
    : `; the plan does not send the ${headers}`;
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

function repairedBy(index: number, calibration: Calibration): string {
  const { extracted, received, unique, pauses } = calibration;
  return [
    ...[...extracted, ...received].filter(({ consumers }) => consumers.includes(index))
      .map(({ variable }) => `\${${variable}}`),
    ...unique.filter(({ source }) => source === index).map(() => "${unique}"),
    ...pauses.filter((pause) => pause.index === index).map(({ ms }) =>
      `a pause of ${formatMs(ms)}`
    ),
  ].join(", ");
}
