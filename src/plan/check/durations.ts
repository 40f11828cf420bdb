import { durationMs, formatMs } from "../../base/duration.ts";
import type { CheckContext } from "./check_context.ts";

/** Keys whose durations are short, so that a large bare number was probably meant as milliseconds. */
const SHORT = ["timeout", "think_time", "backoff", "mean", "std_dev", "interval"];
const SUSPICIOUS_SECONDS = 1_000;
const YEAR_MS = 366 * 86_400_000;

/** Warns about durations that are probably not what was meant. */
export function checkDuration(walk: CheckContext, value: string | number): void {
  const ms = durationMs(value)!;
  const key = walk.path.findLast((part) => typeof part === "string");
  if (typeof value === "number" && value >= SUSPICIOUS_SECONDS && SHORT.includes(String(key))) {
    walk.report("long-duration", `${value} is ${formatMs(ms)}: a bare number is in seconds`, {
      hint: `write ${value}ms or ${value}s`,
      severity: "warning",
    });
  } else if (ms > YEAR_MS) {
    walk.report("long-duration", `${value} is ${formatMs(ms)}, more than a year`, {
      severity: "warning",
    });
  }
}
