import { compileValue } from "../../flow/compile_value.ts";
import { assignedIndex } from "../../flow/scope.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `set` step: sets variables. If a value cannot be evaluated, records an error and unsets the
 * variable.
 */
export const set: StepRuntime<"set"> = {
  compile(values, scope) {
    const ops = Object.entries(values).map(([name, value]) => ({
      value: compileValue(value, scope),
      index: assignedIndex(scope, name),
      report: scope.recorder.stepErrors(scope.scenario, `set ${name}`),
    }));
    return (vu) => {
      for (const { value, index, report } of ops) {
        try {
          vu.variables[index] = value.render(vu);
        } catch (error) {
          if (!(error instanceof TemplateFault)) throw error;
          vu.variables[index] = undefined;
          report({ kind: "template", message: error.message });
        }
      }
    };
  },
  conditions: () => [],
  lists: () => [],
};
