import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { convertHar } from "../../src/convert/from_har.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { Verification } from "../../src/verify/verify_plan.ts";
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

const WATCH = "092afa0a-ad75-475b-a272-29c25a7cab21";
const OTHER = "8b1ad7be-9712-42b1-aa61-70a1f8a13a68";

const html = (text: string) => ({ text, type: "text/html" });

/** Returns a page with a table of two rows, one of which contains `text`. */
function list(text: string): Pick<CaseCall, "text" | "type"> {
  const row = (id: string, shown: string) =>
    `<tr id="${id}"><td class="text">${shown}</td><td><a href="/edit/${id}">Edit</a></td></tr>`;
  return html(`<table>${row(OTHER, "an older row")}${row(WATCH, text)}</table>`);
}

/**
 * Verifies a plan whose first request sends `unique` instead of the text `recorded`, and whose
 * second request extracts an id from the list row that contains this text.
 */
function withUniqueText(
  calls: readonly CaseCall[],
  recorded: string,
  unique: string,
  row: Record<string, unknown> = { type: "css", expression: "tr[id]", attribute: "id" },
): Promise<Verification> {
  const recording = recordingOf(calls);
  const plan: Plan = structuredClone(convertHar(recording, {}).plan);
  const requests: Request[] = [...listRequests(Object.values(plan.scenarios)[0].flow)];
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1);
  const replaced = JSON.stringify(requests[0])
    .replaceAll(escaped(recorded), escaped(unique))
    .replaceAll(encodeURIComponent(recorded), unique.replaceAll(" ", "%20"));
  Object.assign(requests[0], JSON.parse(replaced));
  for (const request of requests) delete request.extract;
  requests[1].extract = [{ name: "id", row: unique, ...row } as never];
  requests[2].url = "/edit/${id}";
  return verified(plan, recording, { users: 2, iterations: 2 });
}

const ROW_IN_JSON = { type: "jsonpath", expression: "$.rows[*].id" };

