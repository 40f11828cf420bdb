import { formatMs, percentText, plural } from "../../base/format.ts";
import type { Calibration, RoundReport } from "../../calibrate/calibration.ts";
import { unprovenReason } from "../../calibrate/proof.ts";
import { isGood, type LiveVerdict, type VerdictKind } from "../../calibrate/verdicts.ts";
import type { Rating, ReviewCall } from "../../report/text/review.ts";

/**
 * Makes text from a recording or a live response safe to print, hides secrets in it, and shortens
 * it to `max` characters.
 */
export type Show = (text: string, max?: number) => string;

/** Lists calls by their one-based numbers, such as `calls 2, 5`. */
export function callNumbers(indexes: readonly number[]): string {
  const numbers = indexes.map((index) => index + 1).join(", ");
  return `${indexes.length === 1 ? "call" : "calls"} ${numbers}`;
}

/** Describes the load of one round of a calibration, as the end of a sentence. */
export function roundText({ users, iterations, staggered }: RoundReport): string {
  const load = `for ${plural(users, "user")} in ${plural(iterations, "iteration")}`;
  return staggered ? `${load} (the users staggered)` : load;
}

/**
 * Returns text to append to the result of a calibration: whether lists were empty, how many
 * WebSocket messages matched, what was not compared, and whether the server limited the rate.
 * Returns an empty string if none of this applies.
 */
export function reservations(found: Calibration): string {
  const limited = found.rateLimit === undefined
    ? ""
    : "; the server limited the rate, so add `pacing` or `think_time`";
  const { length } = found.calls.filter(({ content }) =>
    content?.some(({ kind }) => kind === "empty list")
  );
  const emptied = length === 0
    ? ""
    : `; ${plural(length, "call")} returned an empty list that has items in the recording`;
  return emptied + notComparedText(found) + limited;
}

function notComparedText({ messages, uncompared }: Calibration): string {
  const received = messages.reduce((sum, one) => sum + one.received, 0);
  const asRecorded = messages.reduce((sum, one) => sum + one.asRecorded, 0);
  const compared = received === 0
    ? ""
    : `; ${asRecorded} of ${plural(received, "WebSocket message")} as recorded`;
  const parts = [
    ...(uncompared.some(({ what }) => what.startsWith("body")) ? ["missing bodies"] : []),
    ...(uncompared.some(({ what }) => what.startsWith("events")) ? ["events of streams"] : []),
    ...(uncompared.some(({ index }) => index === undefined) ? ["WebSocket messages"] : []),
  ];
  return compared + (parts.length === 0 ? "" : `; not compared: ${parts.join(", ")}`);
}

export function verdictLine(found: Calibration): string {
  const { proven, calls, rounds, target } = found;
  const good = calls.filter(isGood).length;
  const { asRecorded, calls: sent } = rounds.at(-1)!;
  const load = roundText(rounds.at(-1)!);
  const count = `${good} of ${plural(calls.length, "call")}`;
  if (found.interrupted) {
    return `interrupted on ${target}: so far, ${count} matched the recording ${load}`;
  }
  if (found.overload !== undefined) {
    const { status, seconds } = found.overload;
    return `not proven against ${target}: the target still responded with status ${status} after ` +
      `waiting ${formatMs(seconds * 1_000)}; ${count} matched the recording`;
  }
  if (proven) {
    return `proven against ${target}: ${count} did their work ${load}${reservations(found)}` +
      loginHint(found);
  }
  const share = percentText(sent === 0 ? 0 : asRecorded / sent, 1);
  const matched = asRecorded === sent
    ? ""
    : `; ${share} of the responses of the last round matched`;
  return `not proven against ${target}: ${count} as recorded ${load}${matched}` +
    whyUnproven(found) + loginHint(found);
}

/** Returns the way out if users with one login may have disturbed each other. */
function loginHint({ sharedLogin }: Calibration): string {
  return sharedLogin === undefined
    ? ""
    : "; both users have one login: `--users FILE` gives each its own";
}

function whyUnproven(found: Calibration): string {
  const { kept, patienceMs } = found;
  if (kept !== "given" && patienceMs !== undefined) {
    return ` (waiting is limited to ${formatMs(patienceMs)} in all; add \`--patience 5m\`)`;
  }
  const reason = unprovenReason(found);
  if (reason !== "") return ` (${reason})`;
  return kept === "reduced" ? " (some repairs did harm, so the plan is without them)" : "";
}

