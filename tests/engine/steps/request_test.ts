import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { InputError } from "../../../src/base/errors.ts";
import type { RequestSupervisor } from "../../../src/engine/flow/scope.ts";
import { mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import type { Sample } from "../../../src/engine/metrics/snapshot.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { runWarnings } from "../../../src/report/run_warnings.ts";
import { runReport } from "../../../src/report/html/run_report.ts";
import { renderSummary } from "../../../src/report/text/render_summary.ts";
import {
  runFlow,
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

type Options = TestRunOptions & { readonly plan?: Partial<Plan> };

async function send(request: Request, options: Options = {}) {
  const { sent: [first] } = await runFlow([{ request }], options);
  return first;
}

Deno.test("templates render constants, data columns, VU properties, functions and escapes", async () => {
  const options: Options = {
    env: { HOST: "h", KEY: "k/1" },
    files: { "token.txt": "t0k\n" },
    plan: {
      variables: { base: "v-${env.HOST}", n: 3 },
      secrets: { key: { env: "KEY" }, token: { file: "token.txt" } },
      data: { u: { type: "inline", rows: [{ name: "Zoë", id: 7 }] } },
    },
  };
  const target = async (url: string) => (await send({ url }, options)).target;
  assertEquals(await target("/${env.HOST}/${vars.base}/${vars.n}"), "/h/v-h/3");
  assertEquals(await target("/${secrets.key}/${secrets.token}"), "/k/1/t0k");
  assertEquals(await target("/${data.u.name}/${data.u.id}"), "/Zo%C3%AB/7");
  assertEquals(await target("/${vu}/${iteration}/${scenario}"), "/1/0/s");
  assertEquals(await target("/${url_encode(secrets.key)}/${base64(vars.base)}"), "/k%2F1/di1o");
  assertEquals(await target("/${url_encode(data.u.name)}/${base64(data.u.id)}"), "/Zo%C3%AB/Nw==");
  assertEquals(await target("/${base64(vu)}/${url_encode(env.HOST)}"), "/MQ==/h");
  assertEquals(await target("/$${vu}"), "/${vu}");
  assertMatch(await target("/${uuid()}"), /^\/[0-9a-f-]{36}$/);
  const [verifier, challenge] = (await target("/${pkce_verifier()}/${pkce_challenge()}")).slice(1)
    .split("/");
  assertMatch(verifier, /^[0-9a-f]{64}$/);
  assertEquals(challenge, createHash("sha256").update(verifier).digest("base64url"));
  assertMatch(await target("/${uuid(a)}/${uuid(b)}/${uuid(a)}"), /^\/(.{36})\/(?!\1).{36}\/\1$/);
  assertMatch(await target("/${random_int(5,6)}"), /^\/[56]$/);
  assertMatch(await target("/${now()}"), /^\/\d{13}$/);
});

Deno.test("a null header in a request removes the plan's default header or the client's own header", async () => {
  const defaults = { http: { headers: { "X-A": "1", "X-B": "2", "Accept-Encoding": null } } };
  const { headers } = await send(
    {
      url: "/",
      headers: { "x-a": null, "User-Agent": null, "Content-Type": null },
      body: { form: {} },
    },
    { plan: { defaults } },
  );
  assertEquals(headers, { "x-b": "2" });
});

Deno.test("run rejects an undefined variable, secret or base URL before it sends any request", async () => {
  for (const url of ["/${env.NO}", "/${vars.no}", "/${secrets.no}"]) {
    await assertRejects(() => send({ url }), InputError);
  }
  const plan = singleScenarioPlan(
    scenarioOf("constant-vus, vus: 1, duration: 1", [{ request: { url: "/x" } }]),
  );
  delete plan.defaults!.http!.base_url;
  await assertRejects(() => runInVirtualTime(plan), InputError, "--base-url");
});

Deno.test("a request that uses an unset variable fails without being sent", async () => {
  const { sent, summary } = await runFlow([{ request: { url: "/${no_such}" } }]);
  assertEquals(sent, []);
  assertEquals(summary.errors, [{
    kind: "template",
    scenario: "s",
    name: "GET /${no_such}",
    message: 'the variable "no_such" is not set',
    count: 1,
  }]);
  assertEquals(summary.metrics.http_reqs, { count: 0, rate: 0 });
  assertEquals(summary.metrics.http_req_failed, { value: 1, passes: 1, fails: 0 });
});

Deno.test("run renders URLs with constant and varying origins", async () => {
  const plan = {
    variables: { v: "x" },
    data: { d: { type: "inline" as const, rows: [{ host: "h2", p: "a b?c#d" }] } },
  };
  const to = async (url: string, base_url?: string) => {
    const { request: { origin, target } } = await send({ url }, {
      plan: { ...plan, defaults: { http: base_url === undefined ? {} : { base_url } } },
    });
    return origin.authority + target;
  };
  assertEquals(await to("/${data.d.p}"), "t/a%20b?c");
  assertEquals(await to("/${data.d.p}", "http://b/api/"), "b/api/a%20b?c");
  assertEquals(await to("${data.d.p}", "http://b/api"), "b/api/a%20b?c");
  assertEquals(await to("http://other:81/${data.d.p}"), "other:81/a%20b?c");
  assertEquals(await to("http://${data.d.host}/x"), "h2/x");
  assertEquals(await to("/x", "http://${data.d.host}/y"), "h2/y/x");
  assertEquals(await to("?q=${vu}", "http://b/api"), "b/api?q=1");
});

Deno.test("run sends the user name in a URL only as Basic authentication", async () => {
  const plan = {
    data: { u: { type: "inline" as const, rows: [{ name: "zo\u00eb", pw: "p%40ss" }] } },
    secrets: { pw: { env: "PW" } },
  };
  const sent = async (url: string, base_url = "http://t", headers = {}) => {
    const { sent: [first], summary } = await runFlow([{ request: { url, headers } }], {
      plan: { ...plan, defaults: { http: { base_url } } },
      env: { PW: "s3cret" },
    });
    const { authorization = "" } = first.headers;
    const decoded = new TextDecoder().decode(Uint8Array.fromBase64(authorization.slice(6)));
    assertEquals(summary.endpoints[0].name.includes("@"), false);
    return [first.request.origin.authority + first.target, decoded];
  };
  assertEquals(await sent("http://joe:s3cret@h/a"), ["h/a", "joe:s3cret"]);
  assertEquals(await sent("http://joe@h/a?b"), ["h/a?b", "joe:"]);
  assertEquals(await sent("/a", "http://joe:p%40%3A@h:81/x/"), ["h:81/x/a", "joe:p@:"]);
  assertEquals(await sent("http://joe:${secrets.pw}@h/${vu}"), ["h/1", "joe:s3cret"]);
  assertEquals(await sent("http://${data.u.name}:${data.u.pw}@h/"), ["h/", "zo\u00eb:p@ss"]);
  const own = { authorization: `Basic ${btoa("my:own")}` };
  assertEquals(await sent("http://joe:s3cret@h/", undefined, own), ["h/", "my:own"]);
});

Deno.test("request headers override plan headers, and plan headers override client defaults", async () => {
  const { headers } = await send({
    url: "/",
    headers: { "user-agent": "mine", "X-Vu": "${vu}", n: 5 },
    body: { json: null },
  }, { plan: { defaults: { http: { headers: { "User-Agent": "plan", Accept: "*/*" } } } } });
  assertEquals(headers, {
    "user-agent": "mine",
    "accept-encoding": "gzip, deflate, br, zstd",
    "content-type": "application/json",
    "x-vu": "1",
    n: "5",
    accept: "*/*",
  });
});

Deno.test("run sends every kind of body with its content type", async () => {
  const data = {
    d: {
      type: "inline" as const,
      rows: [{ n: 7, list: [1, { a: null }], text: 'q"\n', id: "x&y" }],
    },
  };
  const body = async (body: Request["body"]) => {
    const { body: text, headers } = await send({ url: "/", body }, {
      plan: { data },
      files: { "f.bin": "file ${x}" },
    });
    return [text, headers["content-type"]];
  };
  assertEquals(await body("a ${data.d.n}"), ["a 7", undefined]);
  assertEquals(
    await body({
      json: {
        n: "${data.d.n}",
        l: ["${data.d.list}"],
        t: "<${data.d.text}>",
        "$${k}": true,
        "${data.d.n}": { "i-${data.d.text}": 1 },
      },
    }),
    [
      '{"n":7,"l":[[1,{"a":null}]],"t":"<q\\"\\n>","${k}":true,"7":{"i-q\\"\\n":1}}',
      "application/json",
    ],
  );
  assertEquals(await body({ form: { a: "${data.d.id}", b: [1, "z z"] } }), [
    "a=x%26y&b=1&b=z+z",
    "application/x-www-form-urlencoded",
  ]);
  assertEquals(await body({ form: [["a", "1"], ["a", "2"]] }), [
    "a=1&a=2",
    "application/x-www-form-urlencoded",
  ]);
  assertEquals(await body({ file: "f.bin", content_type: "x/y" }), ["file ${x}", "x/y"]);
  assertEquals(await body({ base64: "aGk=" }), ["hi", undefined]);
  const [multipart, type] = await body({
    multipart: [{ name: "a", value: "${data.d.n}" }, {
      name: "f",
      file: "f.bin",
      filename: "${data.d.n}.bin",
    }],
  });
  const boundary = /boundary=(.+)$/.exec(type!)![1];
  assertEquals(multipart!.split(`--${boundary}`).length, 4);
  assertMatch(multipart!, /name="a"\r\n\r\n7\r\n[^]*filename="7.bin"[^]*\r\n\r\nfile \$\{x\}\r\n/);
});

Deno.test("a VU keeps cookies between iterations unless the plan disables them", async () => {
  const flow: Step[] = [{ request: { url: "/" } }];
  const respond = (_: unknown, n: number) => ({
    headers: [["Set-Cookie", `id=${n}; Path=/`]] as const,
  });
  const cookies = async (http: object) => {
    const plan = singleScenarioPlan(
      { executor: "per-vu-iterations", vus: 2, iterations: 2, flow },
      {
        defaults: { http },
      },
    );
    const { sent } = await runInVirtualTime(plan, { respond });
    return sent.map(({ headers }) => headers.cookie);
  };
  assertEquals(await cookies({}), [undefined, undefined, "id=0", "id=1"]);
  assertEquals(await cookies({ cookies: false }), [undefined, undefined, undefined, undefined]);
});

Deno.test("run follows redirects up to the limit and records each response", async () => {
  const hops = (count: number) => (_: unknown, n: number) =>
    n < count
      ? { status: 302, headers: [["Location", `/${n + 1}`], ["Set-Cookie", `hop=${n}`]] as const }
      : {};
  const request: Request = { url: "/0", body: "x" };
  const { sent, summary } = await runFlow([{ request }], { respond: hops(2) });
  assertEquals(sent.map(({ method, target, headers }) => [method, target, headers.cookie]), [
    ["POST", "/0", undefined],
    ["GET", "/1", "hop=0"],
    ["GET", "/2", "hop=1"],
  ]);
  assertEquals(summary.endpoints[0].statuses, { "200": 1, "302": 2 });
  assertEquals([summary.endpoints[0].count, summary.endpoints[0].failed], [3, 0]);

  const stay = await runFlow([{ request: { ...request, follow_redirects: false } }], {
    respond: hops(9),
  });
  assertEquals([stay.sent.length, stay.summary.endpoints[0].failed], [1, 0]);
  const loop = await runFlow([{ request }], {
    respond: hops(99),
    plan: { defaults: { http: { max_redirects: 3 } } },
  });
  assertEquals([loop.sent.length, loop.summary.errors[0].kind], [4, "redirects"]);
});

Deno.test("a redirect does not send a body to an origin that the plan does not use", async () => {
  const to = (location: string) => ({ target }: { target: string }) =>
    target === "/" ? { status: 307, headers: [["location", location]] as const } : {};
  const flow: Step[] = [
    { request: { url: "/", body: "password" } },
    { request: { url: "http://${data.d.host}/y" } },
    { request: { url: "http://named/z" } },
  ];
  const data = { d: { type: "inline" as const, rows: [{ host: "late" }] } };
  const runWith = (location: string) => runFlow(flow, { respond: to(location), plan: { data } });
  const refused = await runWith("http://evil/x");
  assertEquals(refused.sent.map(({ target }) => target), ["/", "/y", "/z"]);
  const [{ kind, message }] = refused.summary.errors;
  assertEquals([kind, refused.summary.errors.length], ["redirects", 1]);
  assertMatch(message, /http:\/\/evil/);
  const followed = await runWith("http://named/x");
  assertEquals(followed.sent.map(({ target }) => target), ["/", "/x", "/y", "/z"]);
  assertEquals(followed.sent[1].body, "password");
});

Deno.test("run records the first error of a failed request", async () => {
  const kind = async (request: Partial<Request>, respond: TestRunOptions["respond"]) => {
    const { summary } = await runFlow([{ request: { url: "/", ...request } }], { respond });
    return [summary.endpoints[0].failed, summary.errors[0]?.kind];
  };
  assertEquals(await kind({}, () => ({ status: 399 })), [0, undefined]);
  assertEquals(await kind({}, () => ({ status: 400 })), [1, undefined]);
  assertEquals(await kind({ assert: [{ type: "status", equals: 404 }] }, () => ({ status: 404 })), [
    0,
    undefined,
  ]);
  assertEquals(await kind({ assert: [{ type: "status", equals: 404 }] }, () => ({})), [
    1,
    "assert",
  ]);
  assertEquals(await kind({}, () => ({ error: "reset" })), [1, "reset"]);
  const extract: Request["extract"] = [{ type: "regex", name: "v", expression: "a(b)" }];
  assertEquals(await kind({ extract }, () => ({ body: "ab" })), [0, undefined]);
  assertEquals(await kind({ extract }, () => ({ body: "x" })), [1, "extract"]);
  assertEquals(await kind({ extract: [{ ...extract[0], default: 1 }] }, () => ({ body: "x" })), [
    0,
    undefined,
  ]);
  const damaged = { body: "no gzip", headers: [["Content-Encoding", "gzip"]] as const };
  assertEquals(await kind({ extract }, () => damaged), [1, "body"]);
  assertEquals(await kind({ checks: [{ type: "status", equals: 1 }] }, () => ({})), [0, undefined]);
});

Deno.test("a failed extraction unsets the variable", async () => {
  const flow: Step[] = [
    { request: { url: "/", extract: [{ type: "jsonpath", name: "id", expression: "$.id" }] } },
    { request: { name: "use", url: "/${id}" } },
  ];
  const plan = singleScenarioPlan({ executor: "per-vu-iterations", vus: 1, iterations: 2, flow });
  const { sent } = await runInVirtualTime(plan, {
    respond: (_, n) => ({ body: n === 0 ? '{"id":1}' : "{}" }),
  });
  assertEquals(sent.map(({ target }) => target), ["/", "/1", "/"]);
});

Deno.test("the headers and the body of a response are kept only if the plan reads them", async () => {
  const needs = async (request: Partial<Request>, http = {}) => {
    const { request: sent } = await send({ url: "/", ...request }, {
      plan: { defaults: { http } },
    });
    const { headers, body } = sent.needs;
    return { headers, body };
  };
  assertEquals(await needs({}), { headers: false, body: false });
  assertEquals(await needs({ checks: [{ type: "status", equals: 200 }] }), {
    headers: false,
    body: false,
  });
  assertEquals(await needs({ checks: [{ type: "header", header: "x" }] }), {
    headers: true,
    body: false,
  });
  const body = { checks: [{ type: "body_contains" as const, value: "x" }] };
  assertEquals(await needs(body), { headers: false, body: true });
  assertEquals(await needs(body, { discard_response_bodies: true }), {
    headers: false,
    body: false,
  });
});

Deno.test("error messages contain no secrets", async () => {
  const options: Options = {
    env: { S: "s3cret" },
    plan: {
      secrets: { s: { env: "S" } },
      data: { d: { type: "inline", rows: [{ h: "no host" }] } },
    },
  };
  const request = { url: "http://${secrets.s}.${data.d.h}/" };
  const { summary } = await runFlow([{ request }], options);
  assertEquals(summary.errors.length, 1);
  assertEquals(JSON.stringify(summary).includes("s3cret"), false);
  const error = await send({ url: "ftp://${secrets.s}/" }, options).then(
    () => undefined,
    (e: Error) => e,
  );
  assertEquals(error?.message.includes("s3cret"), false);
});

const EXTRACT: Request = {
  url: "/first",
  extract: [{ type: "jsonpath", name: "id", expression: "$.id" }],
};

/**
 * Sends a request that extracts `id` from the response `body`, and then one with `headers`. Returns
 * the number of sent requests, some headers of the second request, and the summary.
 */
async function headersAfter(body: string, headers: Request["headers"]) {
  const { sent, summary } = await runFlow(
    [{ request: EXTRACT }, { request: { url: "/second", headers } }],
    { respond: () => ({ body }) },
  );
  const { referer, origin, "x-id": id } = sent[1]?.headers ?? {};
  return { count: sent.length, referer, origin, id, summary };
}

Deno.test("a request is sent without its Referer if a variable in it is not set", async () => {
  const headers = { Referer: "http://t/orders/${id}", "X-Id": "1" };
  const unset = await headersAfter("{}", headers);
  assertEquals([unset.count, unset.referer, unset.id], [2, undefined, "1"]);
  const [, second] = unset.summary.endpoints.toSorted((a, b) => a.name < b.name ? -1 : 1);
  assertEquals([second.name, second.omitted_headers, second.unsent, second.failed], [
    "GET /second",
    1,
    0,
    0,
  ]);
  const set = await headersAfter('{"id":7}', headers);
  assertEquals([set.referer, set.summary.endpoints[1].omitted_headers], [
    "http://t/orders/7",
    undefined,
  ]);
});

Deno.test("an `Origin` header is shortened to the origin if a variable in its path is not set", async () => {
  const { count, origin } = await headersAfter("{}", { origin: "http://t:8/orders/${id}" });
  assertEquals([count, origin], [2, "http://t:8"]);
  const host = await headersAfter("{}", { Origin: "http://${id}" });
  assertEquals([host.count, host.summary.endpoints[1].unsent], [1, 1]);
});

Deno.test("a request is not sent if a variable in another header is not set", async () => {
  const { count, summary } = await headersAfter("{}", {
    Referer: "http://t/${id}",
    "X-Id": "${id}",
  });
  assertEquals([count, summary.endpoints[1].omitted_headers], [1, undefined]);
});

Deno.test("reports and merged summaries count omitted headers", async () => {
  const { summary } = await headersAfter("{}", { Referer: "http://t/${id}" });
  const text = "1 `Referer` or `Origin` header omitted or shortened: a `${…}` in it had no value";
  assertEquals(runWarnings(summary).map((warning) => warning.text), [text]);
  assertStringIncludes(renderSummary(summary, { color: false, width: 120 }), text);
  assertStringIncludes(await runReport(summary), `["headers omitted","1"]`);
  const merged = mergeSummaries([
    { ...summary, shards: [{ ...summary.shards[0], shard: "1/2" }] },
    { ...summary, shards: [{ ...summary.shards[0], shard: "2/2" }] },
  ]);
  assertEquals(merged.endpoints.find(({ name }) => name === "GET /second")!.omitted_headers, 2);
});

function marked(recorded: string, url = "/"): Step {
  const checks = [{ type: "status" as const, equals: 200 }];
  return { request: { url, tags: { recorded, team: "a" }, checks } };
}

const FLOW: Step[] = [
  marked("7"),
  { group: { name: "g", steps: [marked("8"), { request: { url: "/unmarked" } }] } },
  { repeat: { times: 2, steps: [marked("3", "/${vu}")] } },
  { parallel: { branches: [[marked("4")], [marked("5")]] } },
];

Deno.test("requests in every kind of step pass the HAR entry number in their `recorded` tag to the HTTP client", async () => {
  const { sent } = await runFlow(FLOW);
  const entries = sent.map(({ request }) => request.recorded);
  assertEquals(entries, [7, 8, undefined, 3, 3, 4, 5]);
});

Deno.test("a redirected request does not keep the HAR entry number of the original request", async () => {
  const { sent } = await runFlow([marked("7")], {
    respond: (_, n) => n === 0 ? { status: 302, headers: [["location", "/next"]] } : {},
  });
  assertEquals(sent.map(({ request }) => request.recorded), [7, undefined]);
});

Deno.test("requests with stored cookies keep the HAR entry number in their `recorded` tag", async () => {
  const { sent } = await runFlow([marked("7"), marked("8")], {
    respond: () => ({ headers: [["set-cookie", "a=1"]] }),
  });
  assertEquals(sent.map(({ request }) => request.recorded), [7, 8]);
});

Deno.test("samples and checks do not have the tag `recorded`", async () => {
  const samples: Sample[] = [];
  const { summary } = await runFlow(FLOW, {
    outputs: [{
      samples: (batch) => void samples.push(...batch.samples),
      close: () => Promise.resolve({ name: "test", written: 0, dropped: 0 }),
    }],
  });
  assertEquals(summary.checks.length, 2);
  for (const sample of samples) {
    if (sample.type !== "request") continue;
    assertEquals(Object.hasOwn(sample.tags, "recorded"), false);
  }
});

Deno.test("a run with a RequestSupervisor sends the request that the supervisor returns", async () => {
  const seen: unknown[] = [];
  const supervisor: RequestSupervisor = {
    before: (request) =>
      Promise.resolve({
        ...request,
        url: `${request.url}?a=1`,
        extract: [{ type: "jsonpath", name: "id", expression: "$.id" }],
      }),
    after(request, vu) {
      seen.push([request.url, vu.id, vu.iteration, vu.get("id"), vu.received.text]);
      return Promise.resolve(false);
    },
  };
  const { sent } = await runFlow(
    [{ request: { url: "/x" } }, { think_time: "1s" }, { request: { url: "/y" } }],
    { supervisor, respond: (_, n) => ({ body: `{"id": ${n}}` }) },
  );
  assertEquals(sent.map(({ target }) => target), ["/x?a=1", "/y?a=1"]);
  assertEquals(seen, [["/x", 1, 0, 0, '{"id": 0}'], ["/y", 1, 0, 1, '{"id": 1}']]);
});

Deno.test("a run repeats a request if its RequestSupervisor asks for it, and uses the variables that the supervisor sets", async () => {
  let attempts = 0;
  const supervisor: RequestSupervisor = {
    before: (request) => Promise.resolve({ ...request, url: `${request.url}\${id}` }),
    after(_, vu) {
      vu.set("id", `v${++attempts}`);
      return Promise.resolve(attempts < 3);
    },
  };
  const { sent, summary } = await runFlow([{ request: { url: "/x/" } }], { supervisor });
  assertEquals(sent.map(({ target }) => target), ["/x/v1", "/x/v2"]);
  assertEquals(summary.errors.map(({ message }) => message), ['the variable "id" is not set']);
});
