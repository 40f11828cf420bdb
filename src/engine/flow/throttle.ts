import type { Op } from "./op.ts";
import { pauseUntil } from "./think_time.ts";

/** Lets a request through every `gapMs`, whichever VU it is of. */
export function throttled(gapMs: number): Op {
  let next = -Infinity;
  return (vu) => {
    const now = vu.clock.now();
    const turn = Math.max(now, next);
    next = turn + gapMs;
    return turn > now ? pauseUntil(vu, turn) : undefined;
  };
}
