import { didYouMean } from "../../base/nearest.ts";
import { isMap } from "../../base/exact_number.ts";
import {
  type Expression,
  formatExpression,
  parseTemplate,
  TemplateError,
  type TemplatePart,
} from "../text/template.ts";
import { checkColumn } from "./check_column.ts";
import { describeValue } from "./describe_value.ts";
import { inSection, recordUse } from "./variable_uses.ts";
import type { CheckContext } from "./check_context.ts";

/** Matches `{{ name }}`, the template syntax of several other tools. */
const DOUBLE_BRACES = /\{\{\s*[\w.$-]+\s*\}\}/;

/**
 * Reports invalid expressions in a template, and references in it to names that the plan does not
 * define.
 */
export function checkTemplate(context: CheckContext, text: string): void {
  if (text.includes("{{")) warnAboutDoubleBraces(context, text);
  for (const expression of expressions(context, text)) checkExpression(context, expression, text);
}

/**
 * Warns about `{{ name }}` in a URL, a query parameter or a header, where it is probably a mistake.
 */
function warnAboutDoubleBraces(context: CheckContext, text: string): void {
  const isAddress = context.path.some((key) =>
    key === "url" || key === "params" || key === "headers"
  );
  const found = isAddress ? DOUBLE_BRACES.exec(text) : null;
  if (found === null) return;
  context.report("other-syntax", `\`${found[0]}\` is sent verbatim`, {
    within: found.index,
    hint: "write `${NAME}` to send a value",
    severity: "warning",
  });
}

/**
 * Checks the operand of a condition, which has the same syntax as the content of `${…}`. A
 * condition may use a variable that is not set yet.
 */
export function checkOperand(context: CheckContext, name: string): void {
  const parts = parseParts(context, `\${${name}}`);
  const [expression] = parts;
  if (parts.length > 1 || expression?.kind === "text") {
    return context.report("bad-template", "expected one name, as in `${…}` without the braces");
  }
  if (expression?.kind === "variable") recordUse(context, name, undefined, false);
  else if (expression) checkExpression(context, expression, name);
}

/** Checks that the `items` of a `foreach` step, if written as text, are a single `${…}`. */
export function checkItems(context: CheckContext, text: string): void {
  const parts = parseParts(context, text);
  if (parts.length > 1 || parts[0]?.kind === "text") {
    const message = "expected a list, or a single `${…}` whose value is a list";
    return context.report("bad-template", message);
  }
  for (const part of parts) if (part.kind !== "text") checkExpression(context, part, text);
}

/**
 * Checks text that is evaluated before the run and may therefore contain no expression except
 * `${env.NAME}`.
 */
export function checkStartTemplate(context: CheckContext, text: string): void {
  for (const expression of expressions(context, text)) {
    if (expression.kind === "env") continue;
    const written = formatExpression(expression);
    const message = `\`${written}\` is not available here: expected only \`\${env.NAME}\``;
    context.report("bad-template", message, { within: text.indexOf(written) });
  }
}

/** Checks a JSON value in which each string and each name of a member is a template. */
export function checkJsonTemplate(context: CheckContext, value: unknown): void {
  if (typeof value === "string") checkTemplate(context, value);
  else if (typeof value === "number" && !Number.isFinite(value)) {
    context.report("wrong-type", `expected a JSON value, found ${describeValue(value)}`);
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => context.at(i, () => checkJsonTemplate(context, item)));
  } else if (isMap(value)) {
    for (const key of Object.keys(value)) {
      context.at(key, () => {
        checkTemplate(context, key);
        checkJsonTemplate(context, value[key]);
      });
    }
  }
}

function expressions(context: CheckContext, text: string): Expression[] {
  if (!text.includes("${")) return [];
  return parseParts(context, text).filter((part) => part.kind !== "text");
}

/** Parses a template. If it is invalid, reports the error and returns an empty list. */
function parseParts(context: CheckContext, text: string): TemplatePart[] {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    context.report("bad-template", error.message, { within: error.offset });
    return [];
  }
}

function checkExpression(context: CheckContext, expression: Expression, text: string): void {
  const within = Math.max(0, text.indexOf(formatExpression(expression)));
  checkReference(context, "argument" in expression ? expression.argument : expression, within);
}

function checkReference(context: CheckContext, expression: Expression, within: number): void {
  switch (expression.kind) {
    case "variable":
      return recordUse(context, expression.name, within);
    case "vars":
      return checkName(context, "variables", "variable", expression.name, within);
    case "secrets":
      return checkName(context, "secrets", "secret", expression.name, within);
    case "data":
      checkName(context, "data", "data", expression.source, within);
      return checkColumn(context, expression.source, expression.column, { within });
  }
}

function checkName(
  context: CheckContext,
  key: string,
  kind: "variable" | "secret" | "data",
  name: string,
  within: number,
): void {
  const known = Object.keys(inSection(context.plan, key));
  if (known.includes(name)) return;
  const list = known.length > 0
    ? `\`${key}\` has ${known.slice(0, 10).join(", ")}`
    : `the plan has no \`${key}\``;
  const noun = kind === "data" ? "data source" : kind;
  const message = `unknown ${noun} ${JSON.stringify(name)}: ${list}`;
  context.report(`unknown-${kind}`, message, { within, hint: didYouMean(name, known) });
}
