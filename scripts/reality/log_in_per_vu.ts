import { isMap } from "../../src/base/exact_number.ts";
import type { Expression } from "../../src/plan/expressions/expression.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { joinTemplate, parseTemplate, type TemplatePart } from "../../src/plan/text/template.ts";

/** Parts of a request that concern its response. The user name is not replaced in them. */
const RESPONSE_PARTS = new Set(["extract", "assert", "checks"]);

/**
 * Returns the plan with a different user in each VU. The recorded name, `user`, ends in `1`. This
 * function replaces the `1` with the number of the VU, as a load tester would do by hand, also in
 * the text that an expression encodes.
 */
export function logInPerVu(plan: Plan, user: string | undefined): Plan {
  if (user === undefined) return plan;
  const base = user.slice(0, -1);
  const name = new RegExp(`(?<![a-zA-Z0-9])${base}1(?![a-zA-Z0-9])`);
  /** Returns text around the names, and `base` with the number of the VU in place of each name. */
  const split = (text: string): TemplatePart[] =>
    text.split(name).flatMap((around, i): TemplatePart[] => [
      ...(i > 0 ? [{ kind: "text", text: base } as const, { kind: "vu" } as const] : []),
      ...(around === "" ? [] : [{ kind: "text", text: around } as const]),
    ]);
  const editExpression = (expression: Expression): Expression => {
    switch (expression.kind) {
      case "literal":
        return typeof expression.value === "string" && name.test(expression.value)
          ? sum(split(expression.value))
          : expression;
      case "call":
        return { ...expression, arguments: expression.arguments.map(editExpression) };
      case "binary":
        return {
          ...expression,
          left: editExpression(expression.left),
          right: editExpression(expression.right),
        };
      default:
        return expression;
    }
  };
  const editText = (template: string): string => {
    if (!name.test(template)) return template;
    const parts = parseTemplate(template).flatMap((part) =>
      part.kind === "text" ? split(part.text) : [editExpression(part)]
    );
    return joinTemplate(parts) ?? template;
  };
  const edit = (value: unknown): unknown => {
    if (typeof value === "string") return editText(value);
    if (Array.isArray(value)) return value.map(edit);
    if (!isMap(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([key, member]) => [
      key,
      RESPONSE_PARTS.has(key) ? member : edit(member),
    ]));
  };
  return edit(plan) as Plan;
}

/** Returns an expression that joins the parts of a template as text. */
function sum(parts: readonly TemplatePart[]): Expression {
  return parts.map((part): Expression =>
    part.kind === "text" ? { kind: "literal", value: part.text } : part
  ).reduce((left, right) => ({ kind: "binary", operator: "+", left, right }));
}
