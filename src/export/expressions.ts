import { asText as textOf } from "../base/exact_json.ts";
import { ExactNumber } from "../base/exact_number.ts";
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
  readonly type: "text" | "boolean" | "any";
  /** Variables of the script that must be set before the value can be evaluated. */
  readonly needs: readonly string[];
  /** True if the evaluation can throw an error even if all variables are set. */
  readonly fails: boolean;
}

/**
 * Returns a value whose code reads `operands`. It can fail if `fails` is true or an operand can.
 */
export function operation(
  code: string,
  type: Js["type"] = "text",
  operands: readonly Js[] = [],
  fails = false,
): Js {
  return {
    code,
    type,
    needs: [...new Set(operands.flatMap(({ needs }) => needs))],
    fails: fails || operands.some((operand) => operand.fails),
  };
}

/** Returns code that converts a value to a string. */
export function asText({ code, type }: Js): string {
  return type === "text" ? code : `String(${code})`;
}

/** Returns code that converts a value to a boolean. */
export function asCondition({ code, type }: Js): string {
  return type === "boolean" ? code : `truthy(${code})`;
}

/** Returns code for a value that is undefined if a variable is not set or the evaluation fails. */
export function optional({ code, needs, fails }: Js): string {
  const isVariable = needs.length === 0 || needs.length === 1 && code === needs[0];
  if (!fails && isVariable) return code;
  return `attempt([${needs.join(", ")}], () => ${code.startsWith("{") ? `(${code})` : code})`;
}

function lazy(value: Js): Js {
  if (value.needs.length === 0) return value;
  return operation(`need([${value.needs.join(", ")}], () => ${value.code})`, value.type, [], true);
}

/** Returns the code for text that may contain `${…}`. The code evaluates to a string. */
export function templateCode(template: string, scope: FlowScope): Js {
  const parts = parseTemplate(template);
  if (parts.length === 1 && parts[0].kind !== "text") {
    const value = expressionCode(parts[0], scope);
    return operation(asText(value), "text", [value]);
  }
  const values: Js[] = [];
  const pieces = parts.map((part) => {
    if (part.kind === "text") return part.text;
    values.push(expressionCode(part, scope));
    return values.at(-1)!;
  });
  return operation(piecesCode(pieces), "text", values);
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
    return operation(scalarLiteral(value), "any");
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => valueCode(item, scope));
    return operation(listCode(items.map(({ code }) => code)), "any", items);
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
  return operation(code, "any", members.flatMap(([, key, member]) => [key, member]));
}

/** Returns the code for an expression. */
export function expressionCode(expression: Expression, scope: FlowScope): Js {
  switch (expression.kind) {
    case "literal":
      return operation(
        scalarLiteral(expression.value),
        typeof expression.value === "string" ? "text" : "any",
      );
    case "env":
      return operation(
        expression.default === undefined
          ? `env(${stringLiteral(expression.name)})`
          : `(${memberOf("__ENV", expression.name)} || ${stringLiteral(expression.default)})`,
      );
    case "vars":
    case "secrets":
      return operation(memberOf(expression.kind, expression.name));
    case "setup": {
      // While `setup` runs, its variables are not available yet.
      const code = scope.kind === "setup" ? "undefined" : memberOf("setupData", expression.name);
      return { ...operation(code, "any"), needs: [code] };
    }
    case "variable": {
      const code = scope.variable(expression.name);
      return { ...operation(code, "any"), needs: [code] };
    }
    case "data":
      return columnCode(expression.source, expression.column, scope);
    case "vu":
      return operation("exec.vu.idInTest", "any");
    case "iteration":
      return operation("exec.vu.iterationInScenario", "any");
    case "scenario":
      return operation(stringLiteral(scope.name));
    case "unique":
      return operation(scope.perIteration("unique", "uniqueId", "uniqueText()"));
    case "call":
      return callCode(expression.name, expression.arguments, scope);
    case "member": {
      const operands = [expression.of, expression.key].map((one) => expressionCode(one, scope));
      const [of, key] = operands.map(({ code }) => code);
      return operation(`memberOf(${of}, ${key})`, "any", operands, true);
    }
    case "unary": {
      const value = expressionCode(expression.operand, scope);
      return expression.operator === "not"
        ? operation(`!(${asCondition(value)})`, "boolean", [value])
        : operation(`(-number(${value.code}))`, "any", [value], true);
    }
    case "binary":
      return binaryCode(expression, scope);
  }
}

