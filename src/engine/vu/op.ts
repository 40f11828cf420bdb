import type { Vu } from "./vu.ts";

/**
 * Compiled step or flow. Returns undefined if it completed synchronously. Throws FlowEnd, or
 * rejects with it, to end the iteration early. `now` is the current clock time. Only the first step
 * of an iteration receives it, to save a clock read.
 */
export type Op = (vu: Vu, now?: number) => Promise<void> | void;

/** Combines compiled steps into one that runs them in order. */
export function sequence(ops: readonly Op[]): Op {
  if (ops.length === 1) return ops[0];
  return async (vu, now) => {
    for (let i = 0; i < ops.length; i++) {
      const waits = ops[i](vu, i === 0 ? now : undefined);
      if (waits) await waits;
    }
  };
}
