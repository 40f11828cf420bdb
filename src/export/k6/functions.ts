import { durationMs } from "../../base/format.ts";
import type { FlowScope } from "./flow_scope.ts";
import { stringLiteral } from "./javascript.ts";
import { asText, constant, type Js, operation } from "./js_value.ts";
import { parseDatePattern } from "../../plan/expressions/date_format.ts";
import type { Expression } from "../../plan/expressions/expression.ts";
import type { FunctionName } from "../../plan/expressions/functions.ts";
import { formatExpression } from "../../plan/text/template.ts";

/**
 * Returns the code for a call to a function of the plan language. Uses `write` for the arguments.
 */
export type WriteCall = (
  args: readonly Expression[],
  scope: FlowScope,
  write: WriteExpression,
) => Js;

/** Returns the code for an expression that is passed to a function as an argument. */
export type WriteExpression = (expression: Expression, scope: FlowScope) => Js;

/**
 * Returns a writer for calls with one text argument. `call` takes the code for the argument and
 * returns the code for the call.
 */
function onText(call: (text: string, scope: FlowScope) => string): WriteCall {
  return (args, scope, write) => {
    const values = args.map((arg) => write(arg, scope));
    return operation(call(asText(values[0], scope), scope), values, "text");
  };
}

function imported(module: string, name: string, more: string): WriteCall {
  return onText((text, { script }) => `${script.import(module, name)}(${text}${more})`);
}

/** Names of encodings in k6, by their names in a plan. */
const ENCODINGS: Readonly<Record<string, string>> = {
  hex: "hex",
  base64: "base64",
  base64url: "base64rawurl",
};

function encodingCode(encoding: Expression | undefined): string {
  const name = encoding?.kind === "literal" ? String(encoding.value) : "hex";
  return stringLiteral(ENCODINGS[name] ?? "hex");
}

/**
 * Returns JavaScript code that converts a value, which may be text, to a number. Returns the code
 * of a number literal unchanged.
 */
function numberCode(value: Js, { script }: FlowScope): string {
  return isNumberLiteral(value) ? value.code : `${script.use("number")}(${value.code})`;
}

function isNumberLiteral({ code }: Js): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(code);
}

/** Default characters of `random_string`. */
const LETTERS_AND_DIGITS = "'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'";

