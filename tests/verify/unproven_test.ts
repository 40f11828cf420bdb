import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { literalPlan, planOf, verified } from "../support/verified.ts";

Deno.test("verifyPlan reports a recorded literal that an earlier response contains, as stale only if the value is new in the session", async () => {
  const recording = recordingOf([
    { request: "POST /tickets", text: "ticket T48213x opened", type: "text/plain" },
    { request: "GET /tickets/48213", response: {} },
    { request: "POST /notes", json: { about: "ticket 48213", page: 2 }, response: {} },
  ]);
  const { verdict, unproven, stale, calls } = await verified(
    planOf([
      { method: "POST", url: "/tickets" },
      { url: "/tickets/48213" },
      { url: "/notes", body: { json: { about: "ticket 48213", page: 2 } } },
    ]),
    recording,
  );
  assertEquals(verdict, "stale");
  const found = {
    value: "48213",
    producer: "request 1 (POST /tickets)",
    extractor: { type: "boundary", name: "id", left: "T", right: "x" } as const,
    write: "${id}",
    count: 1,
  };
  assertEquals([stale, unproven], [
    [{
      ...found,
      why: "as recorded",
      call: "request 2 (GET /tickets/48213)",
      place: "path segment 2",
    }],
    [{ ...found, reason: "response", call: "request 3 (POST /notes)", place: "json $.about" }],
  ]);
  assertEquals(calls.map(({ verdict }) => verdict), ["consistent", "stale", "unproven"]);
});

Deno.test("verifyPlan reports a random-looking literal as unproven even if no response contains it", async () => {
  const id = "a81bc81b-dead-4e5d-abff-90865d1e13b1";
  const calls: CaseCall[] = [{
    request: "GET /a?page=2",
    headers: { "X-Trace": id },
    response: {},
  }];
  const { verdict, unproven } = await verified(
    planOf([{ url: "/a?page=2", headers: { "X-Trace": id } }]),
    recordingOf(calls),
  );
  assertEquals(verdict, "unproven");
  assertEquals(unproven.map(({ value, place, producer }) => [value, place, producer]), [
    [id, "header x-trace", undefined],
  ]);
  const generated = planOf([{ url: "/a?page=2", headers: { "X-Trace": "${uuid()}" } }]);
  assertEquals((await verified(generated, recordingOf(calls))).unproven, []);
});

Deno.test("verifyPlan reports a value from an earlier response as unproven if the recorded call has no parameter for it", async () => {
  const recording = recordingOf([
    { request: "GET /a", text: "version 20261122", type: "text/plain" },
    { request: "GET /b", response: {} },
  ]);
  const { unproven } = await verified(
    planOf([{ url: "/a" }, { url: "/b?v=20261122" }]),
    recording,
  );
  assertEquals(unproven.map(({ value, place }) => [value, place]), [["20261122", "query v"]]);
});

Deno.test("verifyPlan does not treat the reads of WebDAV as writes that later calls depend on", async () => {
  const trace = "a81bc81b-dead-4e5d-abff-90865d1e13b1";
  for (const method of ["PROPFIND", "REPORT", "SEARCH", "QUERY"]) {
    const { calls } = await verified(
      planOf([{ method, url: "/files", headers: { "X-Trace": trace } }, { url: "/teas" }]),
      recordingOf([
        { request: `${method} /files`, headers: { "X-Trace": trace }, response: {} },
        { request: "GET /teas", response: {} },
      ]),
    );
    assertEquals(calls.map(({ verdict }) => verdict), ["unproven", "consistent"], method);
  }
});

Deno.test("verifyPlan does not expect the target of a redirected WebDAV read to change", async () => {
  const body = { json: { title: "team notes" } };
  for (const method of ["POST", "REPORT"]) {
    const { verdict } = await verified(
      planOf([
        { method, url: "/reports", body, follow_redirects: false },
        { url: "/reports/team-notes" },
      ]),
      recordingOf([
        {
          request: `${method} /reports`,
          ...body,
          status: 302,
          response_headers: { Location: "/reports/team-notes" },
          response: {},
        },
        { request: "GET /reports/team-notes", response: {} },
      ]),
    );
    assertEquals(verdict, method === "POST" ? "unproven" : "consistent", method);
  }
});

