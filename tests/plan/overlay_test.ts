import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/base/errors.ts";
import { mergeEnv, mergeMaps } from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

Deno.test("mergeMaps merges maps and replaces other values without changing its arguments", () => {
  const base = { a: { b: 1, c: [1, 2] }, d: "x", e: { f: 1 } };
  const over = { a: { c: [3], g: null }, e: 5, h: {} };
  const before = structuredClone([base, over]);
  assertEquals(mergeMaps(base, over), { a: { b: 1, c: [3], g: null }, d: "x", e: 5, h: {} });
  assertEquals([base, over], before);
});

Deno.test("mergeMaps treats keys such as `__proto__` like any other key", () => {
  const over = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}');
  const merged = mergeMaps({ a: 1 }, over) as Record<string, unknown>;
  assertEquals(Object.keys(merged), ["a", "__proto__", "constructor"]);
  assertEquals(({} as Record<string, unknown>).polluted, undefined);
});

const PLAN = {
  name: "a",
  env: { staging: { name: "b" }, production: { defaults: { http: { base_url: "http://c" } } } },
  scenarios: {},
} as Plan;

Deno.test("mergeEnv merges an overlay into its plan and removes `env`", () => {
  assertEquals(mergeEnv(PLAN, "staging"), { name: "b", scenarios: {} });
});

Deno.test("mergeEnv rejects an unknown overlay and lists the overlays of the plan", () => {
  assertThrows(
    () => mergeEnv(PLAN, "stagin"),
    UsageError,
    'no overlay "stagin": the plan has staging, production; did you mean "staging"?',
  );
  assertThrows(() => mergeEnv({ scenarios: {} }, "a"), UsageError, "the plan has no `env`");
  assertThrows(() => mergeEnv(PLAN, "toString"), UsageError, 'no overlay "toString"');
});

Deno.test("mergeEnv changes the plan's `Origin` and `Referer` headers to the new origin, but not the overlay's", () => {
  const headers = { Origin: "http://old", Referer: "http://old/a" };
  const plan = {
    env: {
      moved: { defaults: { http: { base_url: "https://${env.HOST}/api" } } },
      fixed: { defaults: { http: { base_url: "http://new", headers: { Origin: "http://old" } } } },
      same: { name: "b" },
    },
    defaults: { http: { base_url: "http://old", headers } },
    scenarios: {},
  } as Plan;
  const sent = (name: string) => (mergeEnv(plan, name)).defaults?.http?.headers;
  assertEquals(sent("moved"), {
    Origin: "https://${env.HOST}",
    Referer: "https://${env.HOST}/a",
  });
  assertEquals(sent("fixed"), { Origin: "http://old", Referer: "http://new/a" });
  assertEquals(sent("same"), headers);
});
