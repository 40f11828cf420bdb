import { parse } from "@std/csv/parse";
import { isMap } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import { type Expression, isCallOf, subexpressions } from "../expressions/expression.ts";
import {
  conditionText,
  formatExpression,
  type PlacedPart,
  placedParts,
  TemplateError,
} from "../text/template.ts";
import { type CheckContext, type Details, inSection } from "./check_context.ts";
import { describeValue } from "./diagnostic.ts";

/** Matches `{{ name }}`, the template syntax of several other tools. */
const DOUBLE_BRACES = /\{\{\s*[\w.$-]+\s*\}\}/;

/** Reports invalid expressions, and names that the plan does not define. */
export function checkTemplate(context: CheckContext, text: string): void {
  if (text.includes("{{")) warnAboutDoubleBraces(context, text);
  for (const { part, at } of expressions(context, text)) checkExpression(context, part, at);
}

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
 * Checks the operand of a condition. The operand has the same syntax as the content of `${…}`, and
 * can use a variable that is not set yet.
 */
export function checkOperand(context: CheckContext, name: string): void {
  const parts = parseParts(context, `\${${name}}`, "${".length);
  const [first] = parts;
  if (first === undefined) return;
  if (parts.length > 1 || first.part.kind === "text") {
    return context.report(
      "bad-template",
      "expected one variable or expression, as it would be written inside `${…}`",
    );
  }
  checkExpression(context, first.part, undefined);
}

/**
 * Checks a condition that is an expression, with or without `${…}`. It may use variables that are
 * not set yet.
 */
export function checkCondition(context: CheckContext, text: string): void {
  checkOperand(context, conditionText(text));
}

/** Checks that the `items` of a `foreach` step, if written as text, are a single `${…}`. */
export function checkItems(context: CheckContext, text: string): void {
  const parts = parseParts(context, text);
  if (parts.length > 1 || parts[0]?.part.kind === "text") {
    const message = "expected a list, or a single `${…}` whose value is a list";
    return context.report("bad-template", message);
  }
  for (const { part, at } of parts) if (part.kind !== "text") checkExpression(context, part, at);
}

/** Evaluated before the run: `${env.NAME}` is the only possible expression. */
export function checkStartTemplate(context: CheckContext, text: string): void {
  for (const { part, at } of expressions(context, text)) {
    if (part.kind === "env") continue;
    const written = formatExpression(part);
    const message = `\`${written}\` is not available here: expected only \`\${env.NAME}\``;
    context.report("bad-template", message, { within: at });
  }
}

/** Checks a JSON value in which each string and each member name is a template. */
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

/** An expression and its zero-based offset in the text, in UTF-16 code units. */
interface PlacedExpression {
  readonly part: Expression;
  readonly at: number;
}

function expressions(context: CheckContext, text: string): PlacedExpression[] {
  if (!text.includes("${")) return [];
  return parseParts(context, text).filter((placed): placed is PlacedExpression =>
    placed.part.kind !== "text"
  );
}

/**
 * Empty if invalid, which is reported. `start` is the length of a prefix of `text` that is not in
 * the plan.
 */
