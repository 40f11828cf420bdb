import { formatMs, plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { CalibratedPlan, Calibration } from "../../calibrate/calibration.ts";
import type { NeededPause } from "../../calibrate/pause_trial.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import type {
  Review,
  ReviewDifference,
  ReviewNote,
  ReviewValue,
} from "../../report/text/review.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import {
  describeExtractor,
  editText,
  hiddenFindings,
  planValues,
  recordedParts,
  reviewNotes,
} from "../review/review_parts.ts";
import { callNumbers, callResult, type Show, verdictLine } from "./verdict_text.ts";

export type NameOf = (index: number) => string;

/**
 * Creates the review of a calibration and its repaired plan. Hides the plan's secrets (with
 * `redact`) and the credentials in the recording.
 */
export function calibrationReview(
  { calibration, plan }: CalibratedPlan,
  recording: Recording,
  redact: Redactor,
): Review {
  const hideRecorded = recordedSecretHider(recording);
  const hide = (text: string) => redact(hideRecorded(text));
  const nameOf = (index: number) => {
    const name = calibration.calls.find((call) => call.index === index)?.name;
    return `request ${index + 1}${name === undefined ? "" : ` (${name})`}`;
  };
  const show: Show = (text, max = 60) => safeSnippet(hide(text), max);
  const findings = calibrationFindings(calibration, show, nameOf);
  const partsOf = recordedParts(recording);
  const keyOf = ({ from, variable }: ReviewValue) => `${from?.call} ${variable}`;
  const known = new Map(sourceValues(calibration, nameOf).map((value) => [keyOf(value), value]));
  return hiddenFindings({
    ...findings,
    calls: findings.calls.map((call, i) => ({
      ...call,
      ...partsOf(calibration.calls[i].entry, call.url),
    })),
    values: [
      ...uniqueTexts(calibration, nameOf),
      ...planValues(plan, recording, nameOf).map((value) => ({
        ...value,
        ...known.get(keyOf(value)),
        from: value.from,
        to: value.to,
      })),
      ...receivedValues(calibration, nameOf),
    ],
    differences: [
      ...calibration.calls.flatMap(({ index, differences }) =>
        differences.map((what) => ({ rating: "bad" as const, call: nameOf(index), what }))
      ),
      ...findings.differences,
    ],
  }, hide);
}

export function calibrationFindings(found: Calibration, show: Show, nameOf: NameOf): Review {
  const { calls, proven, exceptState, writes, rounds } = found;
  return {
    title: "Calibration",
    rating: proven ? "good" : exceptState ? "open" : "bad",
    verdict: verdictLine(found),
    facts: [
      `${plural(rounds.length, "round")}; ${plural(writes.sent, "write")} sent ` +
      `(limit ${writes.limit})`,
    ],
    calls: calls.map((call) => ({
      name: nameOf(call.index),
      method: "-",
      url: call.name,
      ...callResult(call, found, show),
    })),
    values: [
      ...uniqueTexts(found, nameOf),
      ...sourceValues(found, nameOf),
      ...receivedValues(found, nameOf),
    ],
    differences: contentDifferences(found, nameOf),
    actual: "live",
    notes: findingNotes(found, show, nameOf),
  };
}

/** Lists the values that the calibration made the plan extract, and those that were constant. */
function sourceValues({ extracted, constants }: Calibration, nameOf: NameOf): ReviewValue[] {
  return [
    ...constants.map(({ variable, value, source }): ReviewValue => ({
      variable,
      recorded: value,
      result: "constant",
      rating: "open",
      from: { call: nameOf(source) },
      to: [],
      reason: "every live response contained the recorded value; you can remove the variable",
    })),
    ...extracted.map(({ extractor, source, isRestored, ...repair }): ReviewValue => {
      const call = nameOf(source);
      const consumers = repair.consumers.map(nameOf);
      const write = `\${${repair.variable}}`;
      return {
        ...repaired(repair, nameOf),
        from: { call, place: describeExtractor(extractor) },
        reason: isRestored
          ? "the recorded body is missing; the live body contains a different value in its place"
          : "the application returned a value other than the recorded one",
        edit: editText({ call, extractor: { ...extractor }, write, consumers }),
      };
    }),
  ];
}

function receivedValues({ received }: Calibration, nameOf: NameOf): ReviewValue[] {
  return received.map((repair) => ({
    ...repaired(repair, nameOf),
    from: { call: repair.socket, place: `message, ${describeExtractor(repair.extractor)}` },
    reason: "a message from the application contained a value other than the recorded one",
  }));
}

function repaired(
  { variable, recorded, live, consumers, messages }: Pick<
    Calibration["extracted" | "received"][number],
    "variable" | "recorded" | "live" | "consumers" | "messages"
  >,
  nameOf: NameOf,
): ReviewValue {
  const sockets = messages > 0 ? [{ call: plural(messages, "WebSocket message") }] : [];
  const to = [...consumers.map((index) => ({ call: nameOf(index) })), ...sockets];
  return { variable, recorded, live, result: "repaired", rating: "good", to };
}

