/**
 * Tests one typical k6 task at a time: either a plan performs it, or docs/migrating-from-k6.md
 * states that a plan cannot.
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { LoadControl } from "../src/engine/kinds/load_control.ts";
import { mergeEnv } from "../src/plan/override.ts";
import { parsedPlan } from "./support/parsed_plan.ts";
import { runInVirtualTime, type TestRunOptions } from "./support/run_in_virtual_time.ts";

const docs = Deno.readTextFileSync(new URL("../docs/migrating-from-k6.md", import.meta.url));

/**
 * Runs one iteration of `flow`, which is YAML indented by four spaces. `rest` contains the other
 * keys of the plan.
 */
async function once(flow: string, options: TestRunOptions = {}, rest = "") {
  return await runText(
    `defaults: { http: { base_url: "http://t" } }
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
${flow}
${rest}`,
    options,
  );
}

async function runText(text: string, options: TestRunOptions = {}) {
  const { sent, summary } = await runInVirtualTime(parsedPlan(text), options);
  return { sent, summary, targets: sent.map(({ target }) => target) };
}

const ok = (body: unknown) => () => ({ status: 200, body: JSON.stringify(body) });

/** Checks that the table row about `subject` in docs/migrating-from-k6.md contains `reason`. */
function isLimit(subject: string, reason = "not supported"): void {
  const row = docs.split("\n").find((line) => line.startsWith("|") && line.includes(subject));
  assert(row !== undefined, `docs/migrating-from-k6.md does not mention ${subject}`);
  assertStringIncludes(row, reason);
}

Deno.test("k6 tasks: setup and teardown run once, with one token for all VUs", async () => {
  const { targets } = await runText(
    `defaults: { http: { base_url: "http://t" } }
setup:
  - request: { url: /login, extract: [{ type: jsonpath, name: token, expression: $.token }] }
teardown: [{ request: { url: "/logout/\${setup.token}" } }]
scenarios:
  main:
    executor: per-vu-iterations
    vus: 2
    iterations: 1
    flow: [{ request: { url: "/use/\${setup.token}" } }]
`,
    { respond: ok({ token: "t1" }) },
  );
  assertEquals(targets, ["/login", "/use/t1", "/use/t1", "/logout/t1"]);
});

Deno.test("k6 tasks: scenarios run in sequence", async () => {
  const scenario = (path: string, more = "") =>
    `{ ${more}executor: per-vu-iterations, vus: 1, iterations: 2, flow: [{ request: { url: ${path} } }] }`;
  const { targets } = await runText(
    `defaults: { http: { base_url: "http://t" } }
scenarios:
  second: ${scenario("/b", "after: first, ")}
  first: ${scenario("/a")}
`,
  );
  assertEquals(targets, ["/a", "/a", "/b", "/b"]);
});

Deno.test("k6 tasks: a plan uses environment variables, secrets, overlays and data sources", async () => {
  const plan = parsedPlan(`
defaults: { http: { base_url: "http://t" } }
variables: { region: "\${env.REGION:-eu}" }
secrets: { KEY: { env: KEY } }
data:
  users: { type: csv, path: users.csv, mode: per_vu }
  ids: { type: json, path: ids.json, pick: shuffle }
  kinds: { type: inline, rows: [{ kind: a, weight: 1 }, { kind: b, weight: 0 }], pick: weighted, weight_column: weight }
env: { staging: { variables: { region: us } } }
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 2
    flow:
      - request: { url: "/\${vars.region}/\${data.users.name}/\${data.kinds.kind}", headers: { Key: "\${secrets.KEY}", Id: "\${data.ids.id}" } }
`);
  const options = {
    env: { KEY: "k" },
    files: { "users.csv": "name\nada\nbob\n", "ids.json": '[{"id":1},{"id":2}]' },
  };
  const { sent } = await runInVirtualTime(plan, options);
  assertEquals(sent.map(({ target }) => target), ["/eu/ada/a", "/eu/bob/a"]);
  assertEquals(sent.map(({ headers }) => headers.key), ["k", "k"]);
  assertEquals(sent.map(({ headers }) => headers.id).sort(), ["1", "2"]);
  const staged = await runInVirtualTime(mergeEnv(plan, "staging"), options);
  assertEquals(staged.sent[0].target, "/us/ada/a");
});

