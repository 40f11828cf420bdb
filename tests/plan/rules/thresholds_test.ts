import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  type Aggregation,
  aggregationNames,
  type Operator,
  parseSelector,
  parseThreshold,
} from "../../../src/plan/rules/thresholds.ts";

Deno.test("parseThreshold reads the threshold syntax of k6", () => {
  const table: [string, Aggregation, number | undefined, Operator, number, boolean][] = [
    ["p(95)<400", "p", 95, "<", 400, false],
    [" p(99.9) <= 1.5s ", "p", 99.9, "<=", 1_500, true],
    ["avg<1.5s", "avg", undefined, "<", 1_500, true],
    ["max<1m30s", "max", undefined, "<", 90_000, true],
    ["rate<0.01", "rate", undefined, "<", 0.01, false],
    ["rate>=.9", "rate", undefined, ">=", 0.9, false],
    ["count>1000", "count", undefined, ">", 1_000, false],
    ["count>1e3", "count", undefined, ">", 1_000, false],
    ["value!=-1", "value", undefined, "!=", -1, false],
    ["med==5", "med", undefined, "==", 5, false],
    ["min===5", "min", undefined, "==", 5, false],
  ];
  for (const [text, aggregation, percentile, operator, value, timed] of table) {
    const expected = { aggregation, operator, value, timed };
    const whole = percentile === undefined ? expected : { ...expected, percentile };
    assertEquals(parseThreshold(text), whole, text);
  }
});

Deno.test("parseThreshold rejects an invalid threshold and states the expected form", () => {
  const table: [string, string][] = [
    ["", "not a threshold"],
    ["p95<400", "such as p(95)<400"],
    ["p()<1", "not a percentile"],
    ["p(101)<1", "not a percentile"],
    ["p<1", "not a threshold"],
    ["avg(5)<1", "not a threshold"],
    ["average<1", 'unknown aggregation "average"'],
    ["constructor<1", 'unknown aggregation "constructor"'],
    ["avg 5", "not a threshold"],
    ["avg=5", "not a threshold"],
    ["avg<5x", '"5x" is not a value'],
    ["rate<1%", '"1%" is not a value: expected a share from 0 to 1 such as 0.01'],
    ["avg<1e999", "is not a value"],
    ["avg<1 and p(95)<2", "not a threshold"],
  ];
  for (const [text, message] of table) {
    assertThrows(() => parseThreshold(text), SyntaxError, message, text);
  }
});

Deno.test("for any text, parseThreshold returns a threshold or throws a SyntaxError", () => {
  const like = fc.string({ unit: fc.constantFrom(..."p(95)<>=! avgrate.1e-s") });
  fc.assert(fc.property(fc.oneof(like, fc.string()), (text) => {
    try {
      assertEquals(Number.isFinite(parseThreshold(text).value), true);
    } catch (error) {
      assertEquals(error instanceof SyntaxError, true);
    }
  }));
});

Deno.test("aggregationNames lists the aggregations of a kind of metric", () => {
  assertEquals(aggregationNames("trend"), "avg, min, med, max, p(95)");
  assertEquals(aggregationNames(), "count, rate, value, avg, min, med, max, p(95)");
});

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
