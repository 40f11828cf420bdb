import { asText as textOf, ExactNumber } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import { type FunctionName, parseDatePattern } from "../plan/expressions/functions.ts";
import type { Expression } from "../plan/expressions/expression.ts";
import { formatExpression, parseTemplate } from "../plan/text/template.ts";
import {
  listCode,
  memberOf,
  objectCode,
  patternLiteral,
  scalarLiteral,
  stringLiteral,
  templateText,
} from "./javascript.ts";
import { type FlowScope, NotExported } from "./scope.ts";

/**
 * JavaScript code for a value of the plan. In a template literal, each value has the right text.
 */
export interface Js {
  readonly code: string;
  readonly isText: boolean;
  /** Parts of the code that must not be undefined, such as variables of the script. */
  readonly needs: readonly string[];
}

/** Returns code that reads `operands`. */
export function operation(code: string, operands: readonly Js[] = [], isText = true): Js {
  return { code, isText, needs: [...new Set(operands.flatMap(({ needs }) => needs))] };
}

export function asText({ code, isText }: Js): string {
  return isText ? code : `String(${code})`;
}

/** Returns code for a value that is undefined if a variable has no value. */
export function optional({ code, needs }: Js): string {
  const isKnown = needs.length === 0 || needs.length === 1 && code === needs[0];
  return isKnown ? code : `isSet(${needs.join(", ")}) ? ${code} : undefined`;
}

/** Returns the code for text that may contain `${…}`. The code evaluates to a string. */
export function templateCode(template: string, scope: FlowScope): Js {
  const parts = parseTemplate(template);
  if (parts.length === 1 && parts[0].kind !== "text") {
    const value = expressionCode(parts[0], scope);
    return operation(asText(value), [value]);
  }
  const values: Js[] = [];
  const pieces = parts.map((part) => {
    if (part.kind === "text") return part.text;
    values.push(expressionCode(part, scope));
    return values.at(-1)!;
  });
  return operation(piecesCode(pieces), values);
}

/** Returns the code for text that consists of fixed texts and values. */
export function piecesCode(pieces: readonly (string | Js)[]): string {
  if (pieces.every((piece) => typeof piece === "string")) return stringLiteral(pieces.join(""));
  const source = pieces.map((piece) =>
    typeof piece === "string" ? templateText(piece) : "${" + piece.code + "}"
  );
  return "`" + source.join("") + "`";
}

/** Returns the code for a scalar of the plan as text. A string is a template. */
export function scalarTextCode(value: unknown, scope: FlowScope): Js {
  return typeof value === "string"
    ? templateCode(value, scope)
    : operation(stringLiteral(textOf(value)));
}

/**
 * Returns the code for a JSON value whose strings and member names are templates. A string that is
 * a single `${…}` has the type of the expression.
 */
export function valueCode(value: unknown, scope: FlowScope): Js {
  if (typeof value === "string") {
    const [only, ...more] = parseTemplate(value);
    return more.length === 0 && only.kind !== "text"
      ? expressionCode(only, scope)
      : templateCode(value, scope);
  }
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return operation(scalarLiteral(value), [], false);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => valueCode(item, scope));
    return operation(listCode(items.map(({ code }) => code)), items, false);
  }
  const members = Object.entries(value).map(([name, member]) =>
    [name, templateCode(name, scope), valueCode(member, scope)] as const
  );
  const isFixed = members.every(([name]) => !name.includes("${"));
  const code = isFixed
    ? objectCode(members.map(([name, , member]) => [name, member.code]))
    : `Object.fromEntries(${
      listCode(members.map(([, key, member]) => listCode([key.code, member.code])))
    })`;
  return operation(code, members.flatMap(([, key, member]) => [key, member]), false);
}

/**
 * Returns the code for an expression. Operators become those of JavaScript, which converts their
 * operands with its own rules.
 */