function parseParts(context: CheckContext, text: string, start = 0): PlacedPart[] {
  try {
    return placedParts(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    context.report("bad-template", error.message, { within: error.offset - start });
    return [];
  }
}

/**
 * `within` is the offset in the text of the value, undefined for a condition. Unless `early`,
 * variables may be unset, as in conditions and before `??`.
 */
function checkExpression(
  context: CheckContext,
  expression: Expression,
  within: number | undefined,
  early = within !== undefined,
): void {
  switch (expression.kind) {
    case "variable":
      return recordUse(context, expression.name, within, early);
    case "vars":
      return checkName(context, "variables", "variable", expression.name, within);
    case "secrets":
      return checkName(context, "secrets", "secret", expression.name, within);
    case "setup":
      return recordSetupUse(context, expression.name, within);
    case "data":
      checkName(context, "data", "data", expression.source, within);
      return checkColumn(context, expression.source, expression.column, { within });
    case "binary":
      if (expression.operator === "??") {
        checkExpression(context, expression.left, within, false);
        return checkExpression(context, expression.right, within, early);
      }
      if (expression.operator === "matches") checkPattern(context, expression.right, within);
      if (expression.operator === "+") checkSum(context, expression.left, expression.right, within);
  }
  if (isCallOf("uuid", expression)) return;
  for (const part of subexpressions(expression)) checkExpression(context, part, within, early);
}

/** Checks the right operand of `matches`, which must be known before the run. */
function checkPattern(context: CheckContext, pattern: Expression, within?: number): void {
  if (pattern.kind === "literal" && typeof pattern.value === "string") {
    return checkRegex(context, pattern.value);
  }
  const message = "the right side of `matches` must be a regular expression in quotes";
  context.report("bad-template", message, { within });
}

/** `vars.count + 1` concatenates: plan variables, environment variables and secrets are text. */
function checkSum(
  context: CheckContext,
  left: Expression,
  right: Expression,
  within: number | undefined,
): void {
  const text = [left, right].find(({ kind }) => TEXTS.has(kind));
  const isNumeric = [left, right].some((operand) =>
    operand.kind === "literal" && typeof operand.value !== "string"
  );
  if (text === undefined || !isNumeric) return;
  const written = formatExpression(text).slice(2, -1);
  context.report("joins-texts", `\`+\` concatenates text here, because \`${written}\` is text`, {
    within,
    hint: `write \`number(${written})\` to add numbers`,
    severity: "warning",
  });
}

/** Kinds of references whose values are always text. */
const TEXTS: ReadonlySet<string> = new Set(["vars", "env", "secrets"]);

/** Reports an error if the section `key` of the plan has no entry `name`. */
export function checkName(
  context: CheckContext,
  key: string,
  kind: "variable" | "secret" | "data",
  name: string,
  within: number | undefined,
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

/** Maximum number of columns to list in a message. */
const MAX_LISTED = 20;

function knownColumns(context: CheckContext, source: string): readonly string[] | undefined {
  if (!context.columns.has(source)) {
    context.columns.set(source, readColumns(context, inSection(context.plan, "data")[source]));
  }
  return context.columns.get(source);
}

/** Reports an error if the columns of the data source are known and `column` is not one of them. */
export function checkColumn(
  context: CheckContext,
  source: string,
  column: string,
  details: Details,
): void {
  const columns = knownColumns(context, source);
  if (columns === undefined || columns.includes(column)) return;
  const list = columns.slice(0, MAX_LISTED).join(", ") + (columns.length > MAX_LISTED ? ", …" : "");
  const message = `data.${source} has no column ${JSON.stringify(column)}: it has ${
    columns.length === 0 ? "no columns" : list
  }`;
  context.report("unknown-column", message, { ...details, hint: didYouMean(column, columns) });
}

function readColumns(context: CheckContext, feeder: unknown): readonly string[] | undefined {
  if (!isMap(feeder)) return undefined;
  const { type, rows, path, delimiter, encoding = "utf-8", has_header: hasHeader } = feeder;
  if (type === "inline" && Array.isArray(rows)) {
    return [...new Set(rows.filter(isMap).flatMap((row) => Object.keys(row)))];
  }
  if (type !== "csv" || typeof path !== "string" || encoding !== "utf-8") return undefined;
  const line = context.files?.firstLine(path);
  if (line === undefined) return undefined;
  const separator = typeof delimiter === "string" && delimiter.length === 1 ? delimiter : ",";
  const cells = readHeader(line, separator);
  return hasHeader === false ? cells?.map((_, i) => String(i)) : cells;
}

function readHeader(line: string, separator: string): string[] | undefined {
  try {
    return parse(line.replace(/^\ufeff/, ""), { separator })[0] ?? [];
  } catch {
    return undefined;
  }
}

/** Reports an invalid regular expression. */
export function checkRegex(context: CheckContext, source: string): void {
  try {
    new RegExp(source);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    const hint = /\(\?[ims]+\)/.test(source)
      ? "JavaScript has no inline flags such as `(?s)`: write `(?s:…)`, or `[^]` for any character"
      : "";
    context.report("bad-regex", `not a regular expression: ${reason}`, { hint });
  }
}

/** A use of a variable that `setup` must set. `within` is the offset in the text. */
function recordSetupUse(
  context: CheckContext,
  name: string,
  within: number | undefined,
): void {
  context.usedNames.add(name);
  context.setupUses.push({ name, path: [...context.path], within, early: true });
}

/**
 * Records a use unless an earlier step sets the variable. Unless `early`, a later step may set it.
 * `within` is the offset in the text.
 */
function recordUse(
  context: CheckContext,
  name: string,
  within: number | undefined,
  early = true,
): void {
  context.usedNames.add(name);
  if (!context.given.has(name)) context.uses.push({ name, path: [...context.path], within, early });
}