/** For each function of the plan language, writes calls to the function as JavaScript. */
export const FUNCTIONS: { readonly [Name in FunctionName]: WriteCall } = {
  base64: imported("k6/encoding", "b64encode", ""),
  base64url: imported("k6/encoding", "b64encode", ", 'rawurl'"),
  url_encode: onText((text) => `encodeURIComponent(${text})`),
  hex: onText((text, { script }) => `${script.use("hex")}(${text})`),
  sha256: ([text, encoding], scope, write) =>
    imported("k6/crypto", "sha256", `, ${encodingCode(encoding)}`)([text], scope, write),
  hmac_sha256([key, text, encoding], scope, write) {
    const values = [key, text].map((arg) => write(arg, scope));
    const [a, b] = values.map((value) => asText(value, scope));
    const hmac = scope.script.import("k6/crypto", "hmac");
    return operation(`${hmac}('sha256', ${a}, ${b}, ${encodingCode(encoding)})`, values, "text");
  },
  jwt_decode([token, part], scope, write) {
    const value = write(token, scope);
    const index = part?.kind === "literal" && part.value === "header" ? 0 : 1;
    const code = `${scope.script.use("decodeJwt")}(${asText(value, scope)}, ${index})`;
    return operation(code, [value], "any", true);
  },
  json([arg], scope, write) {
    const value = write(arg, scope);
    return operation(`JSON.stringify(${value.code})`, [value], "text");
  },
  number([arg], scope, write) {
    const value = write(arg, scope);
    scope.script.note("k6-numbers", "number()", "the result is a double");
    return operation(`${scope.script.use("number")}(${value.code})`, [value], "scalar", true);
  },
  length([arg], scope, write) {
    const value = write(arg, scope);
    return operation(`${scope.script.use("lengthOf")}(${value.code})`, [value], "scalar", true);
  },
  substring([arg, start, end], scope, write) {
    const value = write(arg, scope);
    const bounds = [start, end].filter((bound) => bound !== undefined)
      .map((bound) => write(bound, scope));
    const code = `${asText(value, scope)}.slice(${bounds.map((bound) => bound.code).join(", ")})`;
    return operation(code, [value, ...bounds], "text");
  },
  replace(args, scope, write) {
    const values = args.map((arg) => write(arg, scope));
    const [text, from, to] = values.map((value) => asText(value, scope));
    return operation(`${text}.split(${from}).join(${to})`, values, "text");
  },
  lower: onText((text) => `${text}.toLowerCase()`),
  upper: onText((text) => `${text}.toUpperCase()`),
  date: dateCode,
  now: () => constant("Date.now()", "scalar"),
  uuid([name], scope) {
    const code = "crypto.randomUUID()";
    return name?.kind === "variable"
      ? constant(scope.perIteration(`uuid ${name.name}`, `${name.name} uuid`, code), "text")
      : constant(code, "text");
  },
  random_int(args, scope, write) {
    const values = args.map((arg) => write(arg, scope));
    const bounds = values.map((value) => numberCode(value, scope));
    const call = `${scope.script.use("randomInt")}(${bounds.join(", ")})`;
    return operation(call, values, "scalar", !values.every(isNumberLiteral));
  },
  random_float(args, scope, write) {
    const values = args.map((arg) => write(arg, scope));
    const [min, max] = values.map((value) => numberCode(value, scope));
    const code = `(${min} + (${max} - ${min}) * Math.random())`;
    return operation(code, values, "scalar", !values.every(isNumberLiteral));
  },
  random_string([length, characters], scope, write) {
    const values = [length, characters].filter((arg) => arg !== undefined)
      .map((arg) => write(arg, scope));
    const alphabet = values.length > 1 ? `[...${asText(values[1], scope)}]` : LETTERS_AND_DIGITS;
    const code = `${scope.script.use("randomText")}(${values[0].code}, ${alphabet})`;
    return operation(code, values, "text");
  },
  random_choice(args, scope, write) {
    const values = args.map((arg) => write(arg, scope));
    const list = values.length === 1
      ? `${scope.script.use("filledList")}(${values[0].code})`
      : `[${values.map(({ code }) => code).join(", ")}]`;
    const type = values.length > 1 && values.every((value) => value.type === "text")
      ? "text"
      : "any";
    return operation(
      `${scope.script.use("randomItem")}(${list})`,
      values,
      type,
      values.length === 1,
    );
  },
  pkce_verifier: (_args, scope) => constant(verifier(scope), "text"),
  pkce_challenge([arg], scope, write) {
    const value = arg === undefined ? constant(verifier(scope), "text") : write(arg, scope);
    const sha256 = scope.script.import("k6/crypto", "sha256");
    return operation(`${sha256}(${asText(value, scope)}, 'base64rawurl')`, [value], "text");
  },
};

function verifier(scope: FlowScope): string {
  const code = "`${crypto.randomUUID()}${crypto.randomUUID()}`.replace(/-/g, '')";
  return scope.perIteration("pkce", "pkceVerifier", code);
}

function dateCode([format, offset]: readonly Expression[], scope: FlowScope): Js {
  const name = format.kind === "literal" ? String(format.value) : undefined;
  const shift = offset === undefined ? 0 : offsetMs(offset);
  if (name === undefined || shift === undefined) {
    const text = formatExpression({ kind: "call", name: "date", arguments: [format] });
    scope.script.note(
      "k6-expression",
      text,
      "the format or offset is not a literal, so the script uses the current time in ISO format",
    );
    return constant("new Date().toISOString()", "text");
  }
  const time = shift === 0
    ? "new Date()"
    : `new Date(Date.now() ${shift < 0 ? "-" : "+"} ${Math.abs(shift)})`;
  switch (name) {
    case "iso":
      return constant(`${time}.toISOString()`, "text");
    case "http":
      return constant(`${time}.toUTCString()`, "text");
    case "unix":
      return constant(`Math.floor(${time}.getTime() / 1000)`, "scalar");
    case "unix_ms":
      return constant(`${time}.getTime()`, "scalar");
  }
  if (parseDatePattern(name) === undefined) return constant("undefined", "any");
  return constant(`${scope.script.use("formatDate")}(${stringLiteral(name)}, ${time})`, "text");
}

/** Returns a time offset in milliseconds, or undefined if the offset is not a valid literal. */
function offsetMs(offset: Expression): number | undefined {
  if (offset.kind !== "literal") return undefined;
  if (typeof offset.value === "number") return offset.value * 1_000;
  const [, sign, text] = /^([+-]?)(.*)$/s.exec(String(offset.value))!;
  const ms = durationMs(text);
  return ms === undefined ? undefined : sign === "-" ? -ms : ms;
}
