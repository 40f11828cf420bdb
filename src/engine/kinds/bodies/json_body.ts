import { ExactNumber } from "../../../base/exact_number.ts";
import { parseTemplate } from "../../../plan/text/template.ts";
import { constant, type Rendered, renderedFrom } from "../../flow/rendered.ts";
import type { Scope } from "../../flow/scope.ts";
import { compileExpression } from "../../flow/compile_expression.ts";
import { compileTemplate, encoded, joinConstants, joined } from "../../flow/compile_template.ts";
import type { BodyContent, BodyRuntime } from "./body_runtime.ts";

type Json = BodyContent<"json">;

/**
 * `json` body: sends a JSON value. Constant parts are serialized once, and other parts for each
 * request.
 */
export const json: BodyRuntime<"json"> = {
  compile: (value, scope) => ({
    content: encoded(joined(joinConstants(jsonPieces(value, scope)))),
    contentType: "application/json",
  }),
};

function jsonPieces(value: Json, scope: Scope): Rendered<string>[] {
  if (typeof value === "string") return [jsonString(value, scope)];
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return [constant(JSON.stringify(value))];
  }
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, item], i) => {
    const comma = i > 0 ? "," : "";
    const name = isList ? [] : [jsonText(key, scope), constant(":")];
    return [constant(comma), ...name, ...jsonPieces(item as Json, scope)];
  });
  return [constant(isList ? "[" : "{"), ...members.flat(), constant(isList ? "]" : "}")];
}

/**
 * Compiles text in a JSON body, such as the name of a member. The text is always sent as a string.
 */
function jsonText(template: string, scope: Scope): Rendered<string> {
  const text = compileTemplate(template, scope);
  return renderedFrom([text], (vu) => JSON.stringify(text.render(vu)));
}

/**
 * Compiles a string in a JSON body. If the string is a single `${…}`, the value of the expression
 * keeps its JSON type.
 */
function jsonString(template: string, scope: Scope): Rendered<string> {
  const parts = parseTemplate(template);
  if (parts.length === 1 && parts[0].kind !== "text") {
    const value = compileExpression(parts[0], scope);
    return renderedFrom([value], (vu) => JSON.stringify(value.render(vu)));
  }
  return jsonText(template, scope);
}
