import { percentText, plural } from "../../base/format.ts";
import type { StaleValue, UnprovenValue, Verification } from "../../verify/result/verification.ts";

/** Summarizes the load of a verification and its requests. */
export function describeCalls(
  { users, iterations, recorded, sent, matched, share }: Verification,
): string {
  const load = `${plural(users, "user")}, ${plural(iterations, "iteration")} each`;
  return `${load}: ${plural(recorded, "recorded call")}, ${plural(sent, "request")} sent, ` +
    `${plural(matched, "request")} as recorded (${percentText(share, 1)})`;
}

/** States the result. It never claims a proof, because only the live application can give one. */
export function describeVerdict(found: Verification): string {
  const { verdict, stale, unproven, nothingFound, unsent, matched, share, isForeign } = found;
  if (verdict !== "failed") {
    const count = plural(countDistinctValues(unproven), "value");
    const words = verdict === "consistent"
      ? "nothing stale found: consistent with the recording"
      : `nothing stale found; ${count} unproven: the server could generate ${
        countDistinctValues(unproven) === 1 ? "another" : "others"
      }, see above`;
    return share === 1 ? words : `${words}; not every request was as recorded, see above`;
  }
  const faults = [
    isForeign &&
    "the recording does not seem to belong to the plan: it contains hardly any of the requests",
    stale.length > 0 && `${plural(countStaleValues(stale), "stale value")} would be sent`,
    nothingFound.length > 0 && "extractors find nothing",
    unsent.length > 0 && "requests cannot be sent",
    matched <= 0 && "no request was as recorded",
  ];
  return `failed: ${faults.filter((fault) => fault !== false).join(", ")}`;
}

/** Counts distinct values. */
export function countDistinctValues(list: readonly { readonly value: string }[]): number {
  return new Set(list.map(({ value }) => value)).size;
}

/** States where an unproven value comes from. */
export function describeOrigin({ producer }: UnprovenValue): string {
  return producer === undefined
    ? "looks random, and no earlier response contains it"
    : `the response to ${producer} contains it`;
}

function countStaleValues(stale: readonly StaleValue[]): number {
  return new Set(stale.map(({ value, why }) => JSON.stringify([value, why]))).size;
}

/** Describes the fix for a stale value, at the call that returns it. */
export function describeFix({ extractor, write }: StaleValue): string {
  if (extractor === undefined) return "remove the Cookie header: each user's cookie jar sends it";
  return `add \`extract: [${JSON.stringify(extractor)}]\` there and write \`${write}\``;
}
