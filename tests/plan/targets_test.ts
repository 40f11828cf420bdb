import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { override } from "../../src/plan/override.ts";
import {
  formatShard,
  parseShard,
  partitionCount,
  type Shard,
  WHOLE,
} from "../../src/plan/partition.ts";
import { requestRange } from "../../src/plan/predicted_load.ts";
import { mapRequestTexts, requestTexts } from "../../src/plan/request_texts.ts";
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

const REQUEST: Request = {
  name: "n",
  url: "https://h.example/orders/${id}/lines?page=2&q",
  params: { tag: ["a", "b"], size: 3 },
  headers: { Referer: "https://h.example/orders", Accept: null as never },
  body: { json: { order_id: 7, lines: [{ sku: "x1" }], open: true, note: null } },
  extract: [{ type: "jsonpath", name: "v", expression: "$.id" }],
  tags: { recorded: "3" },
};

Deno.test("requestTexts lists each string that a request sends, with its kind, field name and resource", () => {
  const texts = requestTexts(REQUEST);
  assertEquals(texts.map(({ kind, name, template }) => [kind, name, template]), [
    ["path", "", "orders"],
    ["path", "orders", "${id}"],
    ["path", "${id}", "lines"],
    ["query-name", "", "page"],
    ["query", "page", "2"],
    ["query", "", "q"],
    ["host", "", "https://h.example"],
    ["query", "tag", "a"],
    ["query", "tag", "b"],
    ["query", "size", "3"],
    ["header", "Referer", "https://h.example/orders"],
    ["json", "order_id", "7"],
    ["json", "sku", "x1"],
  ]);
  assertEquals(new Set(texts.map(({ resource }) => resource)), new Set(["lines"]));
  assertEquals(texts.filter(({ numeric }) => numeric).map(({ name }) => name), ["order_id"]);
});

Deno.test("mapRequestTexts changes only strings that the request sends, not its extractors or tags", () => {
  assertEquals(mapRequestTexts(REQUEST, ({ template }) => template), REQUEST);
  const mapped = mapRequestTexts(
    REQUEST,
    ({ kind, template, name }) =>
      kind === "path" && name === "orders" ? "9" : name === "order_id" ? 8 : template,
  );
  assertEquals(mapped.url, "https://h.example/orders/9/lines?page=2&q");
  assertEquals(mapped.body, {
    json: { order_id: 8, lines: [{ sku: "x1" }], open: true, note: null },
  });
  assertEquals([mapped.extract, mapped.tags], [REQUEST.extract, REQUEST.tags]);
});

Deno.test("mapRequestTexts writes a form as a list if the name of a field changes", () => {
  const form: Request = { url: "/", body: { form: { "image-1-title": "a", b: ["1", "2"] } } };
  assertEquals(requestTexts(form).map(({ kind, template }) => `${kind} ${template}`), [
    ...["form-name image-1-title", "form-name b", "form-name b", "form a", "form 1", "form 2"],
  ]);
  assertEquals(mapRequestTexts(form, ({ template }) => template), form);
  assertEquals(mapRequestTexts(form, ({ template }) => template.replace("-1-", "-${id}-")).body, {
    form: [["image-${id}-title", "a"], ["b", "1"], ["b", "2"]],
  });
});

Deno.test("mapRequestTexts maps the names of JSON members that contain an expression", () => {
  const request: Request = {
    url: "/",
    body: { json: { "${id}.open": "${id}", rows: [{ "${id}": 1 }], "a.open": "a" } },
  };
  const written = mapRequestTexts(request, ({ template }) => template.replaceAll("${id}", "a"));
  assertEquals(written.body, { json: { "a.open": "a", rows: [{ a: 1 }] } });
  assertEquals(requestTexts(request).map(({ kind, template }) => `${kind} ${template}`), [
    "json-name ${id}.open",
    "json ${id}",
    "json-name ${id}",
    "json 1",
    "json a",
  ]);
});

Deno.test("mapRequestTexts maps the strings of multipart and plain-text bodies", () => {
  const upload: Request = {
    url: "/",
    body: { multipart: [{ name: "f", value: "text", filename: "a.txt" }] },
  };
  assertEquals(requestTexts(upload).map(({ template }) => template), ["f", "text", "a.txt"]);
  const upper = (request: Request) =>
    mapRequestTexts(request, ({ template }) => template.toUpperCase()).body;
  assertEquals(upper(upload), { multipart: [{ name: "F", value: "TEXT", filename: "A.TXT" }] });
  assertEquals(upper({ url: "/", body: "text" }), "TEXT");
});

