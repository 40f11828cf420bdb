import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  call,
  type Expression,
  namedUuid,
  RESERVED,
} from "../../../src/plan/expressions/expression.ts";
import {
  joinTemplate,
  literal,
  literalText,
  parseTemplate,
  TemplateError,
  type TemplatePart,
  variablesIn,
} from "../../../src/plan/text/template.ts";
import { hostileText } from "../../builders/hostile_plan.ts";

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
