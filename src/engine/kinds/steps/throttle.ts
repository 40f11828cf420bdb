import type { Op } from "../../vu/op.ts";
import { pauseUntil } from "./think_time.ts";

/**
 * Returns a step that delays requests so that at least `gapMs` milliseconds pass between two
 * requests of any VUs.
 */
export function throttled(gapMs: number): Op {
  let next = -Infinity;
  return (vu) => {
    const now = vu.clock.now();
    const turn = Math.max(now, next);
    next = turn + gapMs;
    return turn > now ? pauseUntil(vu, turn) : undefined;
  };
}
