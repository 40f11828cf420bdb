import { percent, plural } from "../../convert/wording.ts";
import type { StaleValue, Verification } from "../../verify/verification.ts";

/** How the plan was played, and what came of it. */
export function playedWords(
  { users, iterations, recorded, sent, matched, share }: Verification,
): string {
  const load = `${plural(users, "user")}, ${plural(iterations, "iteration")} each`;
  return `${load}: ${plural(recorded, "recorded call")}, ${plural(sent, "request")} sent, ` +
    `${plural(matched, "request")} as recorded (${percent(share, 1)})`;
}

/** What a verification comes to. */
export function verdictWords(
  { proven, stale, nothingFound, unsent, matched, share }: Verification,
): string {
  if (proven) {
    return share === 1
      ? "proven: nothing stale was sent, every call was as recorded"
      : "proven: nothing stale was sent; not every call was as recorded, see above";
  }
  const faults = [
    stale.length > 0 &&
    `${
      plural(
        new Set(stale.map(({ value, why }) => JSON.stringify([value, why]))).size,
        "stale value",
      )
    } would be sent`,
    nothingFound.length > 0 && "extractors find nothing",
    unsent.length > 0 && "requests cannot be sent",
    matched === 0 && "no request was as recorded",
  ];
  return `not proven: ${faults.filter((fault) => fault !== false).join(", ")}`;
}

/** What to do about a stale value, at the call that gives it. */
export function remedyWords({ extractor, write }: StaleValue): string {
  if (extractor === undefined) return "leave the Cookie header out: each user's jar sends it";
  return `extract: [${JSON.stringify(extractor)}] there, and write ${write}`;
}
