import { ExactNumber } from "../../base/exact_number.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { TemplateFault } from "../vu/flow_end.ts";
import { compileExpression } from "./compile_expression.ts";
import { compileTemplate } from "./compile_template.ts";
import { constant, type Rendered, renderedFrom } from "./rendered.ts";
import type { Scope } from "./scope.ts";

/** Maximum length of a string that a step builds, in UTF-16 code units. */
const MAX_LENGTH = 2 ** 24;

/**
 * Compiles a JSON value whose strings and member names are templates. A string that is a single
 * `${…}` has the type of the expression. Rendering throws TemplateFault if a string becomes too
 * long.
 */
export function compileValue(value: unknown, scope: Scope): Rendered<unknown> {
  if (typeof value === "string") return compileText(value, scope);
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return constant(value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => compileValue(item, scope));
    return renderedFrom(items, (vu) => items.map((item) => item.render(vu)));
  }
  const members = Object.entries(value).map(([name, member]) =>
    [compileTemplate(name, scope), compileValue(member, scope)] as const
  );
  return renderedFrom(
    members.flat(),
    (vu) =>
      Object.fromEntries(members.map(([name, member]) => [name.render(vu), member.render(vu)])),
  );
}

function compileText(template: string, scope: Scope): Rendered<unknown> {
  const [only, ...more] = parseTemplate(template);
  const value = only.kind !== "text" && more.length === 0
    ? compileExpression(only, scope)
    : compileTemplate(template, scope);
  return renderedFrom([value], (vu) => {
    const text = value.render(vu);
    if (typeof text !== "string" || text.length <= MAX_LENGTH) return text;
    throw new TemplateFault(`the text is longer than ${MAX_LENGTH} characters`);
  });
}