/** Responses that show text that the first request sent, each in a different notation. */
const CASES: Record<string, [calls: CaseCall[], text: string, row?: Record<string, unknown>]> = {
  "a form field whose name does not suggest text": [[
    { request: "POST /add", form: { url: "http://tea.test/prices" }, status: 302, response: {} },
    { request: "GET /", ...list("http://tea.test/prices") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ], "http://tea.test/prices"],
  "a form with a password that the user left empty": [[
    { request: "POST /add", form: { host: "Tea kettle", ipmi_password: "" }, response: {} },
    { request: "GET /", ...list("Tea kettle") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ], "Tea kettle"],
  "text with a number that looks generated": [[
    { request: "POST /add", form: { note: "Harvest of 2025, lot 48213" }, response: {} },
    { request: "GET /", ...list("Harvest of 2025, lot 48213") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ], "Harvest of 2025, lot 48213"],
  "text that the page escapes with decimal entities": [[
    { request: "POST /add", form: { note: `Earl Grey's "best" <tea>` }, response: {} },
    { request: "GET /", ...list("Earl Grey&#39;s &#34;best&#34; &lt;tea&gt;") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ], `Earl Grey's "best" <tea>`],
  "text in a multipart body that the page escapes with hexadecimal entities": [[
    { request: "POST /add", multipart: { note: "Earl Grey's tea" }, response: {} },
    { request: "GET /", ...list("Earl Grey&#x27;s tea") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ], "Earl Grey's tea"],
  "a JSON member that a JSON list escapes": [
    [
      { request: "POST /add", json: { link: "Grüner Tee & mehr/2" }, response: {} },
      {
        request: "GET /rows",
        text:
          `{"rows":[{"id":"${OTHER}","link":"old"},{"id":"${WATCH}","link":"Gr\\u00fcner Tee & mehr\\/2"}]}`,
        type: "application/json",
      },
      { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
    ],
    "Grüner Tee & mehr/2",
    ROW_IN_JSON,
  ],
  "a query parameter of a write": [[
    { request: "POST /add?title=Green%20tea%20leaves", response: {} },
    { request: "GET /", ...list("Green tea leaves") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ], "Green tea leaves"],
};

for (const [name, [calls, text, row]] of Object.entries(CASES)) {
  Deno.test(`the mock server shows the text that a request sent: ${name}`, async () => {
    const seen = await withUniqueText(calls, text, `${text} \${unique}`, row);
    assertEquals([seen.nothingFound, seen.unsent, seen.stale], [[], [], []]);
  });
}

Deno.test("the mock server does not replace text within longer words or values", async () => {
  const calls: CaseCall[] = [
    { request: "POST /add", form: { mode: "text about", size: "tea" }, response: {} },
    { request: "GET /", ...list("a text abouts steam and tea") },
    { request: `GET /edit/${WATCH}`, ...html("<p>Edit</p>") },
  ];
  const recording = recordingOf(calls);
  const plan: Plan = structuredClone(convertHar(recording, {}).plan);
  const requests = [...listRequests(Object.values(plan.scenarios)[0].flow)];
  requests[0].body = { form: { mode: "plain${unique}", size: "big${unique}" } };
  requests[1].extract = [
    { type: "regex", name: "line", expression: '"(text)">a text abouts steam and tea' },
  ] as never;
  const { nothingFound } = await verified(plan, recording);
  assertEquals(nothingFound, []);
});

Deno.test("the mock server keeps recorded text that a response contained before a request sent it", async () => {
  const calls: CaseCall[] = [
    { request: "GET /new", ...html('<input name="kind" value="green and black">') },
    { request: "POST /add", form: { kind: "green and black" }, response: {} },
    { request: "GET /", ...list("green and black") },
  ];
  const recording = recordingOf(calls);
  const plan: Plan = structuredClone(convertHar(recording, {}).plan);
  const requests = [...listRequests(Object.values(plan.scenarios)[0].flow)];
  requests[1].body = { form: { kind: "white ${unique}" } };
  requests[2].extract = [{
    type: "css",
    name: "id",
    row: "green and black",
    expression: "tr[id]",
    attribute: "id",
  }] as never;
  const { nothingFound } = await verified(plan, recording);
  assertEquals(nothingFound, []);
});

const TOKEN = "9f86d081884c7d65";
const CLIENT_ID = "a81bc81b-dead-4e5d-abff-90865d1e13b1";

const SHOP = recordingOf([
  { request: "GET /start", response: { csrf_token: TOKEN, products: [{ id: 10023 }] } },
  { request: "GET /cart", response: { csrf_token: TOKEN } },
  {
    request: "POST /orders",
    headers: { "X-Csrf": TOKEN },
    json: { request_id: CLIENT_ID, product: 10023, note: "my first order", at: 1763804123456 },
    status: 201,
    response: { id: 48213, request_id: CLIENT_ID, note: "my first order" },
  },
  { request: "GET /orders/48213", response: { id: 48213 } },
  { request: `GET /requests/${CLIENT_ID}`, response: {} },
]);

/** Converts a recording, changes the plan and verifies it with two users and two iterations. */
function edited(
  recording: Recording,
  change: (requests: Request[], plan: Plan) => void,
): Promise<Verification> {
  const plan = structuredClone(convertHar(recording, {}).plan);
  change([...listRequests(Object.values(plan.scenarios)[0].flow)], plan);
  return verified(plan, recording, { users: 2, iterations: 2, file: "id\n10023\n10024\n" });
}

function describe({ verdict, stale, nothingFound, unsent }: Verification): unknown {
  return { isRejected: verdict === "stale" || verdict === "failed", stale, nothingFound, unsent };
}

const ACCEPTED = { isRejected: false, stale: [], nothingFound: [], unsent: [] };

const EDITS: Record<string, (requests: Request[], plan: Plan) => void> = {
  "no change": () => {},
  "an extractor on another response that contains the value": (requests) => {
    requests[1].extract = requests[0].extract!.filter(({ name }) => name === "csrf_token");
    requests[0].extract = requests[0].extract!.filter(({ name }) => name !== "csrf_token");
  },
  "functions in place of values that the client made": (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    Object.assign(json, { request_id: "${uuid()}", at: "${now()}", note: "order ${vu}" });
  },
  "a value that the client made, taken from the response that repeats it": (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.request_id = "${uuid()}";
    const extract = { type: "jsonpath", name: "request_id", expression: "$.request_id" } as const;
    requests[2].extract = [...requests[2].extract ?? [], extract];
    requests[4].url = "/requests/${request_id}";
  },
  "data in place of a value that the user chose": (requests, plan) => {
    plan.data = { products: { type: "csv", path: "products.csv" } };
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = "${data.products.id}";
  },
  "the recorded value in a variable of the plan": (requests, plan) => {
    plan.variables = { product: 10023 };
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = "${vars.product}";
  },
  "a secret in place of a typed value": (requests, plan) => {
    plan.secrets = { NOTE: { env: "NOTE" } };
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.note = "${secrets.NOTE}";
  },
  "an added, a repeated and a removed call": (_, plan) => {
    const { flow } = Object.values(plan.scenarios)[0];
    flow.splice(1, 1, { request: { url: "/health" } }, { request: { url: "/start" } });
  },
};

for (const [name, change] of Object.entries(EDITS)) {
  Deno.test(`verifyPlan accepts a plan with ${name}`, async () => {
    assertEquals(describe(await edited(SHOP, change)), ACCEPTED);
  });
}

Deno.test("verifyPlan reports a product of the shop as a literal, because another server has other ids", async () => {
  const { verdict, stale } = await edited(SHOP, (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = 10023;
  });
  assertEquals([verdict, stale.map(({ value }) => value)], ["stale", ["10023"]]);
});

Deno.test("verifyPlan reports the calls that a plan adds, and does not match them with recorded calls", async () => {
  const { added, calls, sent } = await edited(SHOP, (_, plan) => {
    Object.values(plan.scenarios)[0].flow.push(
      { request: { url: "/cart" } },
      { request: { url: "/nowhere" } },
    );
  });
  assertEquals(added, [
    { method: "GET", url: "https://app.example/cart", like: "request 2 (GET /cart)", count: 4 },
    { method: "GET", url: "https://app.example/nowhere", like: undefined, count: 4 },
  ]);
  assertEquals([sent, calls[1].sent], [28, 4]);
});

Deno.test("verifyPlan reports text in place of a number from a response", async () => {
  const { unproven, verdict } = await edited(SHOP, (requests) => {
    const { json } = requests[2].body as { json: Record<string, unknown> };
    json.product = "${uuid()}";
  });
  assertEquals(verdict, "differs");
  assertEquals(
    unproven.filter(({ reason }) => reason === "other value").map(({ value, place }) => [
      value,
      place,
    ]),
    [["10023", "json $.product"]],
  );
});

Deno.test("verifyPlan accepts an extractor that filters by a constant, but not one that filters by a token", async () => {
  const recording = recordingOf([
    { request: "GET /start", response: { items: [{ sku: 20048, key: "4cb0d9a1f3e27788" }] } },
    { request: "GET /items?key=4cb0d9a1f3e27788", response: {} },
  ]);
  const withFilter = (filter: string) =>
    edited(recording, (requests) => {
      const expression = `$.items[?(${filter})].key`;
      requests[0].extract = [{ type: "jsonpath", name: "key", expression }];
      requests[1].url = "/items?key=${key}";
    });
  assertEquals((await withFilter("@.sku == 20048")).verdict, "consistent");
  assertNotEquals((await withFilter("@.key == '4cb0d9a1f3e27788'")).verdict, "consistent");
});
