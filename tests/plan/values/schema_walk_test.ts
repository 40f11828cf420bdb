import { assertEquals, assertStrictEquals } from "@std/assert";
import * as z from "zod";
import {
  choiceOf,
  exactlyOne,
  extendMap,
  ruleOf,
  withRule,
} from "../../../src/plan/values/schema_walk.ts";

const text = (): z.ZodString => withRule(z.string(), { notation: "text", check(): void {} });

Deno.test("`describe` and `meta` preserve the rule that withRule attaches to a schema", () => {
  const schema = text();
  const derived = schema.describe("a text").meta({ id: "rule_test" });
  assertStrictEquals(ruleOf(derived), ruleOf(schema));
  assertEquals(ruleOf(z.string()), undefined);
});

Deno.test("withRule on a derived schema does not change the rule of the original schema", () => {
  const schema = text();
  const derived = withRule(schema.describe("another text"), { notation: "other" });
  assertEquals([ruleOf(schema)?.notation, ruleOf(derived)?.notation], ["text", "other"]);
});

Deno.test("extendMap preserves the rule that exactly one key of a group is required", () => {
  const map = exactlyOne(
    z.strictObject({ a: z.string().optional(), b: z.string().optional() }),
    "a",
    "b",
  );
  const extended = extendMap(map, { c: z.string() });
  assertEquals(Object.keys(extended.shape), ["a", "b", "c"]);
  assertEquals(choiceOf(extended), { from: ["a", "b"], least: 1, most: 1 });
});
