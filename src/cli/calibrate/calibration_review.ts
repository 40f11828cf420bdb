import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { CalibratedPlan, Calibration } from "../../calibrate/calibration.ts";
import type { VerdictKind } from "../../calibrate/verdicts.ts";
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
import { describeExtractor, editText, planValues, recordedParts } from "../review/review_parts.ts";
import { hiddenFindings } from "../review/verification_text.ts";
import { listFindings, type NameOf } from "./findings.ts";
import { callVerdictText, verdictLine } from "./verdict_text.ts";

/** Label and rating of each verdict. The text output uses the same labels. */
const RESULTS: Readonly<Record<VerdictKind, readonly [label: string, rating: Rating]>> = {
  "as recorded": ["as recorded", "good"],
  "repaired": ["repaired", "good"],
  "state": ["not offered again", "open"],
  "login": ["login refused", "bad"],
  "unclear": ["unclear", "bad"],
  "unclear write": ["unclear", "bad"],
  "user": ["fails for one user", "bad"],
  "random": ["fails at random", "open"],
  "refused": ["refused", "bad"],
  "consequence": ["caused by an earlier call", "bad"],
  "not sent": ["not sent", "bad"],
  "no response": ["no response", "bad"],
  "other request": ["other request", "bad"],
  "not shown": ["not shown", "bad"],
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
    differences: calls.flatMap((call) => differences(call, nameOf(call.index))),
    notes: listFindings(calibration, (text) => text, nameOf).flatMap(({ kind, rating, items }) =>
      kind === undefined
        ? []
        : items.map(([subject, message]): ReviewNote => ({ rating, kind, subject, message }))
    ),
  }, (text) => redact(hide(text)));
}

function reviewedCalls(
  found: Calibration,
  recording: Recording,
  nameOf: NameOf,
): ReviewCall[] {
  const partsOf = recordedParts(recording);
  return found.calls.map((call) => {
    const text = callVerdictText(call, found, (one) => one);
    const [label, rating] = RESULTS[call.kind];
    return {
      name: nameOf(call.index),
      ...partsOf(call.entry, call.name),
      result: call.rateLimit === undefined ? label : "rate limit",
      rating,
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
        extractor: { ...extractor },
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

function differences(
  { differences, content }: Calibration["calls"][number],
  call: string,
): ReviewDifference[] {
  const { differences: inContent = [], more = 0 } = content ?? {};
  return [
    ...differences.map((what) => ({ call, what })),
    ...inContent.map(({ kind, place, recorded, live, responses }): ReviewDifference => ({
      call,
      what: kind === "other" ? `content: ${place}` : `${kind}: ${place}`,
      recorded,
      actual: live,
      count: responses,
    })),
    ...(more > 0 ? [{ call, what: `${plural(more, "more difference")} in content` }] : []),
  ];
}
