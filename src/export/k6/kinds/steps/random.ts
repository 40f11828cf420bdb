import { indent, listCode } from "../../js/code_layout.ts";
import { commentText } from "../../js/literal.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `random` steps as a `switch` on a random index. */
export const random: StepWriter<"random"> = {
  write({ strategy = "weighted", choices }, scope, writeSteps) {
    const { script } = scope;
    const weights = choices.map(({ weight = 1 }) => strategy === "uniform" ? 1 : weight);
    const cases = choices.map(({ name, steps }, i) => {
      const comment = name === undefined ? "" : ` // ${commentText(name)}`;
      const body = scope.branch(() => writeSteps(steps, scope));
      return `case ${i}: {${comment}\n${indent(`${body}\nbreak;`)}\n}`;
    });
    const index = strategy === "round_robin"
      ? roundRobin(choices.length)
      : `${script.use("choose")}(${listCode(weights.map(String))})`;
    return `switch (${index}) {\n${indent(cases.join("\n"))}\n}`;

    function roundRobin(count: number): string {
      script.note("k6-round-robin", scope.name, "the iteration number selects the choice");
      if (scope.kind !== "scenario") return "0";
      script.import("k6/execution", "default");
      return `exec.scenario.iterationInTest % ${count}`;
    }
  },
};
