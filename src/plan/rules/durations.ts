import { durationMs, formatMs } from "../../base/duration.ts";
import type { CheckContext } from "./check_context.ts";

/** Keys whose durations are short, so that a large number without a unit probably means milliseconds. */
const SHORT = ["timeout", "think_time", "backoff", "mean", "std_dev", "interval"];
const SUSPICIOUS_SECONDS = 1_000;
const YEAR_MS = 366 * 86_400_000;

/** Warns about durations that are probably mistakes. */
export function checkDuration(context: CheckContext, value: string | number): void {
  const ms = durationMs(value)!;
  const key = context.path.findLast((part) => typeof part === "string");
  if (typeof value === "number" && value >= SUSPICIOUS_SECONDS && SHORT.includes(String(key))) {
    context.report(
      "long-duration",
      `${value} is ${formatMs(ms)}: a number without a unit is in seconds`,
      {
        hint: `write ${value}ms or ${value}s`,
        severity: "warning",
      },
    );
  } else if (ms > YEAR_MS) {
    context.report("long-duration", `${value} is ${formatMs(ms)}, more than a year`, {
      severity: "warning",
    });
  }
}