const generated = fc.oneof(
  fc.bigInt({ min: 1_000n, max: 9_999_999_999_999_999_999n }).map(String),
  fc.uuid(),
  fc.stringMatching(/^[0-9a-f]{16,40}$/),
  fc.stringMatching(/^(?:[a-z][0-9]){4,10}$/),
  fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((d) =>
    d.toISOString()
  ),
);

const responses = fc.constantFrom<(value: string) => Partial<CaseCall>>(
  (value) => ({ response: { result: value } }),
  (value) => ({ response: [{ text: `made ${value}.` }] }),
  (value) => ({ text: `<b data-x="${value}">x</b>`, type: "text/html" }),
  (value) => ({ text: `var x='${value}';`, type: "text/javascript" }),
  (value) => ({ response_headers: { "X-Result": value }, response: {} }),
  (value) => ({ response_headers: { "Location": `/r/${value}` }, status: 201, response: {} }),
);

const sendings = fc.constantFrom<(value: string) => [Partial<CaseCall>, Request]>(
  (value) => [{ request: `GET /r/${value}` }, { url: `/r/${value}` }],
  (value) => [{ request: `GET /r?q=${value}` }, { url: `/r?q=${value}` }],
  (value) => [
    { request: "GET /r", headers: { "X-Q": `q ${value}` } },
    { url: "/r", headers: { "X-Q": `q ${value}` } },
  ],
  (value) => [
    { request: "POST /r", json: { a: { b: `at ${value}` } } },
    { url: "/r", body: { json: { a: { b: `at ${value}` } } } },
  ],
  (
    value,
  ) => [{ request: "POST /r", form: { f: value } }, { url: "/r", body: { form: { f: value } } }],
);

Deno.test("verifyPlan never reports a plan as consistent if it sends a generated value as recorded", async () => {
  await fc.assert(
    fc.asyncProperty(generated, responses, sendings, async (value, responseOf, sending) => {
      const [call, request] = sending(value);
      const recording = recordingOf([
        { request: "GET /start", ...responseOf(value) },
        { request: "", response: {}, ...call },
      ]);
      const { verdict } = await verified(planOf([{ url: "/start" }, request]), recording);
      assertNotEquals(verdict, "consistent");
    }),
  );
});

Deno.test("verifyPlan fails if the recording does not belong to the plan", async () => {
  const recording = recordingOf([{ request: "GET /a", response: {} }]);
  const other = planOf(["/w", "/x", "/y", "/z", "/zz", "/a"].map((url) => ({ url })));
  const found = await verified(other, recording);
  assertEquals([found.verdict, found.isForeign, found.matched], ["failed", true, 1]);
  const own = await verified(planOf([{ url: "/a" }, { url: "/x" }]), recording);
  assertEquals([own.verdict, own.isForeign], ["consistent", false]);
});

Deno.test("verifyPlan reports a call as not sent if the plan receives the redirect of another call instead", async () => {
  const recording = recordingOf([
    { request: "GET /", status: 302, response_headers: { Location: "/login" } },
    { request: "GET /login", response: {} },
    { request: "POST /login", form: { user: "ada" }, response: {} },
    { request: "GET /", response: { home: true } },
  ]);
  const { plan } = convertHar(recording, {});
  assertEquals((await verified(plan, recording)).share, 1);
  const short = planOf([
    { url: "/", follow_redirects: true },
    { url: "/login", body: { form: { user: "ada" } } },
  ]);
  const { verdict, neverMade, share } = await verified(short, recording);
  assertEquals([verdict, neverMade], ["incomplete", [{ call: "request 4 (GET /)", count: 1 }]]);
  assert(share < 1);
});

