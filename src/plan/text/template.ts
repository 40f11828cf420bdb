import {
  BARE,
  ENV_NAME,
  type Expression,
  formatBare,
  isMember,
  NAME,
  type Reference,
  RESERVED,
} from "../expressions/expression.ts";
import {
  ExpressionError,
  type ParsedExpression,
  parseExpressionAt,
} from "../expressions/parse_expression.ts";

/**
 * A part of a template: an expression, or literal text in which `$${` is already replaced by `${`.
 */
export type TemplatePart = { readonly kind: "text"; readonly text: string } | Expression;

export class TemplateError extends SyntaxError {
  override readonly name = "TemplateError";
  /** Zero-based offset of the error in the template, in UTF-16 code units. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Matches a name after a prefix. Such names may contain any characters except spaces, so that
 * `${vars.api-key}` and `${data.users.address[city]}` are names and not operations.
 */
const PREFIXED = /^(?:(env|vars|secrets)\.(\S+)|data\.([^\s.["']+)\.(\S+))$/;
/** Matches a prefix and a name that contains spaces, as in `data.users.First Name`. */
const SPACED = /^(?:(vars|secrets)\.(.+)|data\.([^.]+)\.(.+))$/s;
const QUOTED = /["'].*["']/s;
/** Matches `env.NAME:-default`, the shell syntax for a default value. */
const ENV_DEFAULT = /^env\.([^\s:=?+-][^\s:=?+]*):-(.*)$/s;
/** An operator between spaces, or at the end, is unlikely to be part of a name. */
const OPERATOR = /\s(?:[-+*/%<>]|[=!<>]=|\?\?|and|or|matches)(?:\s|$)/;

/**
 * Escapes `text` for use in a template: each `${` becomes `$${`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { literal, parseTemplate } from "./template.ts";
 *
 * assertEquals(literal("costs ${price}"), "costs $${price}");
 * assertEquals(parseTemplate(literal("${x}")), [{ kind: "text", text: "${x}" }]);
 * ```
 */
export function literal(text: string): string {
  return text.includes("${") ? text.replaceAll("${", "$$${") : text;
}

/**
 * Parses a template. `$${` is a literal `${`, `${…}` is an expression, and everything else is text.
 * Returns at least one part, and never two text parts in a row. Throws a `TemplateError` if an
 * expression is invalid.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseTemplate } from "./template.ts";
 *
 * assertEquals(parseTemplate("/items/${vars.id}?t=${token}"), [
 *   { kind: "text", text: "/items/" },
 *   { kind: "vars", name: "id" },
 *   { kind: "text", text: "?t=" },
 *   { kind: "variable", name: "token" },
 * ]);
 * ```
 */
export function parseTemplate(template: string): TemplatePart[] {
  return placedParts(template).map(({ part }) => part);
}

/** Returns the text of a template, or undefined if it has an expression or is invalid. */
export function literalText(template: string): string | undefined {
  const [first, ...more] = tolerantParts(template);
  return first?.kind === "text" && more.length === 0 ? first.text : undefined;
}

/** Such as `id` for `/a/${vars.id}`, in order; empty if invalid. */
export function variablesIn(template: string): string[] {
  return tolerantParts(template).flatMap((part) => part.kind === "vars" ? [part.name] : []);
}

function tolerantParts(template: string): TemplatePart[] {
  if (!template.includes("${")) return [{ kind: "text", text: template }];
  try {
    return parseTemplate(template);
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** A part of a template and its zero-based offset in the template, in UTF-16 code units. */
export interface PlacedPart {
  readonly part: TemplatePart;
  readonly at: number;
}

/** Parses a template like `parseTemplate`. Also returns the offset of each part. */
export function placedParts(template: string): PlacedPart[] {
  const parts: PlacedPart[] = [];
  let text = "";
  let textAt = 0;
  let done = 0;
  for (let at = template.indexOf("${"); at >= 0; at = template.indexOf("${", done)) {
    if (at > done && template[at - 1] === "$") {
      text += template.slice(done, at - 1) + "${";
      done = at + 2;
      continue;
    }
    text += template.slice(done, at);
    if (text !== "") parts.push({ part: { kind: "text", text }, at: textAt });
    const { expression, end } = parseExpression(template, at);
    parts.push({ part: expression, at });
    text = "";
    textAt = done = end + 1;
  }
  text += template.slice(done);
  if (text !== "" || parts.length === 0) parts.push({ part: { kind: "text", text }, at: textAt });
  return parts;
}

/**
 * Undefined if text that ends in `$` comes before an expression, which no template can express. (In
 * a URL, write `%24`.)
 */
export function joinTemplate(parts: readonly TemplatePart[]): string | undefined {
  const pieces: string[] = [];
  let text = "";
  for (const part of parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    if (text.endsWith("$")) return undefined;
    pieces.push(literal(text), formatExpression(part));
    text = "";
  }
  pieces.push(literal(text));
  return pieces.join("");
}

/**
 * Parses a condition: an expression with or without `${…}`. Throws a `TemplateError` if it is
 * invalid.
 */
export function parseCondition(text: string): Expression {
  const [only, ...more] = parseTemplate(`\${${conditionText(text)}}`);
  if (only.kind !== "text" && more.length === 0) return only;
  throw new TemplateError("expected a single expression", 0);
}

/** Returns the expression in a condition, without `${…}`. */
export function conditionText(text: string): string {
  // Without parentheses, `${true}` would be the variable `true`.
  if (/^(?:true|false)$/.test(text)) return `(${text})`;
  return isSingleExpression(text) ? text.slice(2, -1) : text;
}

function isSingleExpression(text: string): boolean {
  if (!text.startsWith("${") || !text.endsWith("}")) return false;
  try {
    const [only, ...more] = parseTemplate(text);
    return only.kind !== "text" && more.length === 0;
  } catch {
    return false;
  }
}

/** Formats an expression as in a template, including `${` and `}`. */
export function formatExpression(expression: Expression): string {
  const text = formatBare(expression);
  // Without parentheses, `${true}` would be the variable `true`.
  return NAME.test(text) && expression.kind === "literal" ? `\${(${text})}` : `\${${text}}`;
}

function parseExpression(template: string, at: number): ParsedExpression {
  const end = template.indexOf("}", at);
  if (end < 0) throw new TemplateError("`${` without `}`: write `$${` for a literal `${`", at);
  const source = template.slice(at + 2, end);
  const simple = parseSimple(source);
  if (simple !== undefined) return { expression: simple, end };
  try {
    const parsed = parseExpressionAt(template, at + 2);
    if (template[parsed.end] === "}") return parsed;
    throw new ExpressionError("`${` without `}`: write `$${` for a literal `${`", at);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const expression = OPERATOR.test(source) ? undefined : parsePrefixed(source, SPACED);
    if (expression !== undefined) return { expression, end };
    throw new TemplateError(`\`\${${shortened(source)}}\`: ${error.message}`, error.at);
  }
}

/** Maximum length of an expression in a message, in UTF-16 code units. */
const MAX_SHOWN = 80;

function shortened(source: string): string {
  return source.length > MAX_SHOWN ? `${source.slice(0, MAX_SHOWN)}…` : source;
}

function parseSimple(source: string): Expression | undefined {
  if (NAME.test(source)) {
    if (isMember(BARE, source)) return { kind: source };
    return RESERVED.has(source) ? undefined : { kind: "variable", name: source };
  }
  return parsePrefixed(source, PREFIXED);
}

function parsePrefixed(source: string, pattern: RegExp): Reference | undefined {
  const [, variable, fallback] = ENV_DEFAULT.exec(source) ?? [];
  if (variable !== undefined) return { kind: "env", name: variable, default: fallback };
  const [, space, name, data, column] = pattern.exec(source) ?? [];
  if (pattern === PREFIXED && QUOTED.test(name ?? column)) return undefined;
  if (data !== undefined) return { kind: "data", source: data, column };
  if (space === undefined || space === "env" && !ENV_NAME.test(name)) return undefined;
  return { kind: space as "env" | "vars" | "secrets", name };
}
