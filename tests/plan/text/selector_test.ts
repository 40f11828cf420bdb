import { assertEquals, assertThrows } from "@std/assert";
import { parseSelector } from "../../../src/plan/rules/thresholds.ts";

Deno.test("parseSelector returns the metric and the tags of a selector", () => {
  const table: [string, string, [string, string][]][] = [
    ["http_reqs", "http_reqs", []],
    ["http_reqs{}", "http_reqs", []],
    ["http_reqs{name:GET /a?b=c:d}", "http_reqs", [["name", "GET /a?b=c:d"]]],
    [" checks { scenario : main , check:ok } ", "checks", [["scenario", "main"], ["check", "ok"]]],
    ['a{name:"x, \\"y\\"}",b:\'{c}\'}', "a", [["name", 'x, "y"}'], ["b", "{c}"]]],
    ["a{name:/x/${id}}", "a", [["name", "/x/${id}"]]],
    ["a{b:}", "a", [["b", ""]]],
    ["a{__proto__:1}", "a", [["__proto__", "1"]]],
  ];
  for (const [text, metric, tags] of table) {
    assertEquals(parseSelector(text), { metric, tags }, text);
  }
});

Deno.test("parseSelector rejects an invalid selector and states the expected form", () => {
  const table: [string, string][] = [
    ["", "not a selector"],
    ["{a:b}", "not a selector"],
    ["a{b:c", "not a selector"],
    ["a{b}", '"b" is not a tag'],
    ["a{b:c,d}", '"d" is not a tag'],
    ["a{:c}", "is not a tag"],
    ['a{b:"c}', "is not a tag"],
  ];
  for (const [text, message] of table) {
    assertThrows(() => parseSelector(text), SyntaxError, message, text);
  }
});