Deno.test("verifyPlan reports as stale an id that the plan extracts, if the members around it name its resource", async () => {
  const operations = (id: string) => JSON.stringify({ data: { category: { connect: { id } } } });
  const recording = recordingOf([
    { request: "POST /api", json: { name: "Teas" }, response: { createCategory: { id: "4" } } },
    { request: "POST /upload", form: { operations: operations("4") }, response: {} },
  ]);
  const create: Request = {
    url: "/api",
    body: { json: { name: "Teas" } },
    extract: [{ type: "jsonpath", name: "category_id", expression: "$.createCategory.id" }],
    tags: { recorded: 1 },
  };
  const upload = (id: string): Request => (
    { url: "/upload", body: { form: { operations: operations(id) } }, tags: { recorded: 2 } }
  );
  const { stale } = await verified(planOf([create, upload("4")]), recording);
  assertEquals(stale.map(({ place, extractor, write }) => [place, extractor, write]), [
    ["form operations $.data.category.connect.id", undefined, "${category_id}"],
  ]);
  const right = await verified(planOf([create, upload("${category_id}")]), recording);
  assertEquals(right.stale, []);
});

Deno.test("verifyPlan reports a row that the plan takes by its position and deletes", async () => {
  const ids = ["x8Kd2aQ9", "p3Lm7vZ1"];
  const recording = recordingOf([
    { request: "GET /contacts", response: { ids } },
    { request: "POST /contacts/batchDelete", json: { uids: [ids[1]] }, response: {} },
  ]);
  const requests: Request[] = [
    {
      url: "/contacts",
      extract: [{ type: "jsonpath", name: "row", expression: "$.ids[1]" }],
      tags: { recorded: 1 },
    },
    { url: "/contacts/batchDelete", body: { json: { uids: ["${row}"] } }, tags: { recorded: 2 } },
  ];
  const { unproven, verdict } = await verified(planOf(requests), recording);
  assertEquals([verdict, unproven.map(({ place, reason }) => [place, reason])], [
    "unproven",
    [["json $.uids[0]", "position"]],
  ]);
});

Deno.test("verifyPlan reports a number that a request deletes and an earlier response contains", async () => {
  const calls: CaseCall[] = [
    { request: "GET /tasks", response: { tasks: [{ id: 1 }, { id: 2 }] } },
    { request: "POST /actions?id=delete_tasks", json: { included: [2] }, response: {} },
  ];
  const { unproven } = await verified(literalPlan(calls), recordingOf(calls));
  assertEquals(unproven.map(({ place, value }) => [place, value]), [["json $.included[0]", "2"]]);
});

Deno.test("verifyPlan does not call a value stale because a variable contains it in a longer text", async () => {
  const url = "http://files.example/4f6c1d2e8a9b7c30/leaflet.txt";
  const recording = recordingOf([
    { request: "GET /config", response: { app: "4f6c1d2e8a9b7c30" } },
    { request: "POST /files", json: { app: "4f6c1d2e8a9b7c30" }, response: { url } },
    { request: "POST /teas", json: { app: "4f6c1d2e8a9b7c30", leaflet: url }, response: {} },
  ]);
  const requests: Request[] = [
    { url: "/config", tags: { recorded: 1 } },
    {
      url: "/files",
      body: { json: { app: "4f6c1d2e8a9b7c30" } },
      extract: [{ type: "jsonpath", name: "url", expression: "$.url" }],
      tags: { recorded: 2 },
    },
    {
      url: "/teas",
      body: { json: { app: "4f6c1d2e8a9b7c30", leaflet: "${url}" } },
      tags: { recorded: 3 },
    },
  ];
  const { stale, verdict } = await verified(planOf(requests), recording);
  assertEquals([stale, verdict], [[], "unproven"]);
});

/** Calls with values that a plan may send as recorded. */
const HARMLESS: Record<string, CaseCall[]> = {
  "the folder of a page in the address after a login": [
    {
      request: "POST /login",
      form: { redirect_to: "https://app.example/wp-admin/" },
      status: 302,
      response_headers: { Location: "/wp-admin/" },
    },
    { request: "GET /wp-admin/", response: {} },
  ],
  "a number in an uploaded file": [
    { request: "GET /app.js", text: 'x="http://www.w3.org/2000/svg"', type: "text/javascript" },
    {
      request: "POST /files",
      multipart: { file: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
      filename: "tea.svg",
      response: {},
    },
  ],
};

for (const [name, calls] of Object.entries(HARMLESS)) {
  Deno.test(`verifyPlan does not report ${name}`, async () => {
    const recording = recordingOf(calls);
    const { stale, unproven } = await verified(convertHar(recording, {}).plan, recording);
    assertEquals([stale, unproven.filter(({ reason }) => reason !== "same text")], [[], []]);
  });
}