/** Label and rating of each verdict, and what a reason starts with instead of the label. */
const RESULTS: Readonly<Record<VerdictKind, readonly [string, Rating, start?: string]>> = {
  "as recorded": ["as recorded", "good"],
  "repaired": ["repaired", "good"],
  "state": ["not offered again", "open"],
  "login": ["login refused", "bad"],
  "unclear": [
    "unclear",
    "bad",
    "unclear whether the login or the state of the application changed",
  ],
  "unclear write": ["unclear", "bad", "unclear whether the server refused the request"],
  "user": ["fails for one user", "bad", "as recorded only for other users"],
  "random": ["fails at random", "open"],
  "refused": ["refused", "bad"],
  "consequence": ["caused by an earlier call", "bad"],
  "not sent": ["not sent", "bad"],
  "no response": ["no response", "bad"],
  "other request": [
    "other request",
    "bad",
    "as recorded, but the request differs from the recorded one",
  ],
  "not shown": ["not shown", "bad", "as recorded, but not shown to work"],
};

/** Describes the verdict on a call: its label, and the reason in one line. */
export function callResult(
  call: LiveVerdict,
  found: Calibration,
  show: Show,
): Pick<ReviewCall, "result" | "rating" | "reason"> {
  const [label, rating] = RESULTS[call.kind];
  const reason = verdictReason(call, found, show);
  return {
    result: call.rateLimit === undefined ? label : "rate limit",
    rating,
    ...(reason !== undefined && { reason }),
  };
}

function verdictReason(call: LiveVerdict, found: Calibration, show: Show): string | undefined {
  const { kind, user, iteration, causedBy, error, refusal, newFields } = call;
  const [label, , start] = RESULTS[kind];
  const where = iteration === undefined ? "" : ` (user ${user}, iteration ${iteration})`;
  const says = refusal === undefined ? "" : `; the response says ${show(refusal, 100)}`;
  const fields = newFields === undefined
    ? ""
    : `; the live form has fields that the plan does not send: ${
      newFields.map((name) => show(name, 60)).join(", ")
    }`;
  const why = call.differences.map((one) => show(one, 120)).join("; ") + says + fields +
    unsentText(call, show);
  switch (kind) {
    case "as recorded":
      return undefined;
    case "repaired":
      return `repaired: ${repairedBy(call.index, found)}`;
    case "random":
      return randomText(call, error === undefined ? why : show(error, 100));
    case "consequence":
      return `caused by call ${causedBy! + 1}${where}: ${error ? show(error) : why}`;
    case "not sent":
      if (causedBy !== undefined) return `not sent: caused by call ${causedBy + 1}`;
      if (error && error !== "not sent") return `not sent${where}: ${show(error, 100)}`;
      return where === "" ? undefined : `not sent${where}`;
    case "no response":
      return `no response${where}: ${show(error ?? "", 300)}`;
    default: {
      if (call.rateLimit !== undefined) {
        return `rate limit${where}: add pacing of 1 iteration per ${call.rateLimit} s`;
      }
      const words = call.wasAccepted ? "login no longer accepted" : start ?? label;
      return `${words}${where}: ${why}${foreignText(call, show)}`;
    }
  }
}

function foreignText({ user, foreign }: LiveVerdict, show: Show): string {
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
function unsentText({ unsentHeaders }: LiveVerdict, show: Show): string {
  if (unsentHeaders === undefined) return "";
  const { names, areNamed } = unsentHeaders;
  const headers = `recorded ${names.length === 1 ? "header" : "headers"} ` +
    names.map((name) => show(name, 60)).join(", ");
  return areNamed
    ? `; the response names the ${headers}, which the plan does not send`
    : `; the plan does not send the ${headers}`;
}

function randomText({ random, user, iteration }: LiveVerdict, why: string): string {
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
    ...unique.filter(({ source }) => source === index).map(({ expression }) => expression),
    ...pauses.filter((pause) => pause.index === index).map(({ ms }) =>
      `a pause of ${formatMs(ms)}`
    ),
  ].join(", ");
}