function columnCode(source: string, column: string, scope: FlowScope): Js {
  const feeder = scope.script.plan.data?.[source];
  const code = memberOf(rowVariable(source, scope), column);
  if (feeder?.type === "csv") return operation(code);
  const isText = feeder?.type === "inline" &&
    feeder.rows.every((row) => typeof row[column] === "string");
  return isText ? operation(code) : { ...operation(`withText(${code})`, "any"), needs: [code] };
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

function binaryCode(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  scope: FlowScope,
): Js {
  const [a, b] = [expressionCode(left, scope), expressionCode(right, scope)];
  switch (operator) {
    case "or":
    case "and": {
      const operands = [a, lazy(b)];
      const sign = operator === "or" ? " || " : " && ";
      return operation(`(${operands.map(asCondition).join(sign)})`, "boolean", operands);
    }
    case "??": {
      const other = lazy(b);
      const isEnv = left.kind === "env" && left.default === undefined;
      const first = isEnv ? memberOf("__ENV", left.name) : optional(a);
      return operation(`(${first} ?? ${other.code})`, "any", [other]);
    }
    case "==":
    case "!=":
      return operation(
        `${operator === "==" ? "" : "!"}equal(${a.code}, ${b.code})`,
        "boolean",
        [a, b],
      );
    case "<":
    case "<=":
    case ">":
    case ">=":
      return operation(`compare(${a.code}, ${b.code}) ${operator} 0`, "boolean", [a, b], true);
    case "matches": {
      const pattern = right.kind === "literal" ? String(right.value) : "";
      return operation(`${patternLiteral(pattern)}.test(${asText(a)})`, "boolean", [a]);
    }
    case "+":
      return operation(`add(${a.code}, ${b.code})`, "any", [a, b]);
    default: {
      // Division by 0 has no result in a plan.
      const finite = operator === "/" || operator === "%" ? "finite" : "";
      const code = `${finite}(number(${a.code}) ${operator} number(${b.code}))`;
      return operation(code, "any", [a, b], true);
    }
  }
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
  hex: ({ texts }) => `hex(${texts[0]})`,
  sha256: ({ texts, given }) => `sha256(${texts[0]}, ${encodingCode(given[1])})`,
  hmac_sha256: ({ texts, given }) =>
    `hmac("sha256", ${texts[0]}, ${texts[1]}, ${encodingCode(given[2])})`,
  jwt_decode: ({ texts, given }) =>
    `decodeJwt(${texts[0]}, ${literal(given[1]) === "header" ? 0 : 1})`,
  json: ({ codes }) => `JSON.stringify(${codes[0]})`,
  number: ({ codes }) => `number(${codes[0]})`,
  length: ({ codes }) => `lengthOf(${codes[0]})`,
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
  random_int: ({ codes }) => `randomInt(${codes.map(numberCode).join(", ")})`,
  random_float({ codes }) {
    const [min, max] = codes.map(numberCode);
    return `(${min} + (${max} - ${min}) * Math.random())`;
  },
  random_string: ({ codes, texts }) =>
    `randomText(${codes[0]}, ${texts[1] === undefined ? LETTERS_AND_DIGITS : `[...${texts[1]}]`})`,
  random_choice: ({ codes }) =>
    codes.length === 1
      ? `memberOf(${codes[0]}, randomInt(0, lengthOf(${codes[0]}) - 1))`
      : `randomItem([${codes.join(", ")}])`,
  pkce_verifier: ({ scope }) => verifier(scope),
  pkce_challenge: ({ texts, scope }) => `sha256(${texts[0] ?? verifier(scope)}, "base64rawurl")`,
};

/** Functions whose result is not text. */
const ANY: ReadonlySet<FunctionName> = new Set([
  ...["jwt_decode", "number", "length", "now", "date", "random_int", "random_float"] as const,
  "random_choice",
]);

/** Functions that can fail even if all their arguments have a value. */
const FAILING: ReadonlySet<FunctionName> = new Set([
  ...["jwt_decode", "number", "length", "random_int", "random_float", "random_choice"] as const,
]);

function callCode(name: FunctionName, given: readonly Expression[], scope: FlowScope): Js {
  const values = name === "uuid" ? [] : given.map((one) => expressionCode(one, scope));
  const codes = values.map(({ code }) => code);
  const code = FUNCTIONS[name]({ codes, texts: values.map(asText), given, scope });
  const fails = FAILING.has(name) && !codes.every((one) => NUMBER.test(one));
  return operation(code, ANY.has(name) ? "any" : "text", values, fails);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

function numberCode(code: string): string {
  return NUMBER.test(code) ? code : `number(${code})`;
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
