import { assertEquals, assertStrictEquals } from "@std/assert";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { override } from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import {
  headerCredentials,
  targets,
  urlPasswords,
  withMovedHeaders,
} from "../../src/plan/targets.ts";

const get = (url: string, name?: string): Step => ({ request: { url, name } });

function plan(flow: Step[], base_url?: string, variables?: Plan["variables"]): Plan {
  const scenarios = { main: { executor: "constant-vus" as const, vus: 1, duration: 1, flow } };
  return { variables, defaults: { http: { base_url } }, scenarios };
}

const noEnv = () => undefined;

/** Returns the targets of a plan without their `originOf` function. */
function targetsOf(...args: Parameters<typeof targets>) {
  const { originOf: _, ...found } = targets(...args);
  return found;
}

Deno.test("`targets` finds the origins of requests in every kind of step", () => {
  const deep: Step[] = [
    get("/", "home"),
    { group: { name: "g", steps: [get("http://group.test/x")] } },
    { random: { choices: [{ steps: [get("http://random.test")] }] } },
    { repeat: { times: 2, steps: [get("http://repeat.test?q")] } },
    { foreach: { items: [1], as: "i", steps: [get("http://foreach.test/${i}")] } },
    { while: { condition: { var: "x" }, steps: [get("http://while.test:81/")] } },
    { during: { duration: 1, steps: [get("http://during.test/")] } },
    { retry: { attempts: 1, until: { var: "x" }, steps: [get("http://retry.test/")] } },
    {
      if: {
        condition: { var: "x" },
        then: [get("http://then.test/")],
        else: [{ parallel: { branches: [[get("HTTPS://branch.test/")], [get("/relative")]] } }],
      },
    },
  ];
  assertEquals(targetsOf(plan(deep, "https://base.test/v1"), noEnv), {
    origins: [
      ...["https://base.test", "http://group.test", "http://random.test", "http://repeat.test"],
      ...["http://foreach.test", "http://while.test:81", "http://during.test", "http://retry.test"],
      ...["http://then.test", "https://branch.test"],
    ],
    firstWithoutBase: undefined,
  });
});

Deno.test("`targets` replaces variables and environment variables in origins and keeps other expressions", () => {
  const variables = { host: "${env.HOST}.test", self: "${vars.self}" };
  const flow = [
    get("/"),
    get("http://${tenant}.test/"),
    get("${where}/x"),
    get("http://${vars.self}/"),
  ];
  const found = targetsOf(
    plan(flow, "https://${vars.host}:${env.PORT}/", variables),
    (name) => name === "HOST" ? "shop" : undefined,
  );
  assertEquals(found, {
    origins: [
      "https://shop.test:${env.PORT}",
      "http://${tenant}.test",
      "${where}",
      "http://${vars.self}",
    ],
    firstWithoutBase: undefined,
  });
});

Deno.test("`targets` treats an escaped expression as text", () => {
  const flow = [get("/x?t=$${vars.id}"), get("$${vars.id}/x"), get("${vars.path}")];
  const found = targetsOf(plan(flow, "http://a.test", { path: "$${where}/x" }), () => undefined);
  assertEquals(found, { origins: ["http://a.test"], firstWithoutBase: undefined });
});

Deno.test("urlPasswords returns recorded passwords that look like expressions", () => {
  const flow = [
    get("http://u:%24%7Bvars.id%7D@a.test/"),
    get("http://u:$${vars.id}@b.test/"),
    get("http://u:${vars.id}@c.test/"),
  ];
  assertEquals(urlPasswords(plan(flow)), [
    "${vars.id}",
    "u:${vars.id}",
    "${vars.id}",
    "u:${vars.id}",
  ]);
  const headers = { Authorization: "Bearer $${vars.id}-0123" };
  assertEquals(
    headerCredentials(plan([{ request: { url: "/", headers } }])),
    ["${vars.id}-0123"],
  );
});

Deno.test("`targets` lists an origin once, regardless of its default port and case", () => {
  const flow = [
    get("/"),
    get("https://SHOP.test:443/a"),
    get("https://shop.test/b"),
    get("http://shop.test:443/"),
    { websocket: { url: "wss://shop.test:443/live", steps: [] } },
    get("http://${tenant}.test:80/"),
    get("http://bad host:80/"),
  ];
  assertEquals(targetsOf(plan(flow, "https://shop.test:443/v1"), noEnv).origins, [
    "https://shop.test",
    "http://shop.test:443",
    "http://${tenant}.test:80",
    "http://bad host:80",
  ]);
});

Deno.test("`targets` returns the first request with a relative URL if the plan has no base URL", () => {
  const flow = [get("http://a.test/"), get("/login", "sign in"), get("/other")];
  assertEquals(targetsOf(plan(flow), noEnv), {
    origins: ["http://a.test"],
    firstWithoutBase: "sign in",
  });
});

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
