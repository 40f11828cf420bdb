import { cssCode } from "../../responses/css_selector.ts";
import { type ConditionWriter, countCode } from "./condition_writer.ts";

/** Writes `css` conditions as JavaScript. */
export const css: ConditionWriter<"css"> = {
  write({ expression, exists = true, count }, r, scope) {
    const found = `${cssCode(expression, r, scope.script)}.length`;
    if (count !== undefined) return `${r}.status !== 0 && ${countCode(found, count)}`;
    return exists ? `${found} > 0` : `${r}.status !== 0 && ${found} === 0`;
  },
};
