/**
 * A reference in a template: to a variable of the flow, to a member of a namespace such as `vars`,
 * or to a property of the run such as `vu`.
 */
export type Reference =
  | { readonly kind: "env" | "vars" | "secrets" | "variable"; readonly name: string }
  | { readonly kind: "data"; readonly source: string; readonly column: string }
  | { readonly kind: "vu" | "iteration" | "scenario" | "unique" };

/** The parsed content of `${…}` in a template: a reference or a function call. */
export type Expression =
  | Reference
  | { readonly kind: "now" }
  /** The two texts of a PKCE login (RFC 7636). They are new in each iteration. */
  | { readonly kind: "pkce_verifier" | "pkce_challenge" }
  /** A UUID: a new one each time, or one for each name and iteration. */
  | { readonly kind: "uuid"; readonly name?: string }
  | { readonly kind: "random_int"; readonly min: number; readonly max: number }
  | { readonly kind: "url_encode" | "base64"; readonly argument: Reference };

/**
 * A part of a template: an expression, or literal text in which `$${` is already replaced by `${`.
 */
export type TemplatePart = { readonly kind: "text"; readonly text: string } | Expression;

/** Syntax error in a template. */
export class TemplateError extends SyntaxError {
  override readonly name = "TemplateError";
  /** Offset of the `$` of the invalid expression in the template, in UTF-16 units from 0. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const BARE = ["vu", "iteration", "scenario", "unique"] as const;
const SPACES = ["env", "vars", "secrets", "data"] as const;
const CONSTANT_CALLS = ["now", "pkce_verifier", "pkce_challenge"] as const;
const REFERENCE_CALLS = ["url_encode", "base64"] as const;
const FUNCTIONS = [...CONSTANT_CALLS, "uuid", "random_int", ...REFERENCE_CALLS] as const;

/** Names with a special meaning in `${…}`. A flow cannot set variables with these names. */
export const RESERVED: ReadonlySet<string> = new Set([...BARE, ...SPACES, ...FUNCTIONS]);

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const CALL = /^([A-Za-z_][A-Za-z0-9_]*)\((.*)\)$/;
/**
 * Matches the name of an environment variable that a shell can set. Does not match `NAME:-default`,
 * the shell syntax for a default value.
 */
const ENV_NAME = /^[^\s:=?+-][^\s:=?+]*$/;
const RANGE = /^\s*(-?\d+)\s*,\s*(-?\d+)\s*$/;

/**
 * Escapes `text` so that a template sends it verbatim: each `${` becomes `$${`.
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
 * Parses a template. `$${` is a literal `${`, `${…}` is an expression, and everything else
 * is text. Returns at least one part, and never two text parts in a row. Throws a `TemplateError`
 * if an expression is invalid.
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
  const parts: TemplatePart[] = [];
  let text = "";
  let done = 0;
  for (let at = template.indexOf("${"); at >= 0; at = template.indexOf("${", done)) {
    if (at > done && template[at - 1] === "$") {
      text += template.slice(done, at - 1) + "${";
      done = at + 2;
      continue;
    }
    text += template.slice(done, at);
    const end = template.indexOf("}", at);
    if (end < 0) {
      throw new TemplateError("`${` without `}`: write `$${` for a literal `${`", at);
    }
    if (text !== "") parts.push({ kind: "text", text });
    parts.push(parseExpression(template.slice(at + 2, end), at));
    text = "";
    done = end + 1;
  }
  text += template.slice(done);
  if (text !== "" || parts.length === 0) parts.push({ kind: "text", text });
  return parts;
}

/**
 * Returns the template that parses as `parts`, or undefined if there is no such template. None
 * exists if text that ends in `$` comes directly before an expression, because `$${` is an escape.
 * (In a URL, write `%24` for `$`.)
 */
export function joinTemplate(parts: readonly TemplatePart[]): string | undefined {
  let template = "";
  let text = "";
  for (const part of parts) {
    if (part.kind === "text") {
      text += part.text;
      continue;
    }
    if (text.endsWith("$")) return undefined;
    template += literal(text) + formatExpression(part);
    text = "";
  }
  return template + literal(text);
}

/** Formats an expression as in a template, including `${` and `}`. */
export function formatExpression(expression: Expression): string {
  return `\${${formatBare(expression)}}`;
}

function formatBare(expression: Expression): string {
  switch (expression.kind) {
    case "variable":
      return expression.name;
    case "env":
    case "vars":
    case "secrets":
      return `${expression.kind}.${expression.name}`;
    case "data":
      return `data.${expression.source}.${expression.column}`;
    case "uuid":
      return `uuid(${expression.name ?? ""})`;
    case "now":
    case "pkce_verifier":
    case "pkce_challenge":
      return `${expression.kind}()`;
    case "random_int":
      return `random_int(${expression.min},${expression.max})`;
    case "url_encode":
    case "base64":
      return `${expression.kind}(${formatBare(expression.argument)})`;
    default:
      return expression.kind;
  }
}

function parseExpression(source: string, offset: number): Expression {
  const fail = (message: string) => new TemplateError(`\`\${${source}}\`: ${message}`, offset);
  const call = CALL.exec(source);
  return call ? parseCall(call[1], call[2], fail) : parseReference(source, fail);
}

function parseReference(source: string, fail: Fail): Reference {
  const dot = source.indexOf(".");
  if (dot >= 0) return parseSpace(source.slice(0, dot), source.slice(dot + 1), fail);
  if (isMember(BARE, source)) return { kind: source };
  if (isMember(SPACES, source)) throw fail(`the name is missing: write \`\${${source}.NAME}\``);
  if (isMember(FUNCTIONS, source)) throw fail("a function needs parentheses");
  if (!NAME.test(source)) {
    throw fail("not an expression: write the name of a variable, or `$${` for a literal `${`");
  }
  return { kind: "variable", name: source };
}

function parseSpace(space: string, rest: string, fail: Fail): Reference {
  if (!isMember(SPACES, space)) {
    throw fail(`unknown prefix: expected one of ${SPACES.map((s) => s + ".").join(", ")}`);
  }
  if (space !== "data") {
    if (rest === "") throw fail("the name is missing after the dot");
    if (space === "env" && !ENV_NAME.test(rest)) {
      throw fail(
        "not the name of an environment variable: templates do not support defaults (`:-`); " +
          "set the environment variable, or use `variables` and `--var`",
      );
    }
    return { kind: space, name: rest };
  }
  const dot = rest.indexOf(".");
  if (dot <= 0 || dot === rest.length - 1) throw fail("write `${data.SOURCE.COLUMN}`");
  return { kind: "data", source: rest.slice(0, dot), column: rest.slice(dot + 1) };
}

function parseCall(name: string, argument: string, fail: Fail): Expression {
  if (isMember(CONSTANT_CALLS, name)) {
    if (argument.trim() !== "") throw fail(`${name}() takes no arguments`);
    return { kind: name };
  }
  if (name === "uuid") {
    const key = argument.trim();
    if (key === "") return { kind: "uuid" };
    if (!NAME.test(key)) throw fail("uuid() takes no arguments except a name, such as `draft`");
    return { kind: "uuid", name: key };
  }
  if (isMember(REFERENCE_CALLS, name)) {
    const reference = argument.trim();
    if (!reference.includes(".") && !NAME.test(reference) || CALL.test(reference)) {
      throw fail(`${name}(…) takes one reference: a variable, vars.NAME or data.SOURCE.COLUMN`);
    }
    return { kind: name, argument: parseReference(reference, fail) };
  }
  if (name === "random_int") return parseRange(argument, fail);
  throw fail(`unknown function: expected one of ${FUNCTIONS.map((f) => f + "()").join(", ")}`);
}

function parseRange(argument: string, fail: Fail): Expression {
  const [, min, max] = (RANGE.exec(argument) ?? []).map(Number);
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min > max) {
    throw fail("random_int(a,b) expects two whole numbers, the first not greater than the second");
  }
  return { kind: "random_int", min, max };
}

type Fail = (message: string) => TemplateError;

function isMember<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