export function expressionCode(expression: Expression, scope: FlowScope): Js {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return operation(scalarLiteral(value), [], typeof value === "string");
    }
    case "env":
      return operation(
        expression.default === undefined
          ? `env(${stringLiteral(expression.name)})`
          : `(${memberOf("__ENV", expression.name)} || ${stringLiteral(expression.default)})`,
      );
    case "vars":
    case "secrets":
      return operation(memberOf(expression.kind, expression.name));
    case "setup":
      // While `setup` runs, its variables are not available yet.
      return variable(
        scope.kind === "setup" ? "undefined" : memberOf("setupData", expression.name),
      );
    case "variable":
      return variable(scope.variable(expression.name));
    case "data":
      return columnCode(expression.source, expression.column, scope);
    case "vu":
      return operation("exec.vu.idInTest", [], false);
    case "iteration":
      return operation("exec.vu.iterationInScenario", [], false);
    case "scenario":
      return operation(stringLiteral(scope.name));
    case "unique":
      return operation(scope.perIteration("unique", "uniqueId", "uniqueText()"));
    case "call":
      return callCode(expression.name, expression.arguments, scope);
    case "member":
      return memberCode(expression, scope);
    case "unary": {
      const operand = expressionCode(expression.operand, scope);
      const sign = expression.operator === "not" ? "!" : "-";
      return operation(`${sign}(${operand.code})`, [operand], false);
    }
    case "binary":
      return binaryCode(expression, scope);
  }
}

function variable(code: string): Js {
  return { code, isText: false, needs: [code] };
}

function memberCode(
  { of, key }: Extract<Expression, { kind: "member" }>,
  scope: FlowScope,
): Js {
  const [object, member] = [of, key].map((one) => expressionCode(one, scope).code);
  return variable(
    key.kind === "literal" && typeof key.value === "string"
      ? memberOf(`${object}?`, key.value)
      : `${object}?.${/^-/.test(member) ? `at(${member})` : `[${member}]`}`,
  );
}

function columnCode(source: string, column: string, scope: FlowScope): Js {
  const feeder = scope.script.plan.data?.[source];
  const code = memberOf(rowVariable(source, scope), column);
  if (feeder?.type === "csv") return operation(code);
  const isText = feeder?.type === "inline" &&
    feeder.rows.every((row) => typeof row[column] === "string");
  return isText ? operation(code) : variable(code);
}

function rowVariable(source: string, scope: FlowScope): string {
  const known = scope.rows.get(source);
  if (known !== undefined) return known;
  const { script } = scope;
  const { pick = "sequential", mode, on_eof } = script.plan.data![source];
  const rows = script.source(source);
  const number = mode === "per_vu"
    ? "exec.vu.iterationInScenario"
    : "exec.scenario.iterationInTest";
  const index = scope.kind !== "scenario"
    ? "0"
    : pick === "random"
    ? `Math.floor(Math.random() * ${rows}.length)`
    : pick === "weighted"
    ? `choose(${rows}Weights)`
    : on_eof === "stop"
    ? number
    : `${number} % ${rows}.length`;
  const key = `row ${source}`;
  const variable = scope.perIteration(key, `${rows} row`, `${rows}[${index}]`);
  if (index === number) {
    script.note("k6-changed", `data.${source}`, "iterations after the last row do nothing");
    const line = scope.startLines.get(key)!;
    scope.startLines.set(key, `${line}\nif (${variable} === undefined) return; // no row is left`);
  }
  scope.rows.set(source, variable);
  return variable;
}

/** Operators of JavaScript that differ from those of plans. */
const OPERATORS: Readonly<Record<string, string>> = { or: "||", and: "&&" };

function binaryCode(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  scope: FlowScope,
): Js {
  const [a, b] = [expressionCode(left, scope), expressionCode(right, scope)];
  if (operator === "matches") {
    const pattern = right.kind === "literal" ? String(right.value) : "";
    return operation(`${patternLiteral(pattern)}.test(${asText(a)})`, [a], false);
  }
  const isEnv = operator === "??" && left.kind === "env" && left.default === undefined;
  const first = isEnv ? memberOf("__ENV", left.name) : a.code;
  const code = `(${first} ${OPERATORS[operator] ?? operator} ${b.code})`;
  return operation(code, operator === "??" ? [b] : [a, b], false);
}

/** Arguments of a function call: as code, as code for text, and as the expressions of the plan. */
interface Arguments {
  readonly codes: readonly string[];
  readonly texts: readonly string[];
  readonly given: readonly Expression[];
  readonly scope: FlowScope;
}

/** Default characters of `random_string`. */
const LETTERS_AND_DIGITS = '"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"';

