import { blockCode, callCode, listCode } from "../../js/code_layout.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `parallel` steps with asynchronous functions. */
export const parallel: StepWriter<"parallel"> = {
  write({ branches, max = branches.length }, scope, writeSteps) {
    const functions = branches.map((steps) =>
      scope.parallelBranch(() => {
        const body = writeSteps(steps, scope);
        const declarations = [
          ...(scope.usesResponse ? ["let res;"] : []),
          ...(scope.pauses === "tracked" ? ["let pauseDue = false;"] : []),
        ];
        return blockCode("async () =>", [...declarations, body].join("\n"));
      })
    );
    const call = scope.script.use("inParallel");
    return `await ${callCode(call, [String(max), listCode(functions)])};`;
  },
};
