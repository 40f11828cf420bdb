import { compileValue } from "../../flow/compile_value.ts";
import { metricValue } from "../../flow/metric_value.ts";
import { staticTags } from "../../flow/scope.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `metric` step: records a value of a metric. If the value cannot be evaluated, records an error.
 */
export const metric: StepRuntime<"metric"> = {
  compile({ name, type, value = 1, tags }, scope) {
    const compiled = compileValue(value, scope);
    const record = scope.recorder.ownMetric(name, type, staticTags(scope, tags));
    const report = scope.recorder.stepErrors(scope.scenario, `metric ${name}`);
    return (vu) => {
      let fault: string | undefined;
      try {
        fault = record(metricValue(type, compiled.render(vu)));
      } catch (error) {
        if (!(error instanceof TemplateFault)) throw error;
        fault = error.message;
      }
      if (fault !== undefined) report({ kind: "template", message: fault });
    };
  },
  conditions: () => [],
  lists: () => [],
};
