import { assert, assertEquals, assertThrows } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { InputError } from "../../src/base/errors.ts";
import { asText, ExactNumber } from "../../src/base/exact_number.ts";
import {
  call,
  type Expression,
  namedUuid,
  RESERVED,
} from "../../src/plan/expressions/expression.ts";
import { FUNCTIONS, type FunctionVariant } from "../../src/plan/expressions/functions.ts";
import {
  formatExpression,
  joinTemplate,
  literal,
  literalText,
  parseTemplate,
  TemplateError,
  type TemplatePart,
  variablesIn,
} from "../../src/plan/text/template.ts";
import {
  hideAllPasswords,
  hidePasswords,
  withoutLogin,
  withoutUserInfo,
} from "../../src/plan/text/user_info.ts";
import { anyExpression } from "../builders/expressions.ts";
import { hostileText } from "../builders/hostile_plan.ts";
import { evaluateExpression } from "../support/evaluate_expression.ts";

const randomInt = (min: number, max: number) =>
  call("random_int", { kind: "literal", value: min }, { kind: "literal", value: max });
const text = (text: string): TemplatePart => ({ kind: "text", text });

const READ: [template: string, parts: TemplatePart[]][] = [
  ["", [text("")]],
  ["a $ b $$ c {d}", [text("a $ b $$ c {d}")]],
  ["${x}", [{ kind: "variable", name: "x" }]],
  ["/a/${vars.id}/b", [text("/a/"), { kind: "vars", name: "id" }, text("/b")]],
  ["${env.HOME}${secrets.api-key}", [
    { kind: "env", name: "HOME" },
    { kind: "secrets", name: "api-key" },
  ]],
  ["${data.users.full name}", [{ kind: "data", source: "users", column: "full name" }]],
  ["${data.users.a.b}", [{ kind: "data", source: "users", column: "a.b" }]],
  ["${vu} ${iteration} ${scenario}", [
    { kind: "vu" },
    text(" "),
    { kind: "iteration" },
    text(" "),
    { kind: "scenario" },
  ]],
  ["${uuid()}${now()}", [call("uuid"), call("now")]],
  ["${uuid(draft)}-${unique}", [namedUuid("draft"), text("-"), { kind: "unique" }]],
  ["${random_int(-3, 10)}", [randomInt(-3, 10)]],
  ["${url_encode(x)}${base64(x)}", [
    call("url_encode", { kind: "variable", name: "x" }),
    call("base64", { kind: "variable", name: "x" }),
  ]],
  ['${base64(vars.cred)}${url_encode( data.u["full name"] )}${base64(vu)}', [
    call("base64", { kind: "vars", name: "cred" }),
    call("url_encode", { kind: "data", source: "u", column: "full name" }),
    call("base64", { kind: "vu" }),
  ]],
  ["$${x}", [text("${x}")]],
  ["$$${x}", [text("$${x}")]],
  ["${x}$${y}", [{ kind: "variable", name: "x" }, text("${y}")]],
  ["$${${x}", [text("${"), { kind: "variable", name: "x" }]],
];

Deno.test("parseTemplate splits a template into text and expressions", () => {
  for (const [template, parts] of READ) assertEquals(parseTemplate(template), parts, template);
});

const WRONG: [template: string, offset: number, message: string][] = [
  ["ab${x", 2, "without `}`"],
  ["${}", 2, "not complete"],
  ["$${a} ${1a}", 8, "unexpected"],
  ["${vars}", 2, "the name is missing"],
  ["${vars.}", 2, "the name is missing"],
  ["${data.users}", 2, "data.SOURCE.COLUMN"],
  ["${data..x}", 2, "data.SOURCE.COLUMN"],
  ["${uuid}", 2, "parentheses"],
  ["${uuid(1)}", 2, "takes no arguments"],
  ["${random_int(2,1)}", 2, "two whole numbers"],
  ["${random_int(1)}", 2, "expected random_int(min, max)"],
  ["${random_int(1,99999999999999999999)}", 2, "two whole numbers"],
  ["${url_encode()}", 2, "expected url_encode(text)"],
  ["${url_encode(a, b)}", 2, "expected url_encode(text)"],
  ["${base64(vars)}", 9, "the name is missing"],
  ["${env.FOO=bar}", 9, "write `==` instead of `=`"],
  ["${eval(x)}", 2, "unknown function"],
  ["a ${x + }", 8, "not complete"],
  ["a ${x y}", 6, "unexpected `y`"],
  ["${a && b}", 4, "write `and`"],
  ["${1 < x < 3}", 8, "cannot be chained"],
  ['${"a}', 2, "without a closing quote"],
  ["${(x}", 4, "expected `)`"],
  ['${sha256(x, "md5")}', 2, "the encoding must be one of"],
  ['${date("YYYY")}', 2, "unknown date format"],
  ['${date("iso", "soon")}', 2, "duration"],
  ["${vars.a + }", 11, "not complete"],
];

