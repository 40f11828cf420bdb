import { durationMs } from "../../../../base/format.ts";
import type { ThinkTime } from "../../../../plan/kinds/think_time.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { secondsText } from "../../js/duration_text.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `think_time` steps as JavaScript. */
export const thinkTimeStep: StepWriter<"think_time"> = {
  write(value, scope) {
    const pause = pauseCode(value, scope);
    const isTracked = scope.pauses === "tracked";
    scope.pauseDue = false;
    return isTracked ? `${pause}\npauseDue = false;` : pause;
  },
};

/** Returns the statement that pauses for a think time. */
export function pauseCode(thinkTime: ThinkTime, scope: FlowScope): string {
  const seconds = secondsCode(thinkTime, scope);
  if (scope.isAsync) return `await ${scope.script.use("pause")}(${seconds});`;
  return `${scope.script.import("k6", "sleep")}(${seconds});`;
}

function secondsCode(thinkTime: ThinkTime, scope: FlowScope): string {
  if (typeof thinkTime !== "object") return secondsText(durationMs(thinkTime)!);
  switch (thinkTime.type) {
    case "constant":
      return secondsText(durationMs(thinkTime.duration)!);
    case "uniform": {
      const [min, max] = [durationMs(thinkTime.min)!, durationMs(thinkTime.max)!];
      return `${secondsText(min)} + Math.random() * ${secondsText(max - min)}`;
    }
    case "gaussian": {
      const [mean, deviation] = [durationMs(thinkTime.mean)!, durationMs(thinkTime.std_dev)!];
      return `${scope.script.use("gaussian")}(${secondsText(mean)}, ${secondsText(deviation)})`;
    }
  }
}
