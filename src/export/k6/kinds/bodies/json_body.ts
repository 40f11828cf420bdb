import { ExactNumber } from "../../../../base/exact_number.ts";
import { constant, type Js, operation } from "../../flow/js_value.ts";
import { foldTemplate } from "../../flow/fold_number.ts";
import { isExpression } from "../../flow/flow_scope.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { templateCode, valueCode } from "../../flow/template_code.ts";
import { callCode } from "../../js/code_layout.ts";
import { stringLiteral, templateText } from "../../js/literal.ts";
import type { BodyWriter } from "./body_writer.ts";

/** Writes `json` bodies as JavaScript. */
export const json: BodyWriter<"json"> = {
  write: (value, scope) => ({
    content: hasExactNumber(value) ? exactBody(value, scope) : plainBody(value, scope),
    contentType: "'application/json'",
  }),
};

function plainBody(value: unknown, scope: FlowScope): Js {
  const js = valueCode(value, scope, "JSON.stringify()".length + 4);
  return operation(callCode("JSON.stringify", [js.code]), [js], "text");
}

/**
 * Reports whether a value contains a number that JavaScript would print with different digits from
 * those in the plan.
 */
function hasExactNumber(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  if (typeof value === "string") return foldTemplate(value) instanceof ExactNumber;
  return typeof value === "object" && value !== null && Object.values(value).some(hasExactNumber);
}

/** Writes JSON as a template literal, in which numbers keep their digits. */
function exactBody(value: unknown, scope: FlowScope): Js {
  const values: Js[] = [];
  const source = pieces(value);
  if (values.length > 0) {
    return operation("`" + source.map(pieceText).join("") + "`", values, "text");
  }
  return constant(stringLiteral(source.map(({ text }) => text).join("")), "text");

  function pieces(item: unknown): Piece[] {
    if (typeof item === "string") {
      const number = foldTemplate(item);
      if (number instanceof ExactNumber) return [{ text: number.text }];
      const js = isExpression(item) ? valueCode(item, scope) : templateCode(item, scope);
      if (js.needs.length === 0 && !item.includes("${")) return [{ text: JSON.stringify(item) }];
      values.push(js);
      return [{ text: "", code: `JSON.stringify(${js.code})` }];
    }
    if (typeof item !== "object" || item === null || item instanceof ExactNumber) {
      return [{ text: JSON.stringify(item) }];
    }
    const isList = Array.isArray(item);
    const members = Object.entries(item).flatMap(([key, member], i) => [
      { text: i > 0 ? "," : "" },
      ...(isList ? [] : [...nameOf(key), { text: ":" }]),
      ...pieces(member),
    ]);
    return [{ text: isList ? "[" : "{" }, ...members, { text: isList ? "]" : "}" }];
  }

  function nameOf(key: string): Piece[] {
    if (!key.includes("${")) return [{ text: JSON.stringify(key) }];
    const js = templateCode(key, scope);
    values.push(js);
    return [{ text: "", code: `JSON.stringify(${js.code})` }];
  }
}

/** Part of a JSON body: fixed text, or code that returns text. */
interface Piece {
  readonly text: string;
  readonly code?: string;
}

function pieceText({ text, code }: Piece): string {
  return code === undefined ? templateText(text) : "${" + code + "}";
}
