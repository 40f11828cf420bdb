import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/base/errors.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import {
  mergeEnv,
  mergeMaps,
  oneIteration,
  override,
  type Overrides,
} from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

const flow = [{ request: { url: "/" } }];

function changed(scenario: Record<string, unknown>, overrides: Overrides) {
  const plan = { scenarios: { main: { ...scenario, flow } as unknown as Scenario } };
  const { executor: _e, flow: _f, ...rest } = override(plan, overrides).scenarios.main;
  return rest;
}

Deno.test("`override` changes VUs, durations, iterations and rates of each executor", () => {
  const cases: [Record<string, unknown>, Overrides, unknown][] = [
    [
      { executor: "constant-vus", vus: 5, duration: "1m" },
      { vus: 2, duration: "10s" },
      { vus: 2, duration: "10s" },
    ],
    [
      { executor: "per-vu-iterations", vus: 1, iterations: 1 },
      { vus: 2, iterations: 3, duration: "10s" },
      { vus: 2, iterations: 3, max_duration: "10s" },
    ],
    [
      { executor: "shared-iterations", vus: 1, iterations: 1, max_duration: "5m" },
      { iterations: 30 },
      { vus: 1, iterations: 30, max_duration: "5m" },
    ],
    [
      {
        executor: "ramping-vus",
        stages: [{ duration: "30s", target: 10 }, { duration: "1m", target: 4 }],
      },
      { vus: 5, duration: "9s" },
      { start_vus: 0, stages: [{ duration: 3, target: 5 }, { duration: 6, target: 2 }] },
    ],
    [
      { executor: "constant-arrival-rate", rate: 10, duration: "1m", pre_allocated_vus: 3 },
      { rateScale: 2.5, duration: "10s" },
      { rate: 25, duration: "10s", pre_allocated_vus: 8, max_vus: 8 },
    ],
    [
      {
        executor: "constant-arrival-rate",
        rate: 10,
        duration: "1m",
        pre_allocated_vus: 3,
        max_vus: 6,
      },
      { rateScale: 0.5 },
      { rate: 5, duration: "1m", pre_allocated_vus: 3, max_vus: 6 },
    ],
    [
      {
        executor: "ramping-arrival-rate",
        start_rate: 2,
        stages: [{ duration: "10s", target: 20 }],
        pre_allocated_vus: 3,
        max_vus: 6,
      },
      { rateScale: 3, vus: 50 },
      {
        start_rate: 6,
        stages: [{ duration: "10s", target: 60 }],
        pre_allocated_vus: 50,
        max_vus: 50,
      },
    ],
  ];
  for (const [scenario, overrides, expected] of cases) {
    assertEquals(changed(scenario, overrides), expected as ReturnType<typeof changed>);
  }
});

const PLAN: Plan = {
  variables: { id: "1", who: "ada" },
  defaults: { http: { timeout: "5s" }, tags: { team: "shop" } },
  scenarios: {
    browse: { executor: "constant-vus", vus: 1, duration: "1s", flow },
    buy: { executor: "per-vu-iterations", vus: 9, iterations: 7, tags: { a: 1 }, flow },
  },
  thresholds: { http_reqs: ["count>1000"] },
};

Deno.test("`override` sets the base URL and variables verbatim, and selects scenarios", () => {
  const before = structuredClone(PLAN);
  const plan = override(PLAN, {
    baseUrl: "http://127.0.0.1:8000/${x}",
    variables: new Map([["id", "${env.HOME}"]]),
    scenarios: ["buy"],
  });
  assertEquals(plan.defaults, {
    http: { timeout: "5s", base_url: "http://127.0.0.1:8000/$${x}" },
    tags: { team: "shop" },
  });
  assertEquals(plan.variables, { id: "$${env.HOME}", who: "ada" });
  assertEquals(Object.keys(plan.scenarios), ["buy"]);
  assertEquals(PLAN, before);
  assertEquals(override(PLAN, {}), PLAN);
});

