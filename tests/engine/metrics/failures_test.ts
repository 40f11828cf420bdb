import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FailureLog, failureSample, limitSamples } from "../../../src/engine/metrics/failures.ts";
import type { Step } from "../../../src/plan/kinds/steps.ts";
import { Counts, mergeRows } from "../../../src/engine/metrics/counts.ts";
import { clearResponse, HttpResponse } from "../../../src/http/sender.ts";
import { toOrigin } from "../../../src/http/url.ts";
import { parseSummary } from "../../../src/engine/summary/summary.ts";
import { mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import type { FailureStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import {
  runFlow,
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

const read = { type: "jsonpath", name: "id", expression: "$.id" } as const;

function failures(summary: Summary): readonly FailureStats[] {
  return summary.failures!;
}

Deno.test("failures: lists one sample for each status and kind of error", async () => {
  const { summary } = await runFlow([
    {
      repeat: { times: 3, steps: [{ request: { name: "a", url: "/a?page=2", extract: [read] } }] },
    },
    { request: { name: "b", url: "/b" } },
    { request: { name: "c", url: "/c" } },
  ], {
    respond: ({ target }, n) =>
      target === "/b"
        ? { error: "reset", ms: 5 }
        : target === "/c"
        ? { body: "ok" }
        : n === 0
        ? { body: '{"no":1}' }
        : { status: 503, body: '{"error":"busy"}', headers: [["retry-after", "5"]] },
  });
  const found = failures(summary).map(({ name, status, kind, count }) => ({
    name,
    status,
    kind,
    count,
  }));
  assertEquals(found, [
    { name: "a", status: 503, kind: "extract", count: 2 },
    { name: "a", status: 200, kind: "extract", count: 1 },
    { name: "b", status: 0, kind: "reset", count: 1 },
  ]);
  const [busy, empty, reset] = failures(summary).map(({ sample }) => sample!);
  assertEquals([busy.request.method, busy.request.url], ["GET", "http://t/a?page=2"]);
  assertEquals(busy.response?.status, 503);
  assertEquals(busy.response?.body, '{"error":"busy"}');
  assert(busy.response?.headers.includes("retry-after: 5"));
  assertEquals(empty.response?.body, '{"no":1}');
  assertEquals(reset.response, undefined);
  assertEquals(parseSummary(JSON.parse(JSON.stringify(summary))), {
    summary: JSON.parse(JSON.stringify(summary)),
  });
});

Deno.test("failures: a sample contains neither secrets nor cookies", async () => {
  const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.${"x".repeat(20)}`;
  const { summary } = await runFlow([{
    request: {
      method: "POST",
      url: "/login?api_key=k-9182736455&page=1",
      headers: {
        authorization: "Bearer abc.def",
        cookie: "sid=1234; theme=dark",
        "x-api-key": "abcdefgh12345",
        "x-plan": "${secrets.PIN}!",
      },
      body: { json: { user: "anna", password: "hunter2hunter2", note: "${secrets.PIN}" } },
      assert: [{ type: "body_contains", value: "welcome" }],
    },
  }], {
    plan: { secrets: { PIN: { env: "PIN" } } },
    env: { PIN: "s3cretpin" },
    respond: () => ({
      status: 401,
      headers: [["set-cookie", "sid=998877; Path=/; HttpOnly"], ["content-type", "text/html"]],
      body: `<p>no: ${token}, password=hunter3hunter3, s3cretpin</p>`,
    }),
  });
  const text = JSON.stringify(failures(summary).map(({ sample }) => sample));
  for (
    const secret of [
      ...["abc.def", "1234", "dark", "abcdefgh12345", "s3cretpin", "hunter", "998877"],
      ...["k-9182736455", "eyJ"],
    ]
  ) assert(!text.includes(secret), `${secret} in ${text}`);
  assertStringIncludes(text, "anna");
  assertStringIncludes(text, "page=1");
  assertStringIncludes(text, "authorization: Bearer ********");
  assertStringIncludes(text, "set-cookie: sid=********; Path=/; HttpOnly");
});

Deno.test("failures: a sample hides fields with encoded names, and all headers with credentials", async () => {
  const { summary } = await runFlow([{
    request: {
      method: "POST",
      url: "/login?access%5Ftoken=Zx81-first&q=a%20b&password=one,two(three)",
      headers: {
        "x-auth-key": "c2547eb0",
        "x-auth": "plainvalue",
        referer: "http://t/?user%5Bpin%5D=480115",
      },
      body: { form: { "user[password]": "hunter2hunter2", "user[name]": "anna" } },
      assert: [{ type: "status", equals: 200 }],
    },
  }], {
    respond: () => ({
      status: 401,
      headers: [
        ["location", "/next?client%5Fsecret=q1w2e3,r4&page=2"],
        ["www-authenticate", 'Basic realm="shop"'],
      ],
    }),
  });
  const text = JSON.stringify(failures(summary).map(({ sample }) => sample));
  for (
    const secret of [
      ...["Zx81", "one", "three", "c2547eb0", "plainvalue", "480115", "hunter", "q1w2", "r4"],
    ]
  ) assert(!text.includes(secret), `${secret} in ${text}`);
  assertStringIncludes(text, "access%5Ftoken=********&q=a%20b&password=********");
  assertStringIncludes(text, "user%5Bpassword%5D=********&user%5Bname%5D=anna");
  assertStringIncludes(text, "client%5Fsecret=********&page=2");
  assertStringIncludes(text, 'www-authenticate: Basic realm=\\"shop\\"');
});

Deno.test("failures: a sample of a response without headers does not contain headers of later responses", () => {
  const counts = new Counts();
  const log = new FailureLog(counts, (text) => text);
  const key = { scenario: "s", group: "", name: "a", method: "GET" };
  const row = log.row(key, 500, undefined);
  const origin = toOrigin(new URL("http://t/"))!;
  const needs = { headers: false, body: false };
  const response = new HttpResponse();
  response.status = 500;
  row.count++;
  log.keep(
    row,
    { method: "GET", origin, target: "/", headers: [], timeoutMs: 1, needs, body: undefined },
    response,
  );
  clearResponse(response, 0);
  response.headers.push(["x-later", "1"]);
  log.makeSamples();
  assertEquals(counts.data("failures")[0].sample?.response, { status: 500, headers: [] });
});

Deno.test("failures: samples are limited in size and number", async () => {
  const flow = Array.from({ length: 40 }, (_, i) => ({
    request: {
      name: `r${i}`,
      url: `/${i}?${"q".repeat(5_000)}`,
      headers: Object.fromEntries(
        Array.from({ length: 60 }, (_, k) => [`x-${k}`, "v".repeat(900)]),
      ),
      assert: [{ type: "body_contains" as const, value: "x" }],
    },
  }));
  const { summary } = await runFlow(flow, {
    respond: () => ({
      status: 500,
      body: "é".repeat(50_000),
      headers: [["content-type", "text/plain"]],
    }),
  });
  const all = failures(summary);
  assertEquals([all.length, all.filter(({ sample }) => sample !== undefined).length], [40, 25]);
  const [{ sample }] = all;
  assertEquals([sample!.request.url.length, sample!.request.headers.length], [2_001, 25]);
  assert(sample!.request.headers.every((header) => header.length <= 301));
  assert(JSON.stringify(sample).length < 15_000);
  assert(sample!.response!.body!.startsWith("éé") && sample!.response!.body!.endsWith("é…"));
});

Deno.test("failures: a sample describes a body that is binary or was not kept, and omits an empty body", async () => {
  const respond = (status: number, body: Uint8Array, type: string) => async () =>
    failures(
      (await runFlow([{
        request: { url: "/", assert: [{ type: "body_contains", value: "x" }] },
      }], { respond: () => ({ status, body, headers: [["content-type", type]] }) })).summary,
    )[0]
      .sample?.response?.body;
  assertEquals(await respond(500, new Uint8Array(7), "image/png")(), "(7 bytes of image/png)");
  assertEquals(await respond(500, new Uint8Array(0), "image/png")(), undefined);
  const late = await runFlow([{
    repeat: {
      times: 12,
      steps: [{ request: { url: "/", assert: [{ type: "status", equals: 200 }] } }],
    },
  }], { respond: (_sent, n) => ({ status: n < 11 ? 200 : 201, body: "hello" }) });
  assertEquals(failures(late.summary)[0].sample?.response?.body, "(5 bytes, not kept)");
});

Deno.test("failures: a response with a status below 400 is kept in full if it fails an assertion", async () => {
  const steps = (times: number): Step[] => [{
    repeat: {
      times,
      steps: [{ request: { url: "/", assert: [{ type: "status", equals: 200 }] } }],
    },
  }];
  const headers: [string, string][] = [["x-reason", "queued"], ["content-type", "text/plain"]];
  const sampleOf = async (times: number, failsAt: (n: number) => boolean) => {
    const { summary } = await runFlow(steps(times), {
      respond: (_sent, n) => ({ status: failsAt(n) ? 202 : 200, body: `body ${n}`, headers }),
    });
    return failures(summary)[0].sample?.response;
  };
  assertEquals(await sampleOf(1, () => true), {
    status: 202,
    headers: ["x-reason: queued", "content-type: text/plain"],
    body: "body 0",
  });
  // The first failure comes too late to be kept, so the second one is.
  assertEquals((await sampleOf(60, (n) => n === 50 || n === 55))?.body, "body 55");
});

Deno.test("failures: a sample of an incomplete response states why it is incomplete", () => {
  const response = (message: string, excerpt: string, headers: [string, string][] = []) =>
    failureSample({
      request: {
        method: "GET",
        origin: toOrigin(new URL("http://t/"))!,
        target: "/",
        headers: [],
        body: undefined,
        timeoutMs: 1_000,
        needs: { headers: false, body: false },
      },
      requestSize: 0,
      response: {
        ...new HttpResponse(),
        status: 500,
        bodySize: 1_000,
        headers,
        excerpt: new TextEncoder().encode(excerpt),
        error: "closed",
        message,
      },
    }, (text) => text.replaceAll("s3cret", "***")).response!.body;
  assertEquals(
    response("the server closed the connection (s3cret)", ""),
    "(1000 bytes, not kept: the server closed the connection (***))",
  );
  assertEquals(
    response("the server closed the connection", '{"password":["hunter2', [
      ["content-type", "application/json"],
    ]),
    '{"password":["******** (incomplete: the server closed the connection)',
  );
  assertEquals(
    response("reset", "abc", [["content-encoding", "gzip"]]),
    "(1000 bytes, compressed and incomplete: reset)",
  );
});

Deno.test("failures: merging shards adds up the counts and keeps one sample", async () => {
  const plan = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 4, iterations: 3", [{
      group: { name: "g", steps: [{ request: { url: "/" } }] },
    }]),
  );
  const shards: Summary[] = [];
  for (let index = 0; index < 2; index++) {
    const { summary } = await runInVirtualTime(plan, {
      shard: { index, of: 2 },
      respond: () => ({ status: 404, ms: 20 }),
    });
    shards.push(JSON.parse(JSON.stringify(summary)));
  }
  const merged = mergeSummaries(shards);
  assertEquals(merged.failures.map(({ count, status }) => [count, status]), [[12, 404]]);
  assertEquals(merged.failures[0].sample, shards[0].failures[0].sample);
  assertEquals(merged.groups.map(({ group, duration }) => [group, duration.count, duration.med]), [
    ["::g", 12, 20],
  ]);
  const many = Array.from({ length: 60 }, (_, i) => ({
    ...shards[0].failures[0],
    name: `r${i % 40}`,
  }));
  const limited = limitSamples(mergeRows("failures", many));
  const samples = limited.filter(({ sample }) => sample !== undefined);
  assertEquals([limited.length, samples.length], [40, 25]);
});
