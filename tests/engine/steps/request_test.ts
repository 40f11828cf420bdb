import { createHash } from "node:crypto";
import { assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import { InputError } from "../../../src/base/errors.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import type { Request } from "../../../src/plan/kinds/request.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
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

Deno.test("the clock is not read again for the first request of an iteration if that request is constant", async () => {
  const timed = async (flow: Step[], options?: Options) =>
    (await runFlow(flow, options)).sent.map(({ timed }) => timed);
  const request = { url: "/" };
  assertEquals(await timed([{ request }, { request }]), [true, false]);
  assertEquals(await timed([{ request: { url: "/${vu}" } }]), [false]);
  assertEquals(await timed([{ think_time: 1 }, { request }]), [false]);
  assertEquals(await timed([{ repeat: { times: 2, steps: [{ request }] } }]), [false, false]);
  const respond = () => ({ headers: [["set-cookie", "a=1"]] as const });
  const twice = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 1, iterations: 2", [{ request }]),
  );
  assertEquals((await runInVirtualTime(twice)).sent.map(({ timed }) => timed), [true, true]);
  assertEquals(
    (await runInVirtualTime(twice, { respond })).sent.map(({ timed }) => timed),
    [true, false],
  );
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

Deno.test("a constant request is the same object each time it is sent", async () => {
  const flow: Step[] = [{
    request: { url: "/a", params: { q: ["1", 2] }, body: { json: { a: 1 } } },
  }];
  const { sent } = await runInVirtualTime(
    singleScenarioPlan({ executor: "per-vu-iterations", vus: 1, iterations: 2, flow }),
  );
  assertStrictEquals(sent[0].request, sent[1].request);
  assertEquals([sent[0].method, sent[0].target, sent[0].body], ["POST", "/a?q=1&q=2", '{"a":1}']);
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
      files: { "f.bin": "file" },
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
  assertEquals(await body({ file: "f.bin", content_type: "x/y" }), ["file", "x/y"]);
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
  assertMatch(multipart!, /name="a"\r\n\r\n7\r\n[^]*filename="7.bin"[^]*\r\n\r\nfile\r\n/);
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
