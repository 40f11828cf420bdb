import type { Vu } from "./vu.ts";

/**
 * Compiled step. `now` is the current time, passed to an iteration's first step to save a clock
 * read. Returns nothing if it completed synchronously. Throws, or rejects with, `FlowEnd`.
 */
export type Op = (vu: Vu, now?: number) => Promise<void> | void;

/** Combines steps into one that runs them in order. */
export function sequence(ops: readonly Op[]): Op {
  if (ops.length === 1) return ops[0];
  return async (vu, now) => {
    for (let i = 0; i < ops.length; i++) {
      const waits = ops[i](vu, i === 0 ? now : undefined);
      if (waits) await waits;
    }
  };
}
