import { assertEquals, assertStrictEquals } from "@std/assert";
import { withMovedHeaders } from "../../src/plan/targets.ts";
import { override } from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";

const OLD = "http://127.0.0.1:27200";
const NEW = "https://staging.example";

/** Returns the headers of a plan's request after the plan's base URL has been replaced. */
function moved(
  headers: Record<string, string | null>,
  { from = OLD, to = NEW, url = "/" }: { from?: string; to?: string; url?: string } = {},
): unknown {
  const plan = {
    defaults: { http: { base_url: from } },
    scenarios: { main: { flow: [{ request: { url, headers } }] } },
  } as unknown as Plan;
  return withMovedHeaders(plan, to).scenarios.main.flow[0].request?.headers;
}

Deno.test("withMovedHeaders changes `Origin` and `Referer` headers to the new origin", () => {
  assertEquals(
    moved({ origin: OLD, Referer: `${OLD}/cart/${"${id}"}?a=1`, "X-Page": OLD, Accept: null }),
    { origin: NEW, Referer: `${NEW}/cart/${"${id}"}?a=1`, "X-Page": OLD, Accept: null },
  );
  assertEquals(moved({ Referer: OLD }), { Referer: NEW });
});

Deno.test("withMovedHeaders keeps headers with a different origin or an invalid value", () => {
  const kept: Record<string, string>[] = [
    { Origin: "null" },
    { Origin: `${OLD}0` },
    { Origin: `${OLD}/` },
    { Referer: `${OLD}0/cart` },
    { Referer: `${OLD}@evil.example/` },
    { Referer: "https://search.example/?q=" + OLD },
    { Origin: "" },
  ];
  for (const headers of kept) assertEquals(moved(headers), headers);
});

Deno.test("withMovedHeaders reads the origin from a base URL with a path, a login or `${…}`", () => {
  const from = "HTTP://ada:secret@127.0.0.1:27200/shop?a";
  assertEquals(moved({ Origin: OLD }, { from, to: "https://bob:pw@staging.example:443/v2" }), {
    Origin: NEW,
  });
  assertEquals(moved({ Origin: OLD }, { to: "${env.TARGET}" }), { Origin: "${env.TARGET}" });
  const template = "https://${env.HOST}:${env.PORT}";
  assertEquals(moved({ Referer: `${template}/a` }, { from: `${template}/api` }), {
    Referer: `${NEW}/a`,
  });
});

Deno.test("withMovedHeaders returns the same plan if an origin is unknown or does not change", () => {
  const plan = {
    defaults: { http: { base_url: OLD, headers: { Origin: OLD } } },
    scenarios: {},
  } as Plan;
  for (const url of [`${OLD}/other`, "", "ftp://a", "staging", "http://${env.USER}@host"]) {
    assertStrictEquals(withMovedHeaders(plan, url), plan);
  }
  const absolute = { scenarios: {} };
  assertStrictEquals(withMovedHeaders(absolute, NEW), absolute);
});

Deno.test("withMovedHeaders keeps the headers of steps that still connect to the old origin", () => {
  const headers = { Origin: OLD };
  for (const url of [`${OLD}//a`, OLD, OLD.replace("http", "ws") + "/live"]) {
    assertEquals(moved(headers, { url }), headers);
  }
  assertEquals(moved(headers, { url: "https://api.example/a" }), { Origin: NEW });
});

Deno.test("`override` with a base URL replaces the old origin in headers of defaults, nested steps and WebSockets", () => {
  const headers = { Origin: OLD };
  const request = { url: "/", headers };
  const json = { request: { headers: { Origin: OLD } } };
  const plan = {
    defaults: { http: { base_url: OLD, headers: { ...headers, Accept: "*/*" } } },
    setup: [{ request }],
    teardown: [{ group: { name: "a", steps: [{ request }] } }],
    scenarios: {
      main: {
        executor: "per-vu-iterations",
        vus: 1,
        iterations: 1,
        flow: [
          { random: { choices: [{ weight: 1, steps: [{ request }] }] } },
          { websocket: { url: "/live", headers, steps: [{ request }, { wait: "1s" }] } },
          { request: { method: "POST", url: "/", body: { type: "json", value: json } } },
          { set: json },
        ],
      },
    },
  } as unknown as Plan;
  const before = structuredClone(plan);
  const changed = override(plan, { baseUrl: NEW });
  const text = JSON.stringify(before).replaceAll(OLD, NEW);
  const expected = JSON.parse(text);
  for (const i of [2, 3]) expected.scenarios.main.flow[i] = before.scenarios.main.flow[i];
  assertEquals(changed, expected);
  assertEquals(plan, before);
  assertEquals(override(plan, {}), before);
});