Deno.test("parseTemplate rejects an invalid template and reports the offset of the error", () => {
  for (const [template, offset, message] of WRONG) {
    const error = assertThrows(() => parseTemplate(template), TemplateError, message);
    assertEquals(error.offset, offset, template);
  }
});

Deno.test("text escaped by `literal` parses as a single text part", () => {
  const dollars = fc.string({ unit: fc.constantFrom("$", "{", "}", "x", "$${", "${vu}") });
  fc.assert(fc.property(fc.oneof(dollars, hostileText), (recorded) => {
    assertEquals(parseTemplate(literal(recorded)), [text(recorded)]);
  }));
});

const variable = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((name) => !RESERVED.has(name));
const expression = fc.oneof(
  variable.map((name): Expression => ({ kind: "variable", name })),
  variable.map((name): Expression => call("url_encode", { kind: "variable", name })),
  fc.constant<Expression>(call("base64", { kind: "data", source: "s", column: "c" })),
  fc.constantFrom<Expression>({ kind: "vu" }, call("uuid"), { kind: "vars", name: "a.b-c" }),
  fc.constant<Expression>({ kind: "data", source: "s", column: "c d" }),
  fc.tuple(fc.maxSafeInteger(), fc.nat()).map(([a, b]): Expression =>
    randomInt(Math.min(a, b), Math.max(a, b))
  ),
);

Deno.test("literalText and variablesIn read parsed templates", () => {
  const cases: [template: string, text: string | undefined, variables: string[]][] = [
    ["a", "a", []],
    ["/x/$${vars.id}", "/x/${vars.id}", []],
    ["/$$${vars.id}", "/$${vars.id}", []],
    ["/x/${vars.id}/${id}/${vars.b}", undefined, ["id", "b"]],
    ["$${vars.a}${vars.b}", undefined, ["b"]],
    ["${vars.", undefined, []],
  ];
  for (const [template, text, variables] of cases) {
    assertEquals([literalText(template), variablesIn(template)], [text, variables], template);
  }
});

Deno.test("joinTemplate returns a template that parses as the same parts, or undefined if no template does", () => {
  const recorded = fc.string({ unit: fc.constantFrom("$", "{", "}", "a", "$${") });
  const part = fc.oneof(recorded.map(text), expression);
  fc.assert(fc.property(fc.array(part), (parts) => {
    const joined = joinTemplate(parts);
    const merged = merge(parts);
    if (joined !== undefined) return assertEquals(parseTemplate(joined), merged);
    const trapped = merged.some((part, i) =>
      part.kind === "text" && part.text.endsWith("$") && i + 1 < merged.length
    );
    assertEquals(trapped, true);
  }));
});

/** Joins adjacent text parts and removes empty ones. */
function merge(parts: TemplatePart[]): TemplatePart[] {
  const merged: TemplatePart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.kind !== "text") merged.push(part);
    else if (last?.kind === "text") merged[merged.length - 1] = text(last.text + part.text);
    else if (part.text !== "") merged.push(part);
  }
  return merged.length > 0 ? merged : [text("")];
}

const URLS: [text: string, without: string, hidden: string][] = [
  ["http://h/a@b:c", "http://h/a@b:c", "http://h/a@b:c"],
  ["http://joe:s3cret@h:81/a", "http://h:81/a", "http://joe:******@h:81/a"],
  ["GET https://joe@h/", "GET https://h/", "GET https://joe@h/"],
  ["http://a:b@c:d@h?x", "http://h?x", "http://a:*****@h?x"],
  ["http://${vars.u}:${secrets.p}@h", "http://h", "http://${vars.u}:************@h"],
  ["WS wss://joe:pw@h/", "WS wss://h/", "WS wss://joe:**@h/"],
  ["s3://k:pw@b ftp://u:pw@h", "s3://b ftp://h", "s3://k:**@b ftp://u:**@h"],
  ["svn+ssh://u:pw@h/a@b", "svn+ssh://h/a@b", "svn+ssh://u:**@h/a@b"],
  ["nats://t0ken@h tls://t0k@h/r", "nats://h tls://h/r", "nats://*****@h tls://***@h/r"],
  ["nats://u:pw@h/r", "nats://h/r", "nats://u:**@h/r"],
  ["http://h:80/a@b?c@d#e@f", "http://h:80/a@b?c@d#e@f", "http://h:80/a@b?c@d#e@f"],
  ["http://h:${vars.p}/a@b", "http://h:${vars.p}/a@b", "http://h:${vars.p}/a@b"],
  ["http://[::1]:80/a:b@c", "http://[::1]:80/a:b@c", "http://[::1]:80/a:b@c"],
  ["u:pw@h, a@b.example", "u:pw@h, a@b.example", "u:pw@h, a@b.example"],
  // The password contains unescaped delimiters, so the URL is invalid.
  ["http://u:p/w@h", "http://u:p/w@h", "http://u:***@h"],
  ["ws://u:p?#w@h/x", "ws://u:p?#w@h/x", "ws://u:****@h/x"],
  ["http://:pw@h http://h2/", "http://h http://h2/", "http://:**@h http://h2/"],
];

