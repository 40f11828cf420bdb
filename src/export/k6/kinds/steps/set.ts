import { optional } from "../../flow/js_value.ts";
import { valueCode } from "../../flow/template_code.ts";
import type { StepWriter } from "./step_writer.ts";

/** Writes `set` steps as JavaScript. */
export const set: StepWriter<"set"> = {
  write: (values, scope) =>
    Object.entries(values).map(([name, value]) => {
      const code = optional(valueCode(value, scope), scope);
      return `${scope.assign(name)} = ${code};`;
    }).join("\n"),
};
