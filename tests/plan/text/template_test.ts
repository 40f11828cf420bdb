import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  type Expression,
  joinTemplate,
  literal,
  parseTemplate,
  RESERVED,
  TemplateError,
  type TemplatePart,
} from "../../../src/plan/text/template.ts";
import { hostileText } from "../../properties/hostile_plan.ts";

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
  ["${uuid()}${now()}", [{ kind: "uuid" }, { kind: "now" }]],
  ["${uuid(draft)}-${unique}", [{ kind: "uuid", name: "draft" }, text("-"), { kind: "unique" }]],
  ["${random_int(-3, 10)}", [{ kind: "random_int", min: -3, max: 10 }]],
  ["${url_encode(x)}${base64(x)}", [
    { kind: "url_encode", argument: { kind: "variable", name: "x" } },
    { kind: "base64", argument: { kind: "variable", name: "x" } },
  ]],
  ["${base64(vars.cred)}${url_encode( data.u.full name )}${base64(vu)}", [
    { kind: "base64", argument: { kind: "vars", name: "cred" } },
    { kind: "url_encode", argument: { kind: "data", source: "u", column: "full name" } },
    { kind: "base64", argument: { kind: "vu" } },
  ]],
  ["$${x}", [text("${x}")]],
  ["$$${x}", [text("$${x}")]],
  ["${x}$${y}", [{ kind: "variable", name: "x" }, text("${y}")]],
  ["$${${x}", [text("${"), { kind: "variable", name: "x" }]],
];

Deno.test("parses templates into parts", () => {
  for (const [template, parts] of READ) assertEquals(parseTemplate(template), parts, template);
});

const WRONG: [template: string, offset: number, message: string][] = [
  ["ab${x", 2, "without `}`"],
  ["${}", 0, "not an expression"],
  ["${ x }", 0, "not an expression"],
  ["$${a} ${1a}", 6, "not an expression"],
  ["${var.x}", 0, "unknown prefix"],
  ["${vars}", 0, "the name is missing"],
  ["${vars.}", 0, "the name is missing"],
  ["${data.users}", 0, "${data.SOURCE.COLUMN}"],
  ["${data..x}", 0, "${data.SOURCE.COLUMN}"],
  ["${uuid}", 0, "parentheses"],
  ["${uuid(1)}", 0, "takes no arguments"],
  ["${random_int(2,1)}", 0, "two whole numbers"],
  ["${random_int(1)}", 0, "two whole numbers"],
  ["${random_int(1,99999999999999999999)}", 0, "two whole numbers"],
  ["${url_encode()}", 0, "one reference"],
  ["${url_encode(a, b)}", 0, "one reference"],
  ["a${base64(uuid())}", 1, "one reference"],
  ["${base64(vars)}", 0, "the name is missing"],
  ["${base64(var.x)}", 0, "unknown prefix"],
  ["${env.FOO:-bar}", 0, "templates do not support defaults"],
  ["${env.FOO=bar}", 0, "not the name of an environment variable"],
  ["${eval(x)}", 0, "unknown function"],
];

Deno.test("rejects an invalid template and reports the offset of the error", () => {
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
  variable.map((name): Expression => ({
    kind: "url_encode",
    argument: { kind: "variable", name },
  })),
  fc.constant<Expression>({ kind: "base64", argument: { kind: "data", source: "s", column: "c" } }),
  fc.constantFrom<Expression>({ kind: "vu" }, { kind: "uuid" }, { kind: "vars", name: "a.b-c" }),
  fc.constant<Expression>({ kind: "data", source: "s", column: "c d" }),
  fc.tuple(fc.maxSafeInteger(), fc.nat()).map(([a, b]): Expression => (
    { kind: "random_int", min: Math.min(a, b), max: Math.max(a, b) }
  )),
);

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
