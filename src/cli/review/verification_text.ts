import { formatThousands, percentText, plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { listSection, type Section } from "../../report/blocks.ts";
import { printText, style } from "../../report/text/print_blocks.ts";
import type {
  Counted,
  Difference,
  StaleValue,
  UnprovenReason,
  UnprovenValue,
} from "../../verify/comparison.ts";
import type {
  CallVerdict,
  PlanFault,
  Verification,
  VerificationVerdict,
} from "../../verify/verification.ts";

/** Maximum number of entries per section, so that the text fits on one screen. */
const MAX_ENTRIES = 6;

/**
 * Formats the findings of a verification as text: the result, then what is not as recorded and,
 * with `explain`, what the recording cannot show. Recorded text is escaped.
 */
export function verificationText(found: Verification, explain: boolean): string {
  const { stale, unproven, differing, neverMade, added, missingBodies } = found;
  const names = (calls: readonly { readonly call: string; readonly count?: number }[]) =>
    calls.map(({ call, count = 1 }) => shown(call, 100) + times(count));
  const sections = [
    findings("Stale values", byValue(stale).map(staleLines)),
    findings("Extractors that found nothing", found.nothingFound.map(faultLine)),
    findings("Requests that could not be sent", found.unsent.map(faultLine)),
    findings("Calls that differ", byDifference(differing).map(differenceLine)),
    findings("Recorded calls not sent", names(neverMade)),
    ...(explain
      ? [
        findings("Unproven values", byUnproven(unproven).map(unprovenLines)),
        findings("Calls whose bodies the recording lacks", names(missingBodies)),
        findings("Requests that the plan adds", added.map(addedLine)),
      ]
      : []),
  ];
  const listed = printText(sections, style(false, Infinity)).join("\n").trimEnd();
  return [
    describeVerdict(found),
    ...(listed === "" ? [] : ["", listed]),
    ...(explain ? ["", describeCalls(found), describeCallVerdicts(found)] : []),
    "",
  ].join("\n");
}

function findings(title: string, lines: readonly string[]): Section {
  const more = lines.length - MAX_ENTRIES;
  const rest = more > 0 ? [`(${more} more; \`--format json\` lists all)`] : [];
  return listSection(`${title} (${lines.length})`, [...lines.slice(0, MAX_ENTRIES), ...rest]);
}

/**
 * Groups equal values that are stale for the same reason. The values that were sent most often come
 * first.
 */
function byValue(stale: readonly Counted<StaleValue>[]): Counted<StaleValue>[][] {
  const groups = Map.groupBy(stale, ({ value, why }) => JSON.stringify([value, why]));
  const sent = (places: Counted<StaleValue>[]) => places.reduce((sum, { count }) => sum + count, 0);
  return [...groups.values()].sort((a, b) => sent(b) - sent(a));
}

function staleLines(places: readonly Counted<StaleValue>[]): string {
  const [{ value, why, producer, place, call, count }] = places;
  const more = places.length > 1 ? `, and ${plural(places.length - 1, "more place")}` : "";
  return [
    `${quoted(value, 48)} was sent ${why}: ${shown(place, 40)} of ${shown(call)}${
      times(count)
    }${more}`,
    `  source: ${shown(producer)}; ${
      shown(describeFix(places[0]) ?? "no extractor finds it there", 240)
    }`,
  ].join("\n  ");
}

/**
 * Order in which unproven values (which the recording cannot show to be right) are listed, by
 * reason: the most likely problems come first.
 */
const REASONS: readonly UnprovenReason[] = [
  "other value",
  "other object",
  "cookie",
  "same text",
  "response",
  "random",
  "constant",
];

/**
 * Groups equal values that are unproven for the same reason. The most likely problems come first.
 */
function byUnproven(values: readonly Counted<UnprovenValue>[]): Counted<UnprovenValue>[][] {
  const groups = Map.groupBy(values, ({ value, reason }) => JSON.stringify([value, reason]));
  const rank = ([{ reason }]: Counted<UnprovenValue>[]) => REASONS.indexOf(reason);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

function unprovenLines(places: readonly Counted<UnprovenValue>[]): string {
  const [{ value, place, call }] = places;
  const more = places.length > 1 ? `, and ${plural(places.length - 1, "more place")}` : "";
  const count = places.reduce((sum, { count }) => sum + count, 0);
  const was = SENT_AS[places[0].reason];
  const fix = describeFix(places[0]);
  return [
    `${quoted(value, 48)} was ${was}: ${shown(place, 40)} of ${shown(call)}${more}${times(count)}`,
    `  ${shown(describeOrigin(places[0]), 120)}${fix === undefined ? "" : `; ${shown(fix, 240)}`}`,
  ].join("\n  ");
}

function byDifference(differing: readonly Counted<Difference>[]): Counted<Difference>[][] {
  const key = ({ place, recorded, sent }: Difference) => JSON.stringify([place, recorded, sent]);
  return [...Map.groupBy(differing, key).values()];
}

function differenceLine(calls: readonly Counted<Difference>[]): string {
  const [{ call, place, recorded, sent }] = calls;
  const more = calls.length > 1 ? ` and ${plural(calls.length - 1, "more call")}` : "";
  const count = calls.reduce((sum, { count }) => sum + count, 0);
  const was = recorded === undefined ? "not recorded" : `recorded ${quoted(recorded, 40)}`;
  const is = sent === undefined ? "not sent" : `sent ${quoted(sent, 40)}`;
  return `${shown(call)}${more}: ${shown(place, 40)}: ${was}, ${is}${times(count)}`;
}

function faultLine({ request, message, count }: Counted<PlanFault>): string {
  return `${shown(request)}: ${shown(message, 120)}${times(count)}`;
}

function addedLine({ method, url, like, count }: Verification["added"][number]): string {
  const answer = like === undefined
    ? "got status 404"
    : `got the response recorded for ${shown(like)}`;
  return `${shown(`${method} ${url}`, 100)}${times(count)}: ${answer}`;
}

function times(count: number): string {
  return count > 1 ? `, ${count} times` : "";
}

function shown(text: string, max = 60): string {
  return safeSnippet(text, max);
}

function quoted(text: string, max: number): string {
  return `"${safeSnippet(text, max)}"`;
}

/**
 * Formats the load of a verification, and the numbers of calls, as one line. A call is a request or
 * a WebSocket message.
 */
export function describeCalls(
  { users, iterations, recorded, sent, matched, share }: Verification,
): string {
  const load = `${plural(users, "user")}, ${plural(iterations, "iteration")} each`;
  return `${load}: ${plural(recorded, "recorded call")}, ${plural(sent, "call")} sent, ` +
    `${formatThousands(Math.round(matched))} matched the recording (${percentText(share, 1)})`;
}

/** Formats the number of calls per verdict as one line. */
export function describeCallVerdicts({ calls }: Verification): string {
  const counts = Map.groupBy(calls, ({ verdict }) => verdict);
  const order: readonly CallVerdict[] = ["stale", "unproven", "differs", "not sent", "consistent"];
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
export function describeVerdict(found: Verification): string {
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
export function describeUnproven({ unproven, missingBodies, added }: Verification): string {
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

const SENT_AS: Readonly<Record<UnprovenReason, string>> = {
  "response": "sent as recorded",
  "constant": "sent as recorded",
  "random": "sent as recorded",
  "other value": "not sent",
  "other object": "taken from the wrong response",
  "cookie": "not sent",
  "same text": "sent as recorded",
};

/** Describes why the recording cannot show whether a value is right. */
export function describeOrigin({ producer, reason }: UnprovenValue): string {
  switch (reason) {
    case "response":
      return `the response to ${producer} contains it`;
    case "constant":
      return `looks constant, although the response to ${producer} contains it`;
    case "random":
      return "looks random, and no earlier response contains it";
    case "other value":
      return `recorded in the response to ${producer}; the plan sends something else`;
    case "other object":
      return `the plan takes it from a different kind of object; the response to ${producer} contains it too`;
    case "same text":
      return "typed by the user; the server may refuse the same text in another iteration or from another user";
    case "cookie":
      return "no recorded response sets this cookie: the recording starts in the middle of a session";
  }
}

function countStaleValues(stale: readonly StaleValue[]): number {
  return new Set(stale.map(({ value, why }) => JSON.stringify([value, why]))).size;
}

/**
 * Describes the edit to the plan that replaces a recorded value in a request: the template to use
 * instead, and the extractor to add to an earlier call if the template needs one, or the header to
 * remove. Returns undefined if there is no such edit.
 */
export function describeFix(
  { extractor, write, place }: Pick<StaleValue, "extractor" | "write" | "place">,
): string | undefined {
  if (extractor === undefined && write !== "") {
    return `write \`${write}\` if the value must be unique`;
  }
  if (extractor !== undefined) {
    return `add \`extract: [${JSON.stringify(extractor)}]\` there and write \`${write}\``;
  }
  return place.startsWith("cookie ")
    ? "remove the Cookie header: each user's cookie jar sends it"
    : undefined;
}
