import type { Vu } from "./vu.ts";

/**
 * A compiled step; `now` is the time on the clock, for the first one of an iteration, so that it need
 * not look again. Gives nothing when it was done at once. Throws, or rejects with, `FlowEnd`.
 */
export type Op = (vu: Vu, now?: number) => Promise<void> | void;

/** Steps one after the other. */
export function sequence(ops: readonly Op[]): Op {
  if (ops.length === 1) return ops[0];
  return async (vu, now) => {
    for (let i = 0; i < ops.length; i++) {
      const waits = ops[i](vu, i === 0 ? now : undefined);
      if (waits) await waits;
    }
  };
}
