import { formatThousands, percentText, plural } from "../../base/format.ts";
import type { HarConversion } from "../../convert/from_har.ts";
import type { OpenValue } from "../../convert/har/plan_notes.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import { noteLevel } from "../../convert/notes/notes.ts";
import { listRequests, recordedEntry } from "../../plan/kinds/list_requests.ts";
import { requestName } from "../../plan/kinds/request.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type {
  Rating,
  Review,
  ReviewCall,
  ReviewNote,
  ReviewValue,
} from "../../report/text/review.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { Counted, StaleValue, UnprovenValue } from "../../verify/findings.ts";
import type {
  CallResult,
  PlanFault,
  Verification,
  VerificationVerdict,
} from "../../verify/verify_plan.ts";
import {
  describeExtractor,
  editText,
  planValues,
  recordedParts,
  reviewNotes,
} from "./review_parts.ts";
import { describeFix, describeVerdict, hiddenFindings, ORIGINS } from "./verification_text.ts";

const RATINGS: Readonly<Record<VerificationVerdict | CallResult, Rating>> = {
  "stale": "bad",
  "failed": "bad",
  "differs": "bad",
  "incomplete": "bad",
  "not sent": "bad",
  "unproven": "open",
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
  const partsOf = recordedParts(recording);
  const findings = findingsReview(found);
  return hiddenFindings({
    ...findings,
    calls: found.calls.map(({ call, entry, verdict, dependsOn }) => ({
      name: call,
      ...partsOf(entry, call),
      result: verdict,
      rating: RATINGS[verdict],
      ...(dependsOn !== undefined && { reason: `depends on ${dependsOn}` }),
    })),
    values: [...findings.values, ...planValues(plan, recording, nameOf)],
  }, recordedSecretHider(recording));
}

/** Creates the review of a verification without its calls and without the values that are right. */
export function findingsReview(found: Verification): Review {
  return {
    title: "Verification",
    rating: RATINGS[found.verdict],
    verdict: describeVerdict(found),
    facts: [describeCalls(found), describeCallVerdicts(found)],
    calls: [],
    values: doubtfulValues(found),
    differences: found.differing.map(({ place, sent, ...difference }) => ({
      ...difference,
      rating: "bad",
      what: place,
      actual: sent,
    })),
    actual: "sent",
    notes: findingNotes(found),
  };
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

function findingNotes(
  { nothingFound, unsent, neverMade, missingBodies, added }: Verification,
): ReviewNote[] {
  const often = (text: string, count: number) => count > 1 ? `${text}, ${count} times` : text;
  const faults = (list: readonly Counted<PlanFault>[]) =>
    list.map(({ request, message, count }) => [request, often(message, count)] as const);
  return [
    ...reviewNotes("bad", "extractor found nothing", faults(nothingFound)),
    ...reviewNotes("bad", "request not sent", faults(unsent)),
    ...reviewNotes(
      "bad",
      "call not sent",
      neverMade.map(({ call, count }) => [call, `missing in ${plural(count, "iteration")}`]),
    ),
    ...reviewNotes(
      "open",
      "call without a body",
      missingBodies.map(({ call }) => [
        call,
        "the recording lacks the body of the request or of the response",
      ]),
    ),
    ...reviewNotes(
      "good",
      "request that the plan adds",
      added.map(({ method, url, like, count }) => [
        `${method} ${url}`,
        often(
          like === undefined ? "got status 404" : `got the response recorded for ${like}`,
          count,
        ),
      ]),
    ),
  ];
}

/** Creates the review of a conversion. Hides the credentials of the recording. */
export function conversionReview(
  { plan, notes, summary, openValues }: HarConversion,
  recording: Recording,
): Review {
  const found = notes.map((note): ReviewNote => {
    const { code, subject, message } = note;
    const rating = noteLevel(note) === "warning" ? "open" : "good";
    return { rating, kind: code, subject, message };
  });
  const names = plannedNames(plan);
  const nameOf = (entry: number) => names.get(entry) ?? `entry ${entry}`;
  const values = [
    ...openValues.map((value) => openValue(value, nameOf)),
    ...planValues(
      plan,
      recording,
      (index, entry) => entry === undefined ? `request ${index + 1}` : nameOf(entry),
    ),
  ];
  return hiddenFindings({
    title: "Conversion",
    verdict: summary,
    rating: found.some(({ rating }) => rating === "open") ? "open" : "good",
    facts: [],
    calls: plannedCalls(names, values, recording),
    values,
    differences: [],
    actual: "sent",
    notes: found,
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
  const sends = (name: string, wanted: Rating) =>
    values.some(({ rating, to }) => rating === wanted && to.some(({ call }) => call === name));
  return [...names].map(([entry, name]) => ({
    name,
    ...partsOf(entry, name),
    ...(sends(name, "open")
      ? { result: "sends a recorded value", rating: "open" as const }
      : { result: sends(name, "good") ? "correlated" : "as recorded", rating: "good" as const }),
  }));
}

function openValue(
  { value, producer, to, extractor, write, reason }: OpenValue,
  nameOf: (entry: number) => string,
): ReviewValue {
  const call = nameOf(producer);
  const places = to.map(({ entry, place }) => ({ call: nameOf(entry), place }));
  const consumers = places.map(({ call }) => call);
  return {
    recorded: value,
    result: "sent as recorded",
    rating: "open",
    from: { call, place: describeExtractor(extractor) },
    to: places,
    reason,
    edit: editText({ call, extractor, write, consumers }),
  };
}

function describeCalls(
  { users, iterations, recorded, sent, matched, share }: Verification,
): string {
  const load = `${plural(users, "user")}, ${plural(iterations, "iteration")} each`;
  return `${load}: ${plural(recorded, "recorded call")}, ${plural(sent, "call")} sent, ` +
    `${formatThousands(Math.round(matched))} matched the recording (${percentText(share, 1)})`;
}

function describeCallVerdicts({ calls }: Verification): string {
  const counts = Map.groupBy(calls, ({ verdict }) => verdict);
  const order: readonly CallResult[] = ["stale", "unproven", "differs", "not sent", "consistent"];
  const parts = order.flatMap((verdict) => {
    const count = counts.get(verdict)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return `recorded calls: ${parts.join(", ")}`;
}