Deno.test("k6 tasks: a plan contains conditions, loops, retries, choices, groups and parallel requests", async () => {
  let tries = 0;
  const { targets, summary } = await once(
    `      - request: { url: /list, extract: [{ type: jsonpath, name: ids, expression: "$.ids[*]", index: all }] }
      - foreach: { items: "\${ids}", as: id, steps: [{ request: { url: "/item/\${id}" } }] }
      - foreach: { items: [x], as: word, steps: [{ request: { url: "/word/\${word}" } }] }
      - repeat: { times: 2, steps: [{ request: { url: /again } }] }
      - set: { n: 0 }
      - while: { condition: n < 2, steps: [{ set: { n: "\${n + 1}" } }, { request: { url: "/n/\${n}" } }] }
      - if: { condition: n == 2 and not (n > 5), then: [{ request: { url: /then } }], else: [{ request: { url: /else } }] }
      - retry: { attempts: 3, until: { type: status, equals: 201 }, steps: [{ request: { url: /retry } }] }
      - during: { duration: 15ms, steps: [{ request: { url: /during } }] }
      - random: { choices: [{ weight: 1, steps: [{ request: { url: /chosen } }] }] }
      - group: { name: page, steps: [{ parallel: { branches: [[{ request: { url: /a } }], [{ request: { url: /b } }]] } }] }`,
    {
      respond: ({ target }) => ({
        status: target === "/retry" && ++tries === 2 ? 201 : 200,
        body: '{"ids":[1,2]}',
      }),
    },
  );
  assertEquals(targets, [
    ...["/list", "/item/1", "/item/2", "/word/x", "/again", "/again", "/n/1", "/n/2", "/then"],
    ...["/retry", "/retry", "/during", "/during", "/chosen", "/a", "/b"],
  ]);
  assert("group_duration" in summary.metrics);
});

Deno.test("k6 tasks: a plan uses arithmetic, counters, string concatenation, and conditions on two variables", async () => {
  const { targets } = await once(
    `      - request: { url: /cart, extract: [{ type: jsonpath, name: price, expression: $.price }, { type: jsonpath, name: limit, expression: $.limit }] }
      - set: { i: 0, sum: 0, path: "" }
      - while:
          condition: i < price and sum <= limit or false
          steps: [{ set: { i: "\${i + 1}", sum: "\${sum + i * 2}", path: "\${path + '/' + i}" } }]
      - request: { url: "\${path}?sum=\${sum}" }`,
    { respond: ok({ price: 3, limit: 100 }) },
  );
  assertEquals(targets, ["/cart", "/1/2/3?sum=12"]);
});

Deno.test("k6 tasks: a plan checks numbers, match counts and header patterns", async () => {
  const { summary } = await once(
    `      - request:
          url: /
          checks:
            - { type: jsonpath, name: high, expression: $.total, gt: 10 }
            - { type: jsonpath, name: low, expression: $.total, lt: 10 }
            - { type: jsonpath, name: many, expression: "$.items[*]", count: { gte: 2 } }
            - { type: header, name: kind, header: X-Kind, matches: "^a+$" }`,
    {
      respond: () => ({
        body: '{"total":11,"items":[1,2]}',
        headers: [["x-kind", "aa"]],
      }),
    },
  );
  assertEquals(summary.checks.map(({ name, passes }) => [name, passes]).sort(), [
    ["high", 1],
    ["kind", 1],
    ["low", 0],
    ["many", 1],
  ]);
});

Deno.test("k6 tasks: a plan defines metrics of every type; the docs list custom JavaScript as not supported", async () => {
  const { summary } = await once(
    `      - metric: { name: orders, type: counter, value: 2 }
      - metric: { name: stock, type: gauge, value: 7 }
      - metric: { name: paid, type: rate, value: "\${1 < 2}" }
      - metric: { name: delay, type: trend, value: 30 }`,
    {},
    "thresholds: { orders: [count==2], stock: [value==7], paid: [rate==1], delay: [max<=30] }",
  );
  assertEquals(summary.thresholds.map(({ passed }) => passed), [true, true, true, true]);
  isLimit("custom JavaScript");
});

Deno.test("k6 tasks: a plan computes hashes, tokens, encodings, dates, random values and text", async () => {
  const jwt = `x.${btoa('{"sub":"ada"}').replaceAll("=", "")}.x`;
  const { sent } = await once(
    `      - set: { jwt: ${jwt}, map: { a: 1 }, words: [only] }
      - request:
          url: /
          body:
            json:
              - "\${hmac_sha256('key', 'text')}"
              - "\${sha256('text')}"
              - "\${hex('ab')}"
              - "\${base64(1 + 1)}"
              - "\${base64url('a?>')}"
              - "\${jwt_decode(jwt).sub}"
              - "\${substring('abcdef', 1, 3)}"
              - "\${json(map)}"
              - "\${replace(upper('abc'), 'B', 'x')}"
              - "\${date('yyyy', '0s')}"
              - "\${random_string(5)}"
              - "\${random_choice(words)}"
              - "\${random_float(1, 2)}"
              - "\${random_int(3, 3)}"
              - "\${uuid()}"
              - "\${now()}"
              - "\${pkce_challenge('v')}"`,
  );
  const values = JSON.parse(sent[0].body);
  const hashed = (of: Hash | Hmac) => of.update("text").digest("hex");
  assertEquals(values.slice(0, 9), [
    ...[hashed(createHmac("sha256", "key")), hashed(createHash("sha256"))],
    ...["6162", "Mg==", "YT8-", "ada", "bc", '{"a":1}', "AxC"],
  ]);
  assertMatch(String(values[9]), /^\d{4}$/);
  assertMatch(values[10], /^[A-Za-z0-9]{5}$/);
  assertEquals([values[11], values[13]], ["only", 3]);
  assert(values[12] >= 1 && values[12] <= 2);
  assertMatch(values[14], /^[0-9a-f-]{36}$/);
  assertEquals(typeof values[15], "number");
  assertMatch(values[16], /^[\w-]{43}$/);
  isLimit("`faker`");
  isLimit("`crypto.md5`");
});

