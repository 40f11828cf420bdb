import process from "node:process";
import { assert, assertEquals, assertLess } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Verification } from "../../src/verify/verify_plan.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

const TOKEN = "9f86d081884c7d65";
const SHOP: CaseCall[] = [
  {
    request: "POST /login",
    json: { user: "ada" },
    response: { token: TOKEN },
    response_headers: {
      "Set-Cookie": "sid=5f3c9a71b2d84e60; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
    },
  },
  { request: "GET /orders?page=2", headers: { "X-Token": TOKEN }, response: { orders: [] } },
  {
    request: "POST /orders",
    headers: { "X-Token": TOKEN },
    json: { qty: 1 },
    response: { id: 4711 },
  },
  { request: "GET /orders/4711", response: { id: 4711, token: TOKEN } },
];
const recording = recordingOf(SHOP);

/** Verifies the shop's plan after a change to its requests. */
function changed(
  change: (requests: Request[], plan: Plan) => void,
  load: { users?: number; iterations?: number } = {},
): Promise<Verification> {
  const plan = structuredClone(convertHar(recording, {}).plan);
  change([...listRequests(Object.values(plan.scenarios)[0].flow)], plan);
  return verified(plan, recording, load);
}

Deno.test("verifyPlan reports no stale values for a converted plan with any base URL", async () => {
  const { verdict, share } = await changed((_, plan) => {
    plan.defaults!.http!.base_url = "http://staging.example:8080";
  }, { users: 3, iterations: 2 });
  assertEquals([verdict, share], ["consistent", 1]);
});

Deno.test("verifyPlan accepts a plan without a base URL", async () => {
  assertEquals((await changed((_, plan) => delete plan.defaults)).verdict, "consistent");
});

Deno.test("verifyPlan reports the request, the field, the producer and the missing extractor of a stale value", async () => {
  const { verdict, stale, share, matched } = await changed((requests) => {
    requests[0].extract = undefined;
    for (const { headers } of requests.slice(1)) if (headers) headers["X-Token"] = TOKEN;
  });
  assertEquals([verdict, share, matched], ["stale", 0.5, 2]);
  assertEquals(stale[0], {
    value: TOKEN,
    why: "as recorded",
    call: "request 2 (GET /orders)",
    place: "header x-token",
    producer: "request 1 (POST /login)",
    extractor: { type: "jsonpath", name: "token", expression: "$.token" },
    write: "${token}",
    count: 1,
  });
  assertEquals(stale.length, 2);
});

Deno.test("verifyPlan reports a variable's value as stale after the server has regenerated it", async () => {
  const { stale } = await changed((requests, plan) => {
    const [login] = requests;
    const again = structuredClone(login);
    again.extract = undefined;
    plan.scenarios.recorded.flow.splice(1, 0, { request: again });
  });
  assertEquals(stale.map(({ value, why }) => [value, why]), [
    [TOKEN, "from an earlier response"],
    [TOKEN, "from an earlier response"],
  ]);
});

Deno.test("verifyPlan reports a literal session cookie as stale", async () => {
  const { stale } = await changed((requests) => {
    requests[1].headers = { ...requests[1].headers, Cookie: "sid=5f3c9a71b2d84e60" };
  });
  assertEquals(stale.map(({ value, place }) => [value, place]), [
    ["5f3c9a71b2d84e60", "cookie sid"],
  ]);
});

Deno.test("verifyPlan reports the request field of each difference", async () => {
  const { verdict, differing, matched } = await changed((requests) => {
    requests[0].headers = { "X-Extra": "1" };
    requests[1].url = "/orders?page=3";
    requests[2].body = { json: { qty: "1", gift: true } };
    requests[3].method = "HEAD";
  });
  assertEquals([verdict, matched], ["differs", 1]);
  assertEquals(differing.map(({ place, recorded, sent }) => [place, recorded, sent]), [
    ["query page", "2", "3"],
    ["json $.qty", "the number 1", "the text 1"],
    ["json $.gift", undefined, "true"],
    ["method", "GET", "HEAD"],
  ]);
});

Deno.test("verifyPlan reports missing calls and requests that the plan adds", async () => {
  const { verdict, neverMade, added } = await changed((requests) => {
    Object.assign(requests[1], { url: "/somewhere/else", tags: undefined });
  }, { iterations: 2 });
  assertEquals(verdict, "incomplete");
  assertEquals(neverMade, [{ call: "GET /orders", count: 2 }]);
  assertEquals(added, [{
    method: "GET",
    url: "https://app.example/somewhere/else",
    like: undefined,
    count: 2,
  }]);
});

