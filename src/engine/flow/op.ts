import type { Vu } from "./vu.ts";

/** A compiled step. Gives nothing when it was done at once. Throws, or rejects with, `FlowEnd`. */
export type Op = (vu: Vu) => Promise<void> | void;

/** Steps one after the other. */
export function sequence(ops: readonly Op[]): Op {
  if (ops.length === 1) return ops[0];
  return async (vu) => {
    for (let i = 0; i < ops.length; i++) {
      const waits = ops[i](vu);
      if (waits) await waits;
    }
  };
}
