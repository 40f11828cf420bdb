import { formatMs } from "../base/format.ts";
import { secondsToWait } from "../outcome/judge_response.ts";
import type { CalibrationOptions } from "./calibration_options.ts";
import type { SenderGuards } from "./guarded_sender.ts";
import type { RateLimitWaits } from "./rate_limit_waits.ts";

/**
 * Returns a function that waits if the response to a request that opens a WebSocket has status 429
 * or 503. Also call it with the response that opens the WebSocket, which shows that the server
 * accepts requests. It does not wait if `isOver` returns true or `limits` allows no further wait.
 */
export function waitsToOpen(
  limits: RateLimitWaits,
  options: Pick<CalibrationOptions, "now" | "sleep" | "onRound">,
  isOver: () => boolean,
): SenderGuards["waitToOpen"] {
  return async ({ status, headers: pairs }, waits) => {
    const headers = pairs.map(([name, value]) => ({ name, value }));
    const rateLimit = secondsToWait(undefined, { status, headers }, options.now());
    if (status === 101) limits.add({}, status);
    if (rateLimit === undefined || isOver()) return false;
    limits.add({ rateLimit }, status);
    const ms = limits.next({ rateLimit }, waits);
    if (ms === undefined) return false;
    options.onRound?.(
      `  WebSocket: waiting ${formatMs(ms)} (the server reported a rate limit or an overload)`,
    );
    await options.sleep(ms);
    return !isOver();
  };
}
