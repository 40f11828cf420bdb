import { plural } from "../../base/format.ts";
import type { HarConversion } from "../../convert/from_har.ts";
import type { OpenValue } from "../../convert/har/plan_notes.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import { type Note, noteLevel } from "../../convert/notes/notes.ts";
import { listRequests, recordedEntry } from "../../plan/kinds/list_requests.ts";
import { requestName } from "../../plan/kinds/request.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type {
  Rating,
  Review,
  ReviewCall,
  ReviewDifference,
  ReviewNote,
  ReviewValue,
} from "../../report/text/review.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { Counted, StaleValue, UnprovenValue } from "../../verify/findings.ts";
import type { CallResult, Verification, VerificationVerdict } from "../../verify/verify_plan.ts";
import { describeExtractor, editText, planValues, recordedParts } from "./review_parts.ts";
import {
  describeCalls,
  describeCallVerdicts,
  describeFix,
  describeVerdict,
  hiddenFindings,
  ORIGINS,
} from "./verification_text.ts";

const RATINGS: Readonly<Record<VerificationVerdict, Rating>> = {
  stale: "bad",
  failed: "bad",
  differs: "bad",
  incomplete: "bad",
  unproven: "open",
  consistent: "good",
};

const CALL_RATINGS: Readonly<Record<CallResult, Rating>> = {
  "stale": "bad",
  "unproven": "open",
  "differs": "bad",
  "not sent": "bad",
  "consistent": "good",
};

/** Creates the review of a verification. Hides the credentials of the recording. */
export function verificationReview(
  found: Verification,
  plan: Plan,
  recording: Recording,
): Review {
  const names = new Map(found.calls.map(({ entry, call }) => [entry, call]));
  const nameOf = (index: number, entry: number | undefined) =>
    names.get(entry ?? 0) ?? `request ${index + 1} of the plan`;
  const findings = findingsReview(found);
  return hiddenFindings({
    ...findings,
    calls: verifiedCalls(found, recording),
    values: [...findings.values, ...planValues(plan, recording, nameOf)],
  }, recordedSecretHider(recording));
}

export function findingsReview(found: Verification): Review {
  return {
    title: "Verification",
    rating: RATINGS[found.verdict],
    verdict: describeVerdict(found),
    facts: [describeCalls(found), describeCallVerdicts(found)],
    calls: [],
    values: doubtfulValues(found),
    differences: verifiedDifferences(found),
    actual: "sent",
    notes: findingNotes(found),
  };
}

function verifiedCalls({ calls }: Verification, recording: Recording): ReviewCall[] {
  const partsOf = recordedParts(recording);
  return calls.map(({ call, entry, verdict, dependsOn }) => ({
    name: call,
    ...partsOf(entry, call),
    result: verdict,
    rating: CALL_RATINGS[verdict],
    ...(dependsOn !== undefined && { reason: `depends on ${dependsOn}` }),
  }));
}

function doubtfulValues({ stale, unproven }: Verification): ReviewValue[] {
  const key = (parts: readonly unknown[]) => JSON.stringify(parts);
  const byStale = Map.groupBy(stale, ({ value, why, producer }) => key([value, why, producer]));
  const rank = ({ reason }: UnprovenValue) => Object.keys(ORIGINS).indexOf(reason);
  const byUnproven = Map.groupBy(
    unproven.toSorted((a, b) => rank(a) - rank(b)),
    ({ value, reason, producer }) => key([value, reason, producer]),
  );
  return [
    ...[...byStale.values()].map((places) => ({
      fix: "no extractor finds it there",
      ...doubtful(places),
      result: "stale",
      rating: "bad" as const,
      reason: `sent ${places[0].why}`,
    })),
    ...[...byUnproven.values()].map((places) => ({
      ...doubtful(places),
      result: "unproven",
      rating: "open" as const,
      reason: ORIGINS[places[0].reason](places[0].producer ?? ""),
    })),
  ];
}

function doubtful(
  places: readonly Counted<StaleValue | UnprovenValue>[],
): Pick<ReviewValue, "recorded" | "from" | "to" | "edit" | "fix" | "count"> {
  const [{ value, producer, extractor, write }] = places;
  const fix = describeFix(places[0]);
  const edit = producer !== undefined && extractor !== undefined
    ? editText({ call: producer, extractor, write, consumers: places.map(({ call }) => call) })
    : fix;
  return {
    recorded: value,
    ...(producer !== undefined && {
      from: { call: producer, ...(extractor && { place: describeExtractor(extractor) }) },
    }),
    to: places.map(({ call, place }) => ({ call, place })),
    ...(edit !== undefined && { edit, fix }),
    count: places.reduce((sum, { count }) => sum + count, 0),
  };
}

function verifiedDifferences({ differing }: Verification): ReviewDifference[] {
  return differing.map(({ call, place, recorded, sent, count }) => ({
    rating: "bad",
    call,
    what: place,
    recorded,
    actual: sent,
    count,
  }));
}

function findingNotes(
  { nothingFound, unsent, neverMade, missingBodies, added }: Verification,
): ReviewNote[] {
  const times = (count: number) => count > 1 ? `, ${count} times` : "";
  return [
    ...nothingFound.map(({ request, message, count }) => ({
      rating: "bad" as const,
      kind: "extractor found nothing",
      subject: request,
      message: message + times(count),
    })),
    ...unsent.map(({ request, message, count }) => ({
      rating: "bad" as const,
      kind: "request not sent",
      subject: request,
      message: message + times(count),
    })),
    ...neverMade.map(({ call, count }) => ({
      rating: "bad" as const,
      kind: "call not sent",
      subject: call,
      message: `missing in ${plural(count, "iteration")}`,
    })),
    ...missingBodies.map(({ call }) => ({
      rating: "open" as const,
      kind: "call without a body",
      subject: call,
      message: "the recording lacks the body of the request or of the response",
    })),
    ...added.map(({ method, url, like, count }) => ({
      rating: "good" as const,
      kind: "request that the plan adds",
      subject: `${method} ${url}`,
      message: (like === undefined ? "got status 404" : `got the response recorded for ${like}`) +
        times(count),
    })),
  ];
}

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
    actual: "sent",
    notes: reviewedNotes,
  }, recordedSecretHider(recording));
}

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