Deno.test("withoutUserInfo removes the user information from URLs, and hidePasswords masks only the password", () => {
  for (const [text, without, hidden] of URLS) {
    assertEquals([withoutUserInfo(text), hidePasswords(text)], [without, hidden], text);
    assertEquals(hidePasswords(text).length, text.length);
  }
});

Deno.test("hidePasswords takes linear time for hostile text", () => {
  for (const text of ["://a:", "://", "a.b-", "://a:b/", "://u:${", "[://x"]) {
    const long = text.repeat(100_000);
    assertEquals(hidePasswords(long + " @"), long + " @");
  }
});

Deno.test("hideAllPasswords masks passwords in all strings and keys of a value, and changes nothing else", () => {
  const value = { "x http://u:pw@h": ["ws://u:pw@h", 1, null, { a: "http://h", b: "c@d" }] };
  assertEquals<unknown>(hideAllPasswords(value), {
    "x http://u:**@h": ["ws://u:**@h", 1, null, { a: "http://h", b: "c@d" }],
  });
});

Deno.test("withoutLogin removes a login from a URL, even if the URL is invalid", () => {
  const texts = ["ftp://u:pw@h", "u:pw@h", "http://u:p/?#@w@h", "h:80", "ftp://h/x"];
  assertEquals(texts.map(withoutLogin), ["ftp://h", "h", "http://h", "h:80", "ftp://h/x"]);
});

const TOKENS = [
  ...[
    ...["a", "b", "list", "map", "text", "none", "vars.x", "env.E", "(", ")", "[", "]", ".", ","],
    "}",
  ],
  ...[
    ...["+", "-", "*", "/", "%", "??", "==", "!=", "<", "<=", ">", ">=", " and ", " or ", " not "],
    " ",
  ],
  ...["1", "0", "9007199254740993", "1e300", "0.5", '"x"', "'y'", '"\\u0000"', "true", "null", '"'],
  ...["replace(", "hex(", "json(", "upper(", "substring(", "random_string(", "number(", "length("],
  ...[
    ...["jwt_decode(", "sha256(", "hmac_sha256(", "date(", "random_choice(", "constructor"],
    "__proto__",
  ],
  ...[
    ...["prototype", "eval(", "this", "globalThis", "Function", "=>", "`", "$", "${", "\u2028"],
    "\ud800",
  ],
];

/** Generates text that looks like an expression, up to 10 kB long. */
const expressionNoise: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join("")),
  fc.tuple(
    fc.constantFrom(...TOKENS),
    fc.constantFrom(...TOKENS),
    fc.integer({ min: 1, max: 3_000 }),
  )
    .map(([a, b, n]) => `${a}${`${b}${a}`.repeat(n)}`.slice(0, 10_000)),
  fc.string({ unit: ANY_CHARACTER, maxLength: 100 }),
);

/** Variables that `expressionNoise` uses. */
const VARIABLES = {
  a: 1,
  b: new ExactNumber("123456789012345678901234567890"),
  list: [1, "two", [3]],
  map: { a: "b", c: null },
  text: "some text with ümläuts".repeat(50),
};

/**
 * Evaluates a string as an expression. Asserts that the result is JSON data, or that the string is
 * rejected with a clear error.
 */
function assertEvaluatesOrExplains(source: string): void {
  let value: unknown;
  try {
    value = evaluateExpression(source, { variables: VARIABLES, vars: { x: "X" }, env: { E: "e" } });
  } catch (error) {
    const isClear = error instanceof TemplateError || error instanceof InputError ||
      (error as Error).name === "TemplateFault" ||
      (error as Error).message === "not a single expression";
    if (!isClear) throw error;
    return;
  }
  assert(isData(value), `not data: ${typeof value}`);
}

/** Reports whether a value consists of JSON data. */
function isData(value: unknown): boolean {
  if (value === null || value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.every(isData);
  if (typeof value !== "object") return ["string", "number", "boolean"].includes(typeof value);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isData);
}

Deno.test("any expression text either evaluates to plain data or is rejected with a clear error", () => {
  fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains));
});

Deno.test("a formatted expression parses as an equal expression", () => {
  fc.assert(
    fc.property(anyExpression, (expression) => {
      const text = formatExpression(expression);
      assertEquals(parseTemplate(text), [expression], text);
    }),
  );
});

Deno.test("a name with a closing brace is quoted", () => {
  const text = '${vars["x}"]}';
  const [expression] = parseTemplate(text);
  if (expression.kind === "text") throw new Error("the template contains no expression");
  assertEquals(parseTemplate(formatExpression(expression)), [expression]);
});

for (const [name, { example, result }] of Object.entries<FunctionVariant>(FUNCTIONS)) {
  Deno.test(`the example of ${name}() evaluates to its documented result`, () => {
    const value = asText(evaluateExpression(example));
    if (result === undefined) assertEquals(typeof value, "string");
    else assertEquals(value, result);
  });
}
