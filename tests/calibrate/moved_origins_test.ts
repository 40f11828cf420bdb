import { assertEquals } from "@std/assert";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { movePlan } from "../../src/calibrate/aimed_plan.ts";
import { originMover } from "../../src/traffic/har/origins.ts";

Deno.test("originMover replaces the origin in all of its forms, and no other origin", () => {
  const move = originMover("https://rec.example:8443", "http://127.0.0.1:8080");
  const cases: [string, string][] = [
    ["https://rec.example:8443/a", "http://127.0.0.1:8080/a"],
    ["r=https%3A%2F%2Frec.example%3A8443%2Fcb", "r=http%3A%2F%2F127.0.0.1%3A8080%2Fcb"],
    ['"https:\\/\\/rec.example:8443\\/a"', '"http:\\/\\/127.0.0.1:8080\\/a"'],
    ['host: "rec.example:8443"', 'host: "127.0.0.1:8080"'],
    ["https://other.rec.example:8443/", "https://other.rec.example:8443/"],
    ["https://rec.example/", "https://rec.example/"],
  ];
  for (const [from, to] of cases) assertEquals(move(from), to);
  assertEquals(originMover("http://a", "http://a")("http://a/x"), "http://a/x");
});

Deno.test("movePlan replaces the origin in everything that requests send, but not in request names or in `hosts`", () => {
  const recorded = "http://127.0.0.1:8080";
  const plan: Plan = {
    defaults: { http: { base_url: recorded, hosts: { "shop.example": "127.0.0.1:8080" } } },
    scenarios: {
      recorded: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [{
          request: {
            name: `GET ${recorded}/hooks`,
            url: `${recorded}/hooks`,
            method: "POST",
            headers: { name: recorded },
            body: {
              json: { name: `${recorded}/a`, hosts: { main: recorded }, description: [recorded] },
            },
          },
        }],
      },
    },
  };
  const target = "https://other.example";
  const moved = movePlan(plan, originMover(recorded, target), target);
  assertEquals(moved.defaults?.http, {
    base_url: target,
    hosts: { "shop.example": "127.0.0.1:8080" },
  });
  const { request } = moved.scenarios.recorded.flow[0];
  assertEquals(request, {
    name: `GET ${recorded}/hooks`,
    url: `${target}/hooks`,
    method: "POST",
    headers: { name: target },
    body: { json: { name: `${target}/a`, hosts: { main: target }, description: [target] } },
  });
});

Deno.test("movePlan replaces the origin in scenarios and variables even if they are called `name` or `hosts`", () => {
  const recorded = "http://127.0.0.1:8080";
  const flow = [{ set: { name: recorded } }, { request: { url: `${recorded}/hooks` } }];
  const scenario = { executor: "per-vu-iterations" as const, vus: 1, iterations: 1, flow };
  const plan: Plan = { scenarios: { name: scenario, description: scenario, hosts: scenario } };
  const target = "https://other.example";
  const moved = movePlan(plan, originMover(recorded, target), target);
  for (const { flow } of Object.values(moved.scenarios)) {
    assertEquals(flow, [{ set: { name: target } }, { request: { url: `${target}/hooks` } }]);
  }
});
