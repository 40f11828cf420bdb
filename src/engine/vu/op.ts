import type { Vu } from "./vu.ts";

/**
 * Compiled step. `now` is the current time on the clock, which the first step of an iteration gets
 * to save a clock read. Returns undefined if the step completed synchronously. Throws, or rejects
 * with, `FlowEnd` if the step ends the iteration early.
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
