import { asText as textOf } from "../../base/exact_json.ts";
import { ExactNumber } from "../../base/exact_number.ts";
import { expressionCode } from "./expression_code.ts";
import type { FlowScope } from "./flow_scope.ts";
import { listCode, objectCode, scalarLiteral, stringLiteral, templateText } from "./javascript.ts";
import { asText, constant, type Js, operation } from "./js_value.ts";
import { parseTemplate } from "../../plan/text/template.ts";

/** Returns the JavaScript code for text that may contain `${…}`. The code evaluates to a string. */
export function templateCode(template: string, scope: FlowScope): Js {
  const parts = parseTemplate(template);
  if (parts.length === 1 && parts[0].kind !== "text") {
    const value = expressionCode(parts[0], scope);
    return operation(asText(value, scope), [value], "text");
  }
  const values: Js[] = [];
  const pieces = parts.map((part) => {
    if (part.kind === "text") return templateText(part.text);
    if (part.kind === "scenario") return templateText(scope.name);
    const value = expressionCode(part, scope);
    values.push(value);
    return "${" + (value.type === "any" ? asText(value, scope) : value.code) + "}";
  });
  if (parts.some(({ kind }) => kind !== "text")) {
    return operation("`" + pieces.join("") + "`", values, "text");
  }
  return constant(
    stringLiteral(parts.map((part) => part.kind === "text" ? part.text : "").join("")),
    "text",
  );
}

/**
 * Returns JavaScript code that evaluates to the text of a scalar in the plan. A string is a
 * template. A number or boolean has the same text as in the plan.
 */
export function scalarTextCode(value: unknown, scope: FlowScope): Js {
  return typeof value === "string"
    ? templateCode(value, scope)
    : constant(stringLiteral(textOf(value)), "text");
}

/**
 * Returns the JavaScript code for a JSON value whose strings and member names are templates. A
 * string that is a single `${…}` has the type of the expression. `room` is the number of characters
 * to leave free on the line for the code around the value.
 */
export function valueCode(value: unknown, scope: FlowScope, room = 0): Js {
  if (typeof value === "string") {
    const parts = parseTemplate(value);
    const [only] = parts;
    return parts.length === 1 && only.kind !== "text"
      ? expressionCode(only, scope)
      : templateCode(value, scope);
  }
  if (value instanceof ExactNumber) {
    scope.script.note(
      "k6-numbers",
      value.text,
      "JavaScript cannot represent this number exactly: the script contains it as text",
    );
    return constant(scalarLiteral(value), "text");
  }
  if (typeof value !== "object" || value === null) return constant(scalarLiteral(value), "scalar");
  if (Array.isArray(value)) {
    const items = value.map((item) => valueCode(item, scope));
    return operation(listCode(items.map(({ code }) => code), room), items, "any");
  }
  const members = Object.entries(value).map(([name, member]) =>
    [name, templateCode(name, scope), valueCode(member, scope)] as const
  );
  const code = objectCode(
    members.map(([name, key, member]) =>
      name.includes("${") ? [key.code, member.code, true] : [name, member.code]
    ),
    room,
  );
  return operation(code, members.flatMap(([, key, member]) => [key, member]), "any");
}