function uniqueTexts({ unique }: Calibration, nameOf: NameOf): ReviewValue[] {
  return unique.map(({ recorded, template, source, reason }) => ({
    recorded,
    result: "refused",
    rating: "good",
    to: [{ call: nameOf(source) }],
    reason,
    edit: `# ${nameOf(source)}: write this instead of the recorded text\n# ${template}`,
    fix: `the plan now sends ${template}`,
  }));
}

/** Lists the differences in content, which do not affect the verdicts. */
function contentDifferences({ calls }: Calibration, nameOf: NameOf): ReviewDifference[] {
  return calls.flatMap(({ index, content = [] }) =>
    content.map(({ kind, place, recorded, live, responses }): ReviewDifference => ({
      rating: kind === "empty list" ? "bad" : "open",
      call: nameOf(index),
      what: kind === "refusal" ? `refusal: ${JSON.stringify(live)}` : `${kind}: ${place}`,
      ...(kind !== "refusal" && { recorded, actual: live }),
      count: responses,
    }))
  );
}

/**
 * Lists what else a calibration found out: first what can make a run fail or go wrong (`bad`), then
 * what it changed (`good`), then what it leaves for you to decide (`open`).
 */
function findingNotes(found: Calibration, show: Show, nameOf: NameOf): ReviewNote[] {
  const pauses = (list: readonly NeededPause[]) =>
    list.map(({ index, ms, differences }) => {
      const why = differences.map((one) => show(one, 120)).join("; ");
      const without = why === "" ? "an extractor found no value" : why;
      return [nameOf(index), `${formatMs(ms)}; without it: ${without}`] as const;
    });
  const { socketFailure: sockets } = found;
  return [
    ...reviewNotes(
      "bad",
      "recorded write that the plan does not send",
      found.missing.map(({ entry, name }) => [`entry ${entry}`, show(name)]),
    ),
    ...reviewNotes(
      "bad",
      "WebSocket failed",
      (sockets?.errors ?? []).map((error) => [
        `${sockets!.failed} of ${sockets!.sessions} in ${sockets!.round}`,
        show(error, 160),
      ]),
    ),
    ...reviewNotes(
      "bad",
      "conflict of users",
      found.conflicts.map(({ index, user, iteration, differences }) => [
        `${nameOf(index)} (user ${user}, iteration ${iteration})`,
        differences.map((one) => show(one, 120)).join("; "),
      ]),
    ),
    ...reviewNotes("bad", "rate limit", rateLimitItems(found)),
    ...reviewNotes(
      "good",
      "request moved",
      found.moved.map(({ index, before, ms }) => [
        nameOf(index),
        `before ${nameOf(before)}, because the browser sent it ${formatMs(Math.round(ms))} ` +
        "later, before the response changed a cookie",
      ]),
    ),
    ...reviewNotes("good", "pause added", pauses(found.pauses)),
    ...reviewNotes(
      "open",
      "variable removed",
      found.removed.map(({ variable, source, reason }) => [
        nameOf(source),
        `\${${variable}}: ${show(reason, 120)}`,
      ]),
    ),
    ...reviewNotes(
      "open",
      "message differs",
      found.messages.flatMap(({ name, received, asRecorded, differences }) => {
        const differing = `${received - asRecorded} of ${plural(received, "message")}`;
        return differences.map((one) => [`${show(name)} (${differing})`, show(one, 160)] as const);
      }),
    ),
    ...reviewNotes(
      "open",
      "not compared",
      found.uncompared.map(({ index, name, what, senders = [] }) => [
        index === undefined ? show(name) : nameOf(index),
        what + sendersText(senders),
      ]),
    ),
  ];
}

/** Describes which requests a server limited, how long a calibration waited, and what to do. */
function rateLimitItems({ rateLimit }: Calibration): [subject: string, message: string][] {
  if (rateLimit === undefined) return [];
  const { responses, statuses, calls, waitedMs, longestMs } = rateLimit;
  return [[
    `${plural(responses, "response")} with status ${statuses.join(" or ")}`,
    `waited ${formatMs(waitedMs)} in total, at most ${formatMs(longestMs)} before one ` +
    `request; rate-limited: ${callNumbers(calls)}; a run does not wait: add \`pacing\` to the ` +
    "scenario, or a `think_time` before these requests (`convert --think-time` adds the recorded " +
    "pauses)",
  ]];
}

/** Returns the end of a sentence that lists the calls that send values of a missing body. */
function sendersText(senders: readonly number[]): string {
  if (senders.length === 0) return "";
  const send = senders.length === 1 ? "sends a recorded value" : "send recorded values";
  return `; ${callNumbers(senders)} ${send} that it may have contained`;
}
