import type { Op } from "../../vu/op.ts";
import type { Vu } from "../../vu/vu.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `parallel` step: runs several lists of steps at the same time. The lists share the variables and
 * cookies of the VU. The step ends when all lists have ended. If a list fails, the step rejects
 * with the error of that list.
 */
export const parallel: StepRuntime<"parallel"> = {
  compile({ branches, max = branches.length }, scope, compileSteps) {
    const assigned = branches.map(() => new Set<number>());
    const ops = branches.map((steps, i) =>
      compileSteps(steps, {
        ...scope,
        assigned: [...scope.assigned, assigned[i]],
        concurrent: [...scope.concurrent, ...assigned.toSpliced(i, 1)],
      })
    );
    return async (vu) => {
      const waiting = ops.values();
      const work = async () => {
        for (const op of waiting) await runBranch(op, vu);
      };
      const results = await Promise.allSettled(
        Array.from({ length: Math.min(max, ops.length) }, work),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
    };
  },
  conditions: () => [],
  lists: ({ branches }) => branches,
};

async function runBranch(op: Op, vu: Vu): Promise<void> {
  const branch = vu.branch();
  try {
    await op(branch);
  } finally {
    vu.join(branch);
  }
}