Deno.test("an expression in a URL is not split at the operators that it contains", () => {
  const url = "https://h.example/a/${n / 2}/${x ?? 1}?q=${a == b}&r=${vars.c}";
  const request: Request = { url };
  assertEquals(mapRequestTexts(request, ({ template }) => template), request);
  assertEquals(requestTexts(request).map(({ kind, name, template }) => [kind, name, template]), [
    ["path", "", "a"],
    ["path", "a", "${n / 2}"],
    ["path", "${n / 2}", "${x ?? 1}"],
    ["query-name", "", "q"],
    ["query", "q", "${a == b}"],
    ["query-name", "", "r"],
    ["query", "r", "${vars.c}"],
    ["host", "", "https://h.example"],
  ]);
});

const split = fc.integer({ min: 1, max: 12 });

function shards(of: number): Shard[] {
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

Deno.test("the sizes of shards differ by at most one", () => {
  fc.assert(fc.property(fc.nat(500), split, (count, of) => {
    const sizes = shards(of).map((shard) => partitionCount(count, shard));
    assertEquals(Math.max(...sizes) - Math.min(...sizes) <= 1, true);
  }));
});

Deno.test("parseShard and formatShard use the notation i/n, counted from 1", () => {
  assertEquals(parseShard("2/4"), { index: 1, of: 4 });
  assertEquals(formatShard(WHOLE), "1/1");
  for (const text of ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/2/3", ""]) {
    assertEquals(parseShard(text), undefined);
  }
});

const one: Step = { request: { url: "/" } };
const condition = { type: "variable", name: "x", equals: 1 } as never;

/** Flows, and the minimum, maximum and mean number of requests that each flow sends. */
const TABLE: readonly [string, Step[], [number, number, number | undefined]][] = [
  ["requests", [one, { think_time: "1s" }, one], [2, 2, 2]],
  ["groups", [{ group: { name: "g", steps: [one, one] } }], [2, 2, 2]],
  ["repetitions", [{ repeat: { times: 3, steps: [one, one] } }], [6, 6, 6]],
  [
    "weighted choices",
    [{ random: { choices: [{ weight: 1, steps: [one] }, { weight: 3, steps: [one, one] }] } }],
    [1, 2, 1.75],
  ],
  [
    "choices in turn",
    [{
      random: {
        strategy: "round_robin",
        choices: [{ weight: 9, steps: [one] }, { steps: [one, one] }],
      },
    }],
    [1, 2, 1.5],
  ],
  [
    "choices with weight 0",
    [{ random: { choices: [{ weight: 0, steps: [one] }, { steps: [one, one] }] } }],
    [2, 2, 2],
  ],
  ["conditions", [{ if: { condition, then: [one] } }], [0, 1, undefined]],
  ["equal branches", [{ if: { condition, then: [one], else: [one] } }], [1, 1, 1]],
  ["attempts", [{ retry: { attempts: 3, until: condition, steps: [one] } }], [1, 3, undefined]],
  ["lists", [{ foreach: { items: [1, 2], as: "x", steps: [one] } }], [2, 2, 2]],
  ["references", [{ foreach: { items: "${x}", as: "x", steps: [one] } }], [0, Infinity, undefined]],
  ["loops without requests", [{ during: { duration: "1s", steps: [{ wait: "1s" }] } }], [0, 0, 0]],
  ["WebSockets", [{ websocket: { url: "/", steps: [{ wait: "1s" }, one] } }], [2, 2, 2]],
  ["branches", [{ parallel: { branches: [[one], [one, one]] } }], [3, 3, 3]],
];

for (const [what, flow, [min, max, mean]] of TABLE) {
  Deno.test(`requestRange counts the requests of ${what}`, () => {
    assertEquals(requestRange(flow), { min, max, mean });
  });
}

Deno.test("requestRange returns the mean number of requests of nested steps, or undefined if it is known only during a run", () => {
  const request = one;
  const steps = [request, request];
  const condition = { type: "status", equals: 200 } as const;
  const table: [Step, number | undefined][] = [
    [{ repeat: { times: 3, steps } }, 6],
    [{ group: { name: "g", steps } }, 2],
    [{ foreach: { items: [1, 2], as: "x", steps } }, 4],
    [{ foreach: { items: "${list}", as: "x", steps } }, undefined],
    [{ parallel: { branches: [steps, [request]] } }, 3],
    [{ random: { choices: [{ weight: 3, steps }, { weight: 1, steps: [] }] } }, 1.5],
    [{ random: { strategy: "uniform", choices: [{ weight: 3, steps }, { steps: [] }] } }, 1],
    [{ websocket: { url: "/", steps } }, 3],
    [{ if: { condition, then: [{ think_time: 1 }] } }, 0],
    [{ if: { condition, then: [request] } }, undefined],
    [{ while: { condition, steps } }, undefined],
    [{ during: { duration: "1s", steps } }, undefined],
    [{ think_time: 1 }, 0],
  ];
  for (const [step, expected] of table) assertEquals(requestRange([step]).mean, expected);
});