Deno.test("verifyPlan reports extractors that find nothing, and the requests that are therefore not sent", async () => {
  const { verdict, nothingFound, unsent } = await changed((requests) => {
    requests[0].extract = [{ type: "jsonpath", name: "token", expression: "$.tokens" }];
  });
  assert(verdict === "failed");
  assertEquals(nothingFound.map(({ request, count }) => [request, count]), [["POST /login", 1]]);
  assertEquals(unsent.map(({ request }) => request), [
    "GET /orders",
    "POST /orders",
    "GET /orders/${id}",
  ]);
});

Deno.test("verifyPlan reports a header that no client can send", async () => {
  const { verdict, unsent } = await changed((requests) => {
    requests[0].headers = { "Accept;charset=UTF-8": "x" };
  });
  assert(verdict === "failed");
  assertEquals(unsent[0], {
    request: "POST /login",
    message: `the request cannot be sent: "Accept;charset=UTF-8" is not a valid header name`,
    count: 1,
  });
});

Deno.test("verifyPlan distinguishes two values in the same header", async () => {
  const [a, b] = ["1a2b3c4d5e6f7081", "f0e1d2c3b4a59687"];
  const recording = recordingOf([
    { request: "GET /a", response: { a_token: a } },
    { request: "GET /b", response: { b_token: b } },
    { request: "POST /c", headers: { "X-Both": `${b}/${a}` }, response: {} },
  ]);
  const { plan } = convertHar(recording, {});
  assertEquals((await verified(plan, recording)).verdict, "consistent");
  const mutant = JSON.parse(JSON.stringify(plan).replace("${b_token}/", `${b}/`));
  const { stale } = await verified(mutant, recording);
  assertEquals(stale.map(({ value, place }) => [value, place]), [[b, "header x-both"]]);
});

Deno.test("verifyPlan does not read secrets, and accepts a secret in place of any recorded value", async () => {
  const { verdict, share } = await changed((requests, plan) => {
    plan.secrets = { USER: { file: "/nowhere" } };
    requests[0].body = { json: { user: "${secrets.USER}" } };
  });
  assertEquals([verdict, share], ["consistent", 1]);
});

Deno.test("verifyPlan skips think times and `during` loops, and accepts parallel calls in any order", async () => {
  const { verdict, share, sent } = await changed((_, plan) => {
    const [login, list, order, look] = plan.scenarios.recorded.flow;
    plan.scenarios.recorded.flow = [
      login,
      { think_time: "5m" },
      { parallel: { branches: [[order, look], [list]] } },
    ];
  }, { users: 2, iterations: 2 });
  assertEquals([verdict, share, sent], ["consistent", 1, 16]);
});

const JOB: CaseCall[] = [
  { request: "POST /jobs", json: { kind: "tea" }, response: { id: "8f14e45fceea167a" } },
  { request: "GET /jobs/8f14e45fceea167a", response: { status: "pending" } },
  { request: "GET /jobs/8f14e45fceea167a", response: { status: "running" } },
  {
    request: "GET /jobs/8f14e45fceea167a",
    response: { status: "done", result: "45c48cce2e2d7fbd" },
  },
  { request: "GET /results/45c48cce2e2d7fbd", response: { rows: 3 } },
];

Deno.test("verifyPlan replays a polled request with all its recorded responses", async () => {
  const job = recordingOf(JOB);
  const { plan } = convertHar(job, {});
  const found = await verified(plan, job, { users: 2, iterations: 2 });
  assertEquals([found.verdict, found.share, found.neverMade], ["consistent", 1, []]);
  assertEquals(found.calls.map(({ verdict, sent }) => [verdict, sent]), [
    ...Array(5).fill(["consistent", 4]),
  ]);
});

Deno.test("verifyPlan reports a stale value in a polled request", async () => {
  const job = recordingOf(JOB);
  const plan = structuredClone(convertHar(job, {}).plan);
  const requests = [...listRequests(plan.scenarios.recorded.flow)];
  requests[1].url = "/jobs/8f14e45fceea167a";
  const found = await verified(plan, job);
  assertEquals(found.verdict, "stale");
  assertEquals(found.stale.map(({ value, call }) => [value, call]).at(0), [
    "8f14e45fceea167a",
    "request 2 (GET /jobs/8f14e45fceea167a)",
  ]);
});

Deno.test("verifyPlan does not simulate pauses and responses of days second by second", async () => {
  const day = 86_400_000;
  for (const firstEnds of [10, 3 * day]) {
    const days = recordingOf([
      { request: "GET /a", response: { id: 4711 }, at: [0, firstEnds] },
      { request: "GET /b/4711", response: {}, at: [3 * day + 10, 3 * day + 20] },
    ]);
    const { plan } = convertHar(days, {});
    if (firstEnds < day) Object.values(plan.scenarios)[0].flow.splice(1, 0, { think_time: "72h" });
    const before = process.threadCpuUsage();
    const { verdict, sent } = await verified(plan, days);
    assertEquals([verdict, sent], ["consistent", 2]);
    const { user, system } = process.threadCpuUsage(before);
    assertLess((user + system) / 1e6, 2);
  }
});
