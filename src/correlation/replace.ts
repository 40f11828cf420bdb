import { call, type Expression } from "../plan/expressions/expression.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import { isFormText } from "../traffic/session/recorded_call.ts";
import { isEncoded, type Use } from "./pieces.ts";
import { base64Replacement, type Replacement, Replacements } from "./replacements.ts";
import type { Variable } from "./variable.ts";

/** Replaces the uses of variables in requests. */
export function replaceUses(variables: readonly Variable[]): Replacements {
  const replaced = variables.flatMap((variable) =>
    variable.sent.map((use): Replacement => {
      const [start, end] = use.field.recordedRange(use.start, use.end);
      return { field: use.field, start, end, expression: expressionFor(use, variable) };
    })
  );
  const byField = Map.groupBy(replaced, ({ field }) => field);
  return new Replacements(
    [...byField].flatMap(([field, inField]) =>
      field instanceof Base64Field ? [base64Replacement(field, inField)] : inField
    ),
  );
}

/** What an expression needs of a variable. */
export type Extracted = Pick<Variable, "candidate" | "extractor">;

/**
 * Returns the expression to write in a request for a use of a variable's value. If the field contains
 * the value within base64, the expression is for the base64.
 */
export function writtenExpression(use: Use, variable: Extracted): Expression {
  const { field, start, end } = use;
  const expression = expressionFor(use, variable);
  if (!(field instanceof Base64Field)) return expression;
  return base64Replacement(field, [{ field, start, end, expression }]).expression;
}

/**
 * Returns the expression that replaces a use of a variable's value. Wraps the variable in
 * `url_encode` if the request percent-encodes the value, or if the value is a number but the JSON
 * body of the request contains it as a string.
 */
function expressionFor(use: Use, { candidate, extractor }: Extracted): Expression {
  const { call: sender, field, start, end } = use;
  const variable = { kind: "variable", name: extractor.name } as const;
  if (field instanceof Base64Field) return variable;
  const asText = candidate.numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const isText = asText || isFormText(sender, field);
  return isText || isEncoded(use) ? call("url_encode", variable) : variable;
}
