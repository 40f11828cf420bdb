import { optional } from "../../flow/js_value.ts";
import { templateCode } from "../../flow/template_code.ts";
import { type ConditionWriter, countCode } from "./condition_writer.ts";

/** Writes `body_contains` conditions as JavaScript. */
export const bodyContains: ConditionWriter<"body_contains"> = {
  write({ value, negate, count }, r, scope) {
    const text = templateCode(value, scope);
    const search = optional(text, scope);
    const isKnown = search === text.code && text.needs.length === 0;
    const guard = isKnown ? "" : `${scope.script.use("isSet")}(${search}) && `;
    if (count !== undefined) {
      const found = `${scope.script.use("occurrences")}(${r}, ${search})`;
      return `${r}.status !== 0 && ${guard}${countCode(found, count)}`;
    }
    if (negate) return `${r}.status !== 0 && ${guard}!(${r}.body || '').includes(${search})`;
    return `${r}.status !== 0 && ${guard}(${r}.body || '').includes(${search})`;
  },
};