Deno.test("k6 tasks: a run can be paused, resumed and scaled", async () => {
  const plan = parsedPlan(`
defaults: { http: { base_url: "http://t" } }
scenarios:
  main: { executor: externally-controlled, vus: 1, max_vus: 3, duration: 4s, flow: [{ request: { url: / } }] }
`);
  const control = new LoadControl(plan);
  const { sent } = await runInVirtualTime(plan, {
    control,
    respond: () => ({ ms: 500 }),
    during: {
      900: () => control.apply({ action: "pause" }),
      1_900: () => control.apply({ action: "resume" }),
      2_900: () => control.apply({ action: "vus", scenario: "main", vus: 3 }),
    },
  });
  const inSecond = (s: number) => sent.filter(({ at }) => Math.floor(at / 1_000) === s).length;
  assertEquals(inSecond(1) < inSecond(0), true);
  assertEquals(inSecond(3) > inSecond(2), true);
});

Deno.test("k6 tasks: a plan sets request tags, and thresholds on a tag and on a group", async () => {
  const { summary } = await once(
    `      - group: { name: login, steps: [{ request: { url: /a, name: enter, tags: { kind: first } } }] }
      - request: { url: /b }`,
    {},
    `thresholds:
  http_reqs: [count==2]
  "http_reqs{kind:first}": [count==1]
  "http_reqs{group:::login}": [count==1]
  "http_reqs{name:enter}": [count==1]`,
  );
  assertEquals(summary.thresholds.map(({ passed }) => passed), [true, true, true, true]);
});

Deno.test("k6 tasks: a plan discards response bodies; the docs list a response type per request as not supported", async () => {
  const { sent } = await runText(`
defaults: { http: { base_url: "http://t", discard_response_bodies: true } }
scenarios:
  main: { executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{ request: { url: / } }] }
`);
  assertEquals(sent[0].request.needs.body, false);
  isLimit("`responseType` of a request");
});

Deno.test("k6 tasks: a plan uploads files, binary content and generated text", async () => {
  const { sent } = await once(
    `      - request: { url: /multi, body: { multipart: [{ name: photo, file: cat.jpg, filename: cat.jpg }, { name: note, value: "\${random_string(4)}" }] } }
      - request: { url: /file, body: { file: cat.jpg } }
      - request: { url: /binary, body: { base64: AAEC } }
      - request: { url: /size, body: "\${random_string(1000)}" }`,
    { files: { "cat.jpg": "meow ${x}" } },
  );
  assertStringIncludes(sent[0].body, 'filename="cat.jpg"');
  assertEquals(sent[1].body, "meow ${x}");
  assertEquals([...sent[2].request.body!], [0, 1, 2]);
  assertEquals(sent[3].body.length, 1_000);
  isLimit("`http.file()`", "the content of files is sent verbatim");
  isLimit("generated files");
});

Deno.test("k6 tasks: a plan sets the expected statuses of all requests or one request; the docs list response hooks as not supported", async () => {
  const { summary } = await runText(
    `
defaults: { http: { base_url: "http://t", expected_statuses: [2xx, 404] } }
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 1
    flow:
      - request: { url: /404 }
      - request: { url: /500 }
      - request: { url: /500/expected, assert: [{ type: status, equals: 500 }] }
`,
    { respond: ({ target }) => ({ status: Number(target.split("/")[1]) }) },
  );
  const failed = summary.endpoints.filter((endpoint) => endpoint.failed > 0);
  assertEquals(failed.map(({ name }) => name), ["GET /500"]);
  isLimit("response hooks");
});

Deno.test("k6 tasks: a plan uses WebSockets and server-sent events; the docs list other protocols as not supported", async () => {
  const { summary, targets } = await once(
    `      - websocket: { url: /ws, steps: [{ send: ping }, { expect: { timeout: 1s } }, close: {}] }
      - request: { url: /events, sse: true, checks: [{ type: body_contains, name: last, value: two }] }`
      .replace("close: {}", "{ close: {} }"),
    {
      socket: () => ({ onMessage: (_, server) => server.reply("pong") }),
      respond: () => ({
        body: "data: one\n\ndata: two\n\n",
        headers: [["content-type", "text/event-stream"]],
      }),
    },
  );
  assertEquals(targets, ["/ws", "/events"]);
  assert("ws_msgs_received" in summary.metrics && "sse_events" in summary.metrics);
  assertEquals(summary.checks.map(({ passes }) => passes), [1]);
  isLimit("`k6/net/grpc`, `k6/browser`, Redis");
  isLimit("`k6/experimental/streams`");
});
