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
import type { Counted, StaleValue, UnprovenReason, UnprovenValue } from "../../verify/findings.ts";
import type {
  CallResult,
  PlanFault,
  Verification,
  VerificationVerdict,
} from "../../verify/verify_plan.ts";
import {
  describeExtractor,
  describeFix,
  editText,
  hiddenFindings,
  planValues,
  recordedParts,
  reviewNotes,
} from "./review_parts.ts";

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

/**
 * Formats the result of a verification as one line: the verdict, the number of calls that are as
 * recorded, and the next step. The text never claims that the plan works, because only a run
 * against the live application can prove that.
 */
function describeVerdict(found: Verification): string {
  const { verdict, calls, users, iterations } = found;
  const good = calls.filter((call) => /^(?:consistent|unproven)$/.test(call.verdict)).length;
  const load = `for ${plural(users, "user")} in ${plural(iterations, "iteration")}`;
  const next = NEXT[verdict](found);
  return `${verdict}: ${good} of ${plural(calls.length, "call")} as recorded ${load}; ${next}`;
}

const NEXT: Readonly<Record<VerificationVerdict, (found: Verification) => string>> = {
  stale: ({ stale }) =>
    `${plural(countStaleValues(stale), "value")} of the recorded session would be sent: ` +
    "extract what is listed below",
  failed: ({ isForeign, nothingFound, unsent }) =>
    isForeign
      ? "the recording does not seem to belong to the plan: it contains hardly any of the plan's requests"
      : [
        nothingFound.length > 0 && "extractors find nothing",
        unsent.length > 0 && "requests cannot be sent",
      ].filter((fault) => fault !== false).join(", ") || "no request matches the recording",
  differs: () => "correct the calls that are listed below",
  incomplete: () =>
    "send the calls that are listed below, or list their entries in `recorded.left_out` of the plan",
  unproven: (found) => `${describeUnproven(found)}: \`--explain\` lists what is open`,
  consistent: () => "prove the plan on the live application with `rehearse calibrate`",
};

/** Describes why a verification without stale values cannot show that all values are right. */
function describeUnproven({ unproven, missingBodies, added }: Verification): string {
  const repeated = added.filter(({ isWrite }) => isWrite);
  const parts = [
    unproven.length > 0 &&
    `${plural(countDistinctValues(unproven), "value")} could be different on the server`,
    missingBodies.length > 0 &&
    `the recording lacks bodies of ${plural(missingBodies.length, "call")}`,
    repeated.length > 0 && `the plan repeats ${plural(repeated.length, "recorded write")}`,
  ];
  return parts.filter((part) => part !== false).join(", and ");
}

function countDistinctValues(list: readonly { readonly value: string }[]): number {
  return new Set(list.map(({ value }) => value)).size;
}

/**
 * Reasons why the recording cannot show whether a value is right, the most likely problems first.
 * The argument is the call whose response contains the value.
 */
const ORIGINS: Readonly<Record<UnprovenReason, (producer: string) => string>> = {
  "other value": (producer) =>
    `recorded in the response to ${producer}; the plan sends something else`,
  "other object": (producer) =>
    `the plan takes it from a different kind of object; the response to ${producer} contains it too`,
  "position": (producer) =>
    `deleted by its position in the response to ${producer}; it may be another user's`,
  "cookie": () =>
    "no recorded response sets this cookie: the recording starts in the middle of a session",
  "same text": () =>
    "typed by the user; the server may refuse the same text in another iteration or from another user",
  "response": (producer) => `sent as recorded; the response to ${producer} contains it`,
  "random": () => "sent as recorded; looks random, and no earlier response contains it",
  "constant": (producer) => `looks constant, although the response to ${producer} contains it`,
};

function countStaleValues(stale: readonly StaleValue[]): number {
  return new Set(stale.map(({ value, why }) => JSON.stringify([value, why]))).size;
}
