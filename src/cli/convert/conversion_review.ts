import type { HarConversion } from "../../convert/from_har.ts";
import { recordedSecretHider } from "../../convert/har/hide_secrets.ts";
import type { OpenValue } from "../../convert/har/correlation_notes.ts";
import { type Note, noteLevel } from "../../convert/notes/note.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import { requestName } from "../../plan/kinds/request.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { recordedEntry } from "../../plan/text/metrics.ts";
import type {
  Rating,
  Review,
  ReviewCall,
  ReviewNote,
  ReviewValue,
} from "../../report/html/review.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { Verification } from "../../verify/verification.ts";
import { editText } from "../review/edit_text.ts";
import { hiddenFindings } from "../verify/hidden_findings.ts";
import { describeExtractor, planValues } from "../review/plan_values.ts";
import { recordedParts } from "../review/recorded_calls.ts";
import { describeVerdict } from "../verify/verification_text.ts";
import {
  doubtfulValues,
  verifiedCalls,
  verifiedDifferences,
} from "../verify/verification_review.ts";

/**
 * Creates the review of a conversion. `findings` is the result of `--verify`, if given. In that
 * case, the page also shows the verdicts and the doubtful values of the verification. Hides the
 * credentials of the recording.
 */
export function conversionReview(
  { plan, notes, summary, openValues }: HarConversion,
  recording: Recording,
  findings?: Verification,
): Review {
  const planned = plannedNames(plan);
  const names = findings === undefined
    ? planned
    : new Map([...planned, ...findings.calls.map(({ entry, call }) => [entry, call] as const)]);
  const nameOf = (entry: number) => names.get(entry) ?? `entry ${entry}`;
  const doubtful = findings === undefined ? [] : doubtfulValues(findings);
  const known = new Set(doubtful.map(({ recorded }) => recorded));
  const open = openValues.filter(({ value }) => !known.has(value))
    .map((value) => openValue(value, nameOf));
  const extracted = planValues(
    plan,
    recording,
    (index, entry) => entry === undefined ? `request ${index + 1}` : nameOf(entry),
  );
  const reviewedNotes = notes.map(reviewedNote);
  return hiddenFindings({
    title: "Conversion",
    rating: findings?.verdict === "stale" || findings?.verdict === "failed"
      ? "bad"
      : reviewedNotes.some(({ rating }) => rating === "open")
      ? "open"
      : "good",
    verdict: summary,
    facts: findings === undefined ? [] : [describeVerdict(findings)],
    calls: findings === undefined
      ? plannedCalls(names, [...open, ...extracted], recording)
      : verifiedCalls(findings, recording),
    values: [...doubtful, ...open, ...extracted],
    differences: findings === undefined ? [] : verifiedDifferences(findings),
    notes: reviewedNotes,
  }, recordedSecretHider(recording));
}

/** Returns the name of each request in a plan, keyed by the number of its entry in the HAR. */
function plannedNames({ scenarios }: Plan): Map<number, string> {
  const requests = Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  return new Map(requests.flatMap((request, i) => {
    const entry = recordedEntry(request);
    return entry === undefined
      ? []
      : [[entry, `request ${i + 1} (${requestName(request)})`] as const];
  }));
}

function plannedCalls(
  names: ReadonlyMap<number, string>,
  values: readonly ReviewValue[],
  recording: Recording,
): ReviewCall[] {
  const partsOf = recordedParts(recording);
  const senders = (ratings: readonly Rating[]) =>
    new Set(
      values.filter(({ rating }) => ratings.includes(rating))
        .flatMap(({ to }) => to.map(({ call }) => call)),
    );
  const open = senders(["open"]);
  const correlated = senders(["good"]);
  return [...names].map(([entry, name]) => ({
    name,
    ...partsOf(entry, name),
    ...(open.has(name)
      ? { result: "sends a recorded value", rating: "open" as const }
      : correlated.has(name)
      ? { result: "correlated", rating: "good" as const }
      : { result: "as recorded", rating: "good" as const }),
  }));
}

function openValue(
  { value, producer, to, extractor, write, reason }: OpenValue,
  nameOf: (entry: number) => string,
): ReviewValue {
  const places = to.map(({ entry, place }) => ({ call: nameOf(entry), place }));
  return {
    recorded: value,
    result: "sent as recorded",
    rating: "open",
    from: { call: nameOf(producer), place: describeExtractor(extractor) },
    to: places,
    reason,
    edit: editText({
      call: nameOf(producer),
      extractor,
      write,
      consumers: places.map(({ call }) => call),
    }),
  };
}

function reviewedNote(note: Note): ReviewNote {
  const { code, subject, message } = note;
  return { rating: noteLevel(note) === "warning" ? "open" : "good", kind: code, subject, message };
}
