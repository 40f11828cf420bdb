import { constant, type Js, operation } from "../../flow/js_value.ts";
import { type FlowScope, isExpression } from "../../flow/flow_scope.ts";
import { scalarTextCode, templateCode, valueCode } from "../../flow/template_code.ts";
import { callCode, listCode } from "../../js/code_layout.ts";
import type { BodyWriter } from "./body_writer.ts";

/** Writes `form` bodies as JavaScript. */
export const form: BodyWriter<"form"> = {
  write(fields, scope) {
    const pairs = Array.isArray(fields)
      ? fields
      : Object.entries(fields).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
      );
    const contentType = "'application/x-www-form-urlencoded'";
    if (pairs.length === 0) return { content: constant("null", "scalar"), contentType };
    const values = pairs.map(([name, value]) =>
      [templateCode(name, scope), fieldCode(value, scope)] as const
    );
    const list = listCode(
      values.map(([name, value]) => listCode([name.code, value.code])),
      "form()".length + 4,
    );
    const code = callCode(scope.script.use("form"), [list]);
    return { content: operation(code, values.flat(), "text"), contentType };
  },
};

/**
 * Returns the JavaScript code for the value of a form field. The helper `form` converts numbers to
 * text.
 */
function fieldCode(value: unknown, scope: FlowScope): Js {
  const js = isExpression(value) ? valueCode(value, scope) : scalarTextCode(value, scope);
  return js.type === "any" ? scalarTextCode(value, scope) : js;
}
