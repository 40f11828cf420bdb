import { formatMs, plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import type {
  Rating,
  Review,
  ReviewCall,
  ReviewDifference,
  ReviewNote,
  ReviewValue,
} from "../../report/html/review.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { CalibratedPlan, Calibration } from "../../calibrate/calibration.ts";
import type { CallContent } from "../../calibrate/calibration.ts";
import type { VerdictKind } from "../../calibrate/verdicts.ts";
import { describeExtractor, editText, planValues, recordedParts } from "../review/review_parts.ts";
import { callVerdictText } from "./call_lines.ts";
import {
  rateLimitDetails,
  reasonToMove,
  sendersText,
  withoutPause,
} from "./calibration_sections.ts";
import { verdictLine } from "./verdict_line.ts";
import { hiddenFindings } from "../review/verification_text.ts";

const RATINGS: Readonly<Record<VerdictKind, Rating>> = {
  "as recorded": "good",
  "repaired": "good",
  "state": "open",
  "login": "bad",
  "unclear": "bad",
  "unclear write": "bad",
  "user": "bad",
  "random": "open",
  "refused": "bad",
  "consequence": "bad",
  "not sent": "bad",
  "no response": "bad",
  "other request": "bad",
  "not shown": "bad",
};

/** Labels that replace the names of some verdicts. The text output uses the same labels. */
const RESULTS: Partial<Record<VerdictKind, string>> = {
  state: "not offered again",
  login: "login refused",
  "unclear write": "unclear",
  user: "fails for one user",
  random: "fails at random",
  consequence: "caused by an earlier call",
};

/**
 * Creates the review of a calibration and its repaired plan. Hides the plan's secrets (with
 * `redact`) and the credentials in the recording.
 */
export function calibrationReview(
  { calibration, plan }: CalibratedPlan,
  recording: Recording,
  redact: Redactor,
): Review {
  const hide = recordedSecretHider(recording);
  const { calls, proven, exceptState, writes, rounds } = calibration;
  const nameOf = (index: number) => {
    const name = calls.find((call) => call.index === index)?.name;
    return `request ${index + 1}${name === undefined ? "" : ` (${name})`}`;
  };
  const values = planValues(plan, recording, nameOf);
  return hiddenFindings({
    title: "Calibration",
    rating: proven ? "good" : exceptState ? "open" : "bad",
    verdict: verdictLine(calibration),
    facts: [
      `${plural(rounds.length, "round")}; ${plural(writes.sent, "write")} sent ` +
      `(limit ${writes.limit})`,
    ],
    calls: reviewedCalls(calibration, recording, nameOf),
    values: [
      ...uniqueTexts(calibration, nameOf),
      ...values.map((value) => withEvidence(value, calibration, nameOf)),
      ...receivedValues(calibration, nameOf),
    ],
    differences: differences(calibration, nameOf),
    notes: notes(calibration, nameOf),
  }, (text) => redact(hide(text)));
}

type NameOf = (index: number) => string;

function reviewedCalls(
  found: Calibration,
  recording: Recording,
  nameOf: NameOf,
): ReviewCall[] {
  const partsOf = recordedParts(recording);
  return found.calls.map((call) => {
    const text = callVerdictText(call, found, (one) => one);
    return {
      name: nameOf(call.index),
      ...partsOf(call.entry, call.name),
      result: call.rateLimit === undefined ? RESULTS[call.kind] ?? call.kind : "rate limit",
      rating: RATINGS[call.kind],
      ...(text !== call.kind && { reason: text }),
    };
  });
}

/**
 * Returns the review's entry for a value that the plan extracts. The entry states whether the
 * calibration repaired the extraction, or found that every live response contained the recorded
 * value.
 */
function withEvidence(
  { source, ...value }: ReturnType<typeof planValues>[number],
  { extracted, constants }: Calibration,
  nameOf: NameOf,
): ReviewValue {
  const isSame = (one: { readonly variable: string; readonly source: number }) =>
    one.variable === value.variable && one.source === source;
  const repair = extracted.find(isSame);
  if (repair !== undefined) {
    const { variable, recorded, live, extractor, consumers, isRestored } = repair;
    return {
      ...value,
      recorded,
      live,
      result: "repaired",
      reason: isRestored
        ? "the recorded body is missing; the live body contains a different value in its place"
        : "the application returned a value other than the recorded one",
      edit: editText({
        call: nameOf(source),
        extractor: { type: extractor.type, name: variable, ...extractor },
        write: `\${${variable}}`,
        consumers: consumers.map(nameOf),
      }),
    };
  }
  if (!constants.some(isSame)) return value;
  return {
    ...value,
    result: "constant",
    rating: "open",
    reason: "every live response contained the recorded value; you can remove the variable",
  };
}

function receivedValues({ received }: Calibration, nameOf: NameOf): ReviewValue[] {
  return received.map(({ variable, recorded, live, socket, extractor, consumers, messages }) => ({
    variable,
    recorded,
    live,
    result: "repaired",
    rating: "good",
    from: { call: socket, place: `message, ${describeExtractor(extractor)}` },
    to: [
      ...consumers.map((index) => ({ call: nameOf(index) })),
      ...(messages > 0 ? [{ call: plural(messages, "WebSocket message") }] : []),
    ],
    reason: "a message from the application contained a value other than the recorded one",
  }));
}

function uniqueTexts({ unique }: Calibration, nameOf: NameOf): ReviewValue[] {
  return unique.map(({ recorded, template, source }) => ({
    recorded,
    result: "must be unique",
    rating: "good",
    to: [{ call: nameOf(source) }],
    reason: "the application refused the recorded text",
    edit: `# ${nameOf(source)}: write this instead of the recorded text\n# ${template}`,
  }));
}

function differences({ calls, conflicts }: Calibration, nameOf: NameOf): ReviewDifference[] {
  return [
    ...[...calls, ...conflicts].flatMap(({ index, differences }) =>
      differences.map((what) => ({ call: nameOf(index), what }))
    ),
    ...calls.flatMap(({ index, content }) => contentDifferences(nameOf(index), content)),
  ];
}

function contentDifferences(call: string, content: CallContent | undefined): ReviewDifference[] {
  const { differences = [], more = 0 } = content ?? {};
  return [
    ...differences.map(({ kind, place, recorded, live, responses }): ReviewDifference => ({
      call,
      what: kind === "other" ? `content: ${place}` : `${kind}: ${place}`,
      recorded,
      actual: live,
      count: responses,
    })),
    ...(more > 0 ? [{ call, what: `${plural(more, "more difference")} in content` }] : []),
  ];
}

function notes(
  { removed, moved, pauses, possiblePauses, messages, uncompared, socketFailure, rateLimit }:
    Calibration,
  nameOf: NameOf,
): ReviewNote[] {
  return [
    ...(socketFailure?.errors ?? []).map((message): ReviewNote => ({
      rating: "bad",
      kind: "WebSocket failed",
      subject: socketFailure!.round,
      message,
    })),
    ...messages.flatMap(({ name, differences }) =>
      differences.map((message): ReviewNote => ({
        rating: "open",
        kind: "message differs",
        subject: name,
        message,
      }))
    ),
    ...uncompared.map((one): ReviewNote => ({
      rating: "open",
      kind: "not compared",
      subject: one.index === undefined ? one.name : nameOf(one.index),
      message: `the calibration does not compare the ${one.what} with the recording` +
        sendersText(one.senders ?? []),
    })),
    ...moved.map(({ index, before, ms }): ReviewNote => ({
      rating: "good",
      kind: "request moved",
      subject: nameOf(index),
      message: `before ${nameOf(before)}: ${reasonToMove(ms)}`,
    })),
    ...pauses.map((pause): ReviewNote => ({
      rating: "good",
      kind: "pause added",
      subject: nameOf(pause.index),
      message: `${formatMs(pause.ms)}; without it: ${withoutPause(pause, (text) => text)}`,
    })),
    ...possiblePauses.map((pause): ReviewNote => ({
      rating: "open",
      kind: "pause added as a precaution",
      subject: nameOf(pause.index),
      message: `${formatMs(pause.ms)}; without it: ${withoutPause(pause, (text) => text)}`,
    })),
    ...(rateLimit === undefined ? [] : [{
      rating: "open" as const,
      kind: "rate limit",
      subject: `${plural(rateLimit.responses, "response")} with status ${
        rateLimit.statuses.join(" or ")
      }`,
      message: rateLimitDetails(rateLimit).join("; "),
    }]),
    ...removed.map(({ variable, source, reason }): ReviewNote => ({
      rating: "open",
      kind: `variable removed`,
      subject: nameOf(source),
      message: `\${${variable}}: ${reason}`,
    })),
  ];
}