/** For each function of the plan language, returns the code for a call. */
const FUNCTIONS: { readonly [Name in FunctionName]: (args: Arguments) => string } = {
  base64: ({ texts }) => `b64encode(${texts[0]})`,
  base64url: ({ texts }) => `b64encode(${texts[0]}, "rawurl")`,
  url_encode: ({ texts }) => `encodeURIComponent(${texts[0]})`,
  hex: notInK6("hex"),
  sha256: ({ texts, given }) => `sha256(${texts[0]}, ${encodingCode(given[1])})`,
  hmac_sha256: ({ texts, given }) =>
    `hmac("sha256", ${texts[0]}, ${texts[1]}, ${encodingCode(given[2])})`,
  jwt_decode: notInK6("jwt_decode"),
  json: ({ codes }) => `JSON.stringify(${codes[0]})`,
  number: ({ codes }) => `Number(${codes[0]})`,
  length: ({ codes }) => `${codes[0]}?.length`,
  substring: ({ texts, codes }) => `${texts[0]}.slice(${codes.slice(1).join(", ")})`,
  replace: ({ texts }) => `${texts[0]}.split(${texts[1]}).join(${texts[2]})`,
  lower: ({ texts }) => `${texts[0]}.toLowerCase()`,
  upper: ({ texts }) => `${texts[0]}.toUpperCase()`,
  date: ({ given }) => dateCode(given),
  now: () => "Date.now()",
  uuid: ({ given: [name], scope }) =>
    name?.kind === "variable"
      ? scope.perIteration(`uuid ${name.name}`, `${name.name} uuid`, "crypto.randomUUID()")
      : "crypto.randomUUID()",
  random_int: ({ codes }) => `randomInt(${codes.join(", ")})`,
  random_float: ({ codes: [min, max] }) => `(${min} + (${max} - ${min}) * Math.random())`,
  random_string: ({ codes, texts }) =>
    `randomText(${codes[0]}, ${texts[1] === undefined ? LETTERS_AND_DIGITS : `[...${texts[1]}]`})`,
  random_choice: ({ codes }) =>
    `randomItem(${codes.length === 1 ? codes[0] : `[${codes.join(", ")}]`})`,
  pkce_verifier: ({ scope }) => verifier(scope),
  pkce_challenge: ({ texts, scope }) => `sha256(${texts[0] ?? verifier(scope)}, "base64rawurl")`,
};

function notInK6(name: FunctionName): () => string {
  return () => {
    throw new NotExported(`scripts have no function \`${name}\``);
  };
}

/** Functions whose result is not text. */
const NO_TEXT: ReadonlySet<FunctionName> = new Set([
  ...["number", "length", "now", "date", "random_int", "random_float", "random_choice"] as const,
]);

function callCode(name: FunctionName, given: readonly Expression[], scope: FlowScope): Js {
  const values = name === "uuid" ? [] : given.map((one) => expressionCode(one, scope));
  const codes = values.map(({ code }) => code);
  const code = FUNCTIONS[name]({ codes, texts: values.map(asText), given, scope });
  return operation(code, values, !NO_TEXT.has(name));
}

function literal(expression: Expression | undefined): string | undefined {
  return expression?.kind === "literal" ? String(expression.value) : undefined;
}

function encodingCode(encoding: Expression | undefined): string {
  const name = literal(encoding) ?? "hex";
  return stringLiteral(name === "base64url" ? "base64rawurl" : name);
}

function verifier(scope: FlowScope): string {
  const code = '`${crypto.randomUUID()}${crypto.randomUUID()}`.replace(/-/g, "")';
  return scope.perIteration("pkce", "pkceVerifier", code);
}

function dateCode([format, offset]: readonly Expression[]): string {
  const pattern = literal(format);
  const shift = offset === undefined ? 0 : offsetMs(offset);
  if (pattern === undefined || shift === undefined) {
    const text = formatExpression({ kind: "call", name: "date", arguments: [format] });
    throw new NotExported(`the format or the offset of \`${text}\` is not a literal`);
  }
  const sign = shift < 0 ? "-" : "+";
  const time = `new Date(${shift === 0 ? "" : `Date.now() ${sign} ${Math.abs(shift)}`})`;
  if (pattern === "iso") return `${time}.toISOString()`;
  if (pattern === "http") return `${time}.toUTCString()`;
  if (pattern === "unix") return `Math.floor(${time}.getTime() / 1000)`;
  if (pattern === "unix_ms") return `${time}.getTime()`;
  return parseDatePattern(pattern) === undefined
    ? "undefined"
    : `formatDate(${stringLiteral(pattern)}, ${time})`;
}

/** Returns a time offset in milliseconds, or undefined if the offset is not a valid literal. */
function offsetMs(offset: Expression): number | undefined {
  if (offset.kind !== "literal") return undefined;
  if (typeof offset.value === "number") return offset.value * 1_000;
  const [, sign, text] = /^([+-]?)(.*)$/s.exec(String(offset.value))!;
  const ms = durationMs(text);
  return ms === undefined ? undefined : sign === "-" ? -ms : ms;
}
