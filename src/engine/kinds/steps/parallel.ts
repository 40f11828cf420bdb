import type { Step } from "../../../plan/kinds/steps/steps.ts";
import type { CompileSteps } from "./compile_steps.ts";
import type { Op } from "../../vu/op.ts";
import type { Scope } from "../../flow/scope.ts";
import type { Vu } from "../../vu/vu.ts";

/**
 * Compiles a `parallel` step, which runs several lists of steps at the same time. The lists share
 * the VU's variables, cookies and connections. The step ends when all lists have ended. If a list
 * threw `FlowEnd`, the step then throws it too.
 */
export async function compileParallel(
  { branches, max = branches.length }: NonNullable<Step["parallel"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const ops = await Promise.all(branches.map((steps) => compile(steps, scope)));
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
}

async function runBranch(op: Op, vu: Vu): Promise<void> {
  const branch = vu.branch();
  try {
    await op(branch);
  } finally {
    vu.join(branch);
  }
}
