import { plural } from "../../base/format.ts";
import { mapLeaves } from "../../traffic/session/body_fields.ts";
import type { StaleValue, UnprovenReason } from "../../verify/findings.ts";
import type { Verification, VerificationVerdict } from "../../verify/verify_plan.ts";

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

/**
 * Reasons why the recording cannot show whether a value is right, the most likely problems first.
 * The argument is the call whose response contains the value.
 */
export const ORIGINS: Readonly<Record<UnprovenReason, (producer: string) => string>> = {
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

/**
 * Describes the edit to the plan that replaces a recorded value in a request: the template to use
 * instead, and the extractor to add to an earlier call if the template needs one, or the header to
 * remove. Returns undefined if there is no such edit.
 */
export function describeFix(
  { extractor, write, place, reason }:
    & Pick<StaleValue, "extractor" | "write" | "place">
    & { readonly reason?: UnprovenReason },
): string | undefined {
  if (extractor === undefined && write !== "") {
    return `write \`${write}\`${write.includes("${unique}") ? " if the value must be unique" : ""}`;
  }
  if (extractor !== undefined) {
    return `add \`extract: [${JSON.stringify(extractor)}]\` there and write \`${write}\``;
  }
  // The plan does not send a cookie that no recorded response sets.
  return place.startsWith("cookie ") && reason !== "cookie"
    ? "remove the Cookie header: each user's cookie jar sends it"
    : undefined;
}

/**
 * Returns a review or findings with `hide` applied to each string, so that they show no secrets.
 */
export function hiddenFindings<Findings>(
  findings: Findings,
  hide: (text: string) => string,
): Findings {
  return mapLeaves(
    findings,
    (value) => typeof value === "string" ? hide(value) : value,
  ) as Findings;
}