Deno.test("`override` rejects options that have no effect on the plan", () => {
  const cases: [Overrides, string][] = [
    [
      { scenarios: ["brows"] },
      'no scenario brows: its scenarios are browse, buy; did you mean "browse"?',
    ],
    [
      { variables: new Map([["whom", "x"]]) },
      "no variable whom: its variables are id, who; did you mean",
    ],
    [{ baseUrl: "localhost:8000" }, "--base-url cannot be localhost:8000: expected a URL"],
    [{ duration: "soon" }, "--duration cannot be soon: expected a duration above 0, such as 30s"],
    [{ duration: "0s" }, "--duration cannot be 0s"],
    [{ rateScale: 2 }, "--rate-scale has no effect"],
    [{ iterations: 2, scenarios: ["browse"] }, "--iterations has no effect"],
  ];
  for (const [overrides, message] of cases) {
    assertThrows(() => override(PLAN, overrides), UsageError, message);
  }
});

Deno.test("oneIteration removes the thresholds of a plan, and lets one VU run each flow once", () => {
  const { scenarios, thresholds } = oneIteration(PLAN);
  assertEquals(thresholds, undefined);
  const { browse, buy } = scenarios;
  const one = { executor: "per-vu-iterations", vus: 1, iterations: 1, flow } as const;
  const unset = {
    think_time: undefined,
    tags: undefined,
    new_user: undefined,
    new_connections: undefined,
  };
  assertEquals(browse, { ...one, ...unset });
  assertEquals(buy, { ...one, ...unset, tags: { a: 1 } });
  const newUser = { ...PLAN, scenarios: { browse: { ...PLAN.scenarios.browse, new_user: true } } };
  assertEquals(oneIteration(newUser).scenarios.browse.new_user, true);
});

Deno.test("`override` rejects options that exceed the limits on load", () => {
  const refused = (scenario: Record<string, unknown>, overrides: Overrides, message: string) =>
    assertThrows(() => changed(scenario, overrides), UsageError, message);
  const arrivals = { executor: "constant-arrival-rate", rate: 5e6, pre_allocated_vus: 1 };
  assertEquals((changed(arrivals, { rateScale: 2 }) as { rate: number }).rate, 10_000_000);
  refused(
    arrivals,
    { rateScale: 3 },
    "`scenarios.main.rate` too large: 15000000 exceeds the limit",
  );
  refused(
    { executor: "constant-vus", vus: 1, duration: "1s" },
    { vus: 1_000_001 },
    "`scenarios.main.vus` too large: 1000001 exceeds the limit of 1000000 VUs",
  );
});

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

const WITH_ENV = {
  name: "a",
  env: { staging: { name: "b" }, production: { defaults: { http: { base_url: "http://c" } } } },
  scenarios: {},
} as Plan;

Deno.test("mergeEnv merges an overlay into its plan and removes `env`", () => {
  assertEquals(mergeEnv(WITH_ENV, "staging"), { name: "b", scenarios: {} });
});

Deno.test("mergeEnv rejects an unknown overlay and lists the overlays of the plan", () => {
  assertThrows(
    () => mergeEnv(WITH_ENV, "stagin"),
    UsageError,
    'no overlay "stagin": the plan has staging, production; did you mean "staging"?',
  );
  assertThrows(() => mergeEnv({ scenarios: {} }, "a"), UsageError, "the plan has no `env`");
  assertThrows(() => mergeEnv(WITH_ENV, "toString"), UsageError, 'no overlay "toString"');
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

Deno.test("`override` rejects a base URL with a query or fragment, which would have no effect", () => {
  for (const baseUrl of ["http://a.example/b?c=d", "http://a.example/#x"]) {
    assertThrows(
      () => override({ scenarios: {} }, { baseUrl }),
      UsageError,
      "--base-url cannot contain a query or fragment",
    );
  }
});
