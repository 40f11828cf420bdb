import { didYouMean } from "../../base/nearest.ts";
import { isMap } from "../schema/branch.ts";
import {
  type Expression,
  formatExpression,
  parseTemplate,
  TemplateError,
  type TemplatePart,
} from "../template.ts";
import { checkColumn } from "./feeders.ts";
import { describeValue } from "./describe_schema.ts";
import { inSection, recordUse } from "./variables.ts";
import type { CheckContext } from "./check_context.ts";

/** `{{ name }}`, as other tools write their templates. */
const DOUBLE_BRACES = /\{\{\s*[\w.$-]+\s*\}\}/;

/** Checks that a template is well formed and that every name in it is known. */
export function checkTemplate(walk: CheckContext, text: string): void {
  if (text.includes("{{")) warnOfDoubleBraces(walk, text);
  for (const expression of expressions(walk, text)) checkExpression(walk, expression, text);
}

/** In a URL, a query parameter or a header, `{{ id }}` is hardly ever meant to be sent. */
function warnOfDoubleBraces(walk: CheckContext, text: string): void {
  const isAddress = walk.path.some((key) => key === "url" || key === "params" || key === "headers");
  const found = isAddress ? DOUBLE_BRACES.exec(text) : null;
  if (found === null) return;
  walk.report("other-syntax", `\`${found[0]}\` is sent as it is written`, {
    within: found.index,
    hint: "write `${NAME}` for a value",
    severity: "warning",
  });
}

/** What a condition looks at, `${…}` without its braces: a variable may well be unset there. */
export function checkOperand(walk: CheckContext, name: string): void {
  const parts = parseParts(walk, `\${${name}}`);
  const [expression] = parts;
  if (parts.length > 1 || expression?.kind === "text") {
    return walk.report("bad-template", "expected one name, as in `${…}` without the braces");
  }
  if (expression?.kind === "variable") recordUse(walk, name, undefined, false);
  else if (expression) checkExpression(walk, expression, name);
}

/** A list to go through, which one `${…}` gives. */
export function checkItems(walk: CheckContext, text: string): void {
  const parts = parseParts(walk, text);
  if (parts.length > 1 || parts[0]?.kind === "text") {
    const message = "expected a list, or one `${…}` that holds one and nothing beside it";
    return walk.report("bad-template", message);
  }
  for (const part of parts) if (part.kind !== "text") checkExpression(walk, part, text);
}

/** Text that is worked out before anything runs: only the environment can stand in it. */
export function checkStartTemplate(walk: CheckContext, text: string): void {
  for (const expression of expressions(walk, text)) {
    if (expression.kind === "env") continue;
    const written = formatExpression(expression);
    const message = `${written} cannot stand here: expected text with \${env.NAME} at most`;
    walk.report("bad-template", message, { within: text.indexOf(written) });
  }
}

/** JSON whose text leaves are templates. */
export function checkJsonTemplate(walk: CheckContext, value: unknown): void {
  if (typeof value === "string") checkTemplate(walk, value);
  else if (typeof value === "number" && !Number.isFinite(value)) {
    walk.report("wrong-type", `expected a value that JSON has, found ${describeValue(value)}`);
  } else if (Array.isArray(value)) {
    value.forEach((item, i) => walk.at(i, () => checkJsonTemplate(walk, item)));
  } else if (isMap(value)) {
    for (const key of Object.keys(value)) {
      walk.at(key, () => checkJsonTemplate(walk, value[key]));
    }
  }
}

function expressions(walk: CheckContext, text: string): Expression[] {
  if (!text.includes("${")) return [];
  return parseParts(walk, text).filter((part) => part.kind !== "text");
}

/** The parts of a template; none when it is not well formed, which is reported. */
function parseParts(walk: CheckContext, text: string): TemplatePart[] {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    walk.report("bad-template", error.message, { within: error.offset });
    return [];
  }
}

function checkExpression(walk: CheckContext, expression: Expression, text: string): void {
  const within = Math.max(0, text.indexOf(formatExpression(expression)));
  checkReference(walk, "argument" in expression ? expression.argument : expression, within);
}

function checkReference(walk: CheckContext, expression: Expression, within: number): void {
  switch (expression.kind) {
    case "variable":
      return recordUse(walk, expression.name, within);
    case "vars":
      return checkName(walk, "variables", "variable", expression.name, within);
    case "secrets":
      return checkName(walk, "secrets", "secret", expression.name, within);
    case "data":
      checkName(walk, "data", "data", expression.source, within);
      return checkColumn(walk, expression.source, expression.column, { within });
  }
}

function checkName(
  walk: CheckContext,
  key: string,
  noun: "variable" | "secret" | "data",
  name: string,
  within: number,
): void {
  const known = Object.keys(inSection(walk.plan, key));
  if (known.includes(name)) return;
  const list = known.length > 0
    ? `\`${key}\` has ${known.slice(0, 10).join(", ")}`
    : `the plan has no \`${key}\``;
  const message = `no ${noun} ${JSON.stringify(name)}: ${list}`;
  walk.report(`unknown-${noun}`, message, { within, hint: didYouMean(name, known) });
}
