import { objectCode } from "../../js/code_layout.ts";
import { stringLiteral } from "../../js/literal.ts";
import { optional } from "../../flow/js_value.ts";
import { valueCode } from "../../flow/template_code.ts";
import { recordCode } from "./request.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `metric` steps as JavaScript. */
export const metric: StepWriter<"metric"> = {
  write({ name, type, value = 1, tags = {} }, scope) {
    const own = Object.entries(tags);
    const tagCode = own.length === 0
      ? undefined
      : objectCode(own.map(([tag, value]) => [tag, stringLiteral(String(value))]));
    const code = optional(valueCode(value, scope), scope);
    if (/^[\w.]+$/.test(code)) return recordCode(name, type, code, tagCode, scope);
    const variable = scope.hoist(`${name} value`, code);
    return [...scope.takeHoisted(), recordCode(name, type, variable, tagCode, scope)].join("\n");
  },
};
