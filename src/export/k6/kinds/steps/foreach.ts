import { parseTemplate } from "../../../../plan/text/template.ts";
import { expressionCode } from "../../flow/expression_code.ts";
import { optional } from "../../flow/js_value.ts";
import { dataCode } from "../../flow/rows.ts";
import { blockCode } from "../../js/code_layout.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `foreach` steps as JavaScript. */
export const foreach: StepWriter<"foreach"> = {
  write({ items, as, steps }, scope, writeSteps) {
    const list = listOf();
    const item = scope.assign(as);
    const body = scope.withItem(as, () => writeSteps(steps, scope));
    return blockCode(`for (${item} of ${list})`, body);

    function listOf(): string {
      if (typeof items !== "string") return dataCode(items, scope.script);
      const [expression, ...more] = parseTemplate(items);
      if (more.length > 0 || expression.kind === "text") return "[]";
      return `${scope.script.use("listIn")}(${optional(expressionCode(expression, scope), scope)})`;
    }
  },
};
