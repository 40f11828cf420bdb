import { assert, assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { HarOptions } from "../../src/convert/har/facts.ts";
import { checkPlan } from "../../src/plan/check_plan.ts";
import type { MultipartPart } from "../../src/plan/kinds/bodies.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { VerificationVerdict } from "../../src/verify/verify_plan.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { literalPlan, planOf, verified } from "../support/verified.ts";

const html = (text: string): Partial<CaseCall> => ({ text, type: "text/html" });

/** Recordings, each with a value that becomes stale if a plan sends it as recorded. */
const STALE: Record<string, [value: string, calls: CaseCall[]]> = {
  "a token in JSON in a JSON string": ["YWHesXjBBuerbirwepk4", [
    { request: "GET /a", response: { inner: '{"token":"YWHesXjBBuerbirwepk4"}' } },
    { request: "GET /b?t=YWHesXjBBuerbirwepk4", response: {} },
  ]],
  "a token in HTML in a JSON string": ["4cb0d9a1f3e27788", [
    { request: "GET /a", response: { html: '<input name="csrf" value="4cb0d9a1f3e27788">' } },
    { request: "POST /b", form: { csrf: "4cb0d9a1f3e27788" }, response: {} },
  ]],
  "a token after an anti-hijacking prefix": ["4cb0d9a1f3e27788", [
    { request: "GET /a", text: ')]}\'\n{"csrf":"4cb0d9a1f3e27788"}', type: "application/json" },
    { request: "POST /b", json: { csrf: "4cb0d9a1f3e27788" }, response: {} },
  ]],
  "a path segment of a redirect": ["VRvmkINcXt2UQTHRcsT17", [
    {
      request: "GET /auth",
      status: 303,
      response_headers: { Location: "/interaction/VRvmkINcXt2UQTHRcsT17" },
    },
    { request: "GET /interaction/VRvmkINcXt2UQTHRcsT17", response: {} },
  ]],
  "a path segment of a redirect that ends after the browser follows it": ["VRvmkINcXt2UQTHRcsT17", [
    {
      request: "GET /auth",
      status: 303,
      response_headers: { Location: "/interaction/VRvmkINcXt2UQTHRcsT17" },
      at: [1_000, 1_020],
    },
    { request: "GET /interaction/VRvmkINcXt2UQTHRcsT17", response: {}, at: [1_010, 1_030] },
  ]],
  "a token in a script with escapes": ["4cb0d9a1f3e27788+\\", [
    {
      request: "GET /a",
      ...html('<script>var t = {"csrfToken":"4cb0d9a1f3e27788+\\\\"}</script>'),
    },
    { request: "POST /b", form: { token: "4cb0d9a1f3e27788+\\" }, response: {} },
  ]],
  "the id of a created object in its Location": ["48213", [
    {
      request: "POST /tickets",
      form: { title: "x" },
      status: 201,
      response_headers: { Location: "/tickets/48213" },
    },
    { request: "GET /tickets/48213", response: {} },
  ]],
  "a short id of a created object in its Location": ["7", [
    {
      request: "POST /newticket",
      form: { title: "x" },
      status: 303,
      response_headers: { Location: "/ticket/7" },
    },
    { request: "GET /ticket/7", ...html("<h1>#7</h1>") },
  ]],
  "a short id of a created object in JSON": ["7", [
    { request: "POST /articles", json: { title: "x" }, response: { id: 7 } },
    { request: "DELETE /articles/7", response: {} },
  ]],
  "a token of several numbers": ["733264:88273", [
    { request: "GET /form", ...html('<input name="token" value="733264:88273">') },
    { request: "POST /send", form: { token: "733264:88273" }, response: {} },
  ]],
  "the id of an object that an earlier list lacks": ["10023", [
    { request: "GET /products", response: { items: [] } },
    { request: "GET /products", response: { items: [{ id: 10023 }] } },
    { request: "GET /products/10023", response: {} },
  ]],
  "a nonce that changes from page to page": ["48213996", [
    { request: "GET /form", ...html('<input name="stamp" value="11213996">') },
    { request: "GET /form", ...html('<input name="stamp" value="48213996">') },
    { request: "POST /send", form: { stamp: "48213996" }, response: {} },
  ]],
};

/** Recordings, each with a name that the server chose and would choose again unless it is taken. */
const CHOSEN: typeof STALE = {
  "the name of a created object": ["Untitled Folder", [
    {
      request: "POST /api/contents/ada",
      json: { type: "directory" },
      status: 201,
      response_headers: { Location: "/api/contents/ada/Untitled%20Folder" },
      response: { name: "Untitled Folder" },
    },
    { request: "POST /api/sessions", json: { path: "ada/Untitled Folder" }, response: {} },
  ]],
  "a slug that the server made from a title": ["tea-at-five", [
    {
      request: "POST /wiki/new",
      form: { title: "Tea at five" },
      status: 302,
      response_headers: { Location: "/wiki/tea-at-five/" },
    },
    { request: "GET /wiki/tea-at-five/", response: {} },
  ]],
};

for (const [name, [value, calls]] of Object.entries(CHOSEN)) {
  Deno.test(`verifyPlan reports ${name} as unproven`, async () => {
    const { verdict, unproven } = await verified(literalPlan(calls), recordingOf(calls));
    const found = unproven.some((one) => one.reason === "response" && one.value === value);
    assertEquals([verdict, found], ["unproven", true]);
  });
}

for (const [name, [value, calls]] of Object.entries(STALE)) {
  Deno.test(`verifyPlan reports ${name} as stale`, async () => {
    const { verdict, stale, calls: judged } = await verified(
      literalPlan(calls),
      recordingOf(calls),
    );
    assertEquals([verdict, stale[0]?.value], ["stale", value]);
    assert(stale[0].extractor !== undefined, "no extractor");
    assertEquals(judged.at(-1)!.verdict, "stale");
  });
}

/** Recordings, each with a value that may be a constant, and the reason for the doubt. */
const UNPROVEN: Record<string, [value: string, reason: string, calls: CaseCall[]]> = {
  "the id of an existing object": ["10023", "response", [
    { request: "GET /products", response: { items: [{ id: 10023 }] } },
    { request: "GET /products/10023", response: {} },
  ]],
  "the id of an existing object in several responses": ["10023", "response", [
    { request: "GET /me", response: { account_id: 10023 } },
    { request: "GET /all", response: { account_id: 10023 } },
    { request: "POST /pay", json: { account_id: 10023 }, response: {} },
  ]],
  "the random id of an existing object": ["ffa1b2c3d4e5f607", "response", [
    { request: "GET /cards", response: { cards: [{ id: "ffa1b2c3d4e5f607" }] } },
    { request: "PUT /order", json: { order: ["ffa1b2c3d4e5f607"] }, response: {} },
  ]],
  "the short id of an object that a query lists": ["1", "response", [
    {
      request: "POST /graphql",
      json: { query: "query Places { places { id name } }" },
      response: { data: { places: [{ __typename: "Place", id: "1", name: "Cellar" }] } },
    },
    { request: "POST /stock", json: { placeId: "1" }, response: {} },
  ]],
  "an option that the user chose": ["3", "response", [
    {
      request: "GET /issues/new",
      ...html('<select name="priority_id"><option value="3">High</option></select>'),
    },
    { request: "POST /issues", form: { priority_id: "3" }, response: {} },
  ]],
  "a UUID that several responses agree on": ["a81bc81b-dead-4e5d-abff-90865d1e13b1", "constant", [
    { request: "GET /a", response: { flow: "a81bc81b-dead-4e5d-abff-90865d1e13b1" } },
    { request: "GET /b", response: { flow: "a81bc81b-dead-4e5d-abff-90865d1e13b1" } },
    { request: "GET /c?flow=a81bc81b-dead-4e5d-abff-90865d1e13b1", response: {} },
  ]],
  "the id of a client application": ["5f3c9a71b2d84e60aa11", "constant", [
    { request: "GET /config", response: { clientId: "5f3c9a71b2d84e60aa11" } },
    { request: "GET /auth?client_id=5f3c9a71b2d84e60aa11", response: {} },
  ]],
  "a version in the URL of an asset": ["1e5xb", "constant", [
    { request: "GET /", ...html('<link href="/load.php?version=1e5xb">') },
    { request: "GET /load.php?version=1e5xb", response: {} },
  ]],
  "a timestamp": ["2026-11-22T10:05:33.123Z", "constant", [
    { request: "GET /q", response: { createdDate: "2026-11-22T10:05:33.123Z" } },
    { request: "PUT /q", json: { createdDate: "2026-11-22T10:05:33.123Z" }, response: {} },
  ]],
  "a code challenge that only requests contain": [
    "g9JmIhxUVCqag0Ox8J4gDBVKQ1mzSnIUbCzp_CwSdfE",
    "random",
    [
      { request: "GET /app", ...html("<p>app</p>") },
      {
        request: "GET /auth?code_challenge=g9JmIhxUVCqag0Ox8J4gDBVKQ1mzSnIUbCzp_CwSdfE",
        response: {},
      },
    ],
  ],
};

for (const [name, [value, reason, calls]] of Object.entries(UNPROVEN)) {
  Deno.test(`verifyPlan reports ${name} as unproven`, async () => {
    const { verdict, unproven, stale } = await verified(literalPlan(calls), recordingOf(calls));
    assertEquals([verdict, stale], ["unproven", []]);
    assertEquals([unproven[0]?.value, unproven[0]?.reason], [value, reason]);
  });
}

/** Recordings whose requests contain only values that a client chooses. */
const CONSISTENT: Record<string, CaseCall[]> = {
  "a value that the client sent before the server repeated it": [
    { request: "POST /search", json: { q: "48213" }, response: { q: "48213" } },
    { request: "GET /search?q=48213", response: {} },
  ],
  "page numbers and words": [
    { request: "GET /list", response: { page: 1, next: 2, status: "open" } },
    { request: "GET /list?page=2&status=open", response: {} },
  ],
  "the port and the host of the application": [
    { request: "GET /", ...html('<a href="http://127.0.0.1:42989/x">x</a>') },
    { request: "POST /login", form: { back: "http://127.0.0.1:42989/x" }, response: {} },
  ],
  "an id of another kind of object": [
    { request: "GET /users/me", response: { user: { id: 7 } } },
    { request: "GET /articles/7", response: {} },
  ],
};

for (const [name, calls] of Object.entries(CONSISTENT)) {
  Deno.test(`verifyPlan does not report ${name}`, async () => {
    const { verdict, unproven, stale } = await verified(literalPlan(calls), recordingOf(calls));
    assertEquals([verdict, stale, unproven], ["consistent", [], []]);
  });
}

Deno.test("verifyPlan reports an id that the plan takes from a different kind of object", async () => {
  const calls: CaseCall[] = [
    { request: "POST /login", json: {}, response: { channel: { id: "1" } } },
    {
      request: "POST /api",
      json: { op: "createProduct" },
      response: { createProduct: { id: "1" } },
    },
    { request: "POST /api", json: { productId: "1" }, response: {} },
  ];
  const plan = literalPlan(calls);
  const { flow } = plan.scenarios.s;
  flow[0].request!.extract = [{ type: "jsonpath", name: "id", expression: "$.channel.id" }];
  flow[2].request!.body = { json: { productId: "${id}" } };
  const wrong = await verified(plan, recordingOf(calls));
  assertEquals(wrong.unproven.map(({ reason, place }) => [reason, place]), [
    ["other object", "json $.productId"],
  ]);
  flow[1].request!.extract = [{ type: "jsonpath", name: "id", expression: "$.createProduct.id" }];
  assertEquals((await verified(plan, recordingOf(calls))).verdict, "consistent");
});

Deno.test("verifyPlan reports a session cookie that no recorded response sets", async () => {
  const calls: CaseCall[] = [{
    request: "GET /account",
    headers: { Cookie: "theme=dark; sessionid=5f3c9a71b2d84e60" },
    response: {},
  }];
  const plan = literalPlan([{ request: "GET /account" }]);
  const { unproven } = await verified(plan, recordingOf(calls));
  assertEquals(unproven.map(({ reason, place }) => [reason, place]), [
    ["cookie", "cookie sessionid"],
  ]);
});

Deno.test("verifyPlan reports calls that depend on a stale call as unproven", async () => {
  const calls: CaseCall[] = [
    { request: "GET /login", response: { csrf: "4cb0d9a1f3e27788" } },
    { request: "POST /login", json: { csrf: "4cb0d9a1f3e27788" }, response: {} },
    { request: "GET /home", response: {} },
  ];
  const { calls: judged } = await verified(literalPlan(calls), recordingOf(calls));
  assertEquals(judged.map(({ verdict, dependsOn }) => [verdict, dependsOn]), [
    ["consistent", undefined],
    ["stale", undefined],
    ["unproven", "request 2 (POST /login)"],
  ]);
});

Deno.test("if a request sends a stale value, verifyPlan simulates a response that contains that stale value", async () => {
  const calls: CaseCall[] = [
    { request: "POST /boxes", json: {}, response: { id: 48213 } },
    {
      request: "POST /boxes/48213/items",
      json: {},
      response: { next: "/boxes/48213/items/77120" },
    },
    { request: "GET /boxes/48213/items/77120", response: {} },
  ];
  const plan = literalPlan(calls);
  const { flow } = plan.scenarios.s;
  const expression = "/boxes/48213/items/(\\d+)";
  flow[1].request!.extract = [{ type: "regex", name: "item", expression }];
  flow[2].request!.url = "/boxes/48213/items/${item}";
  const { stale, nothingFound } = await verified(plan, recordingOf(calls));
  assertEquals(stale.map(({ value, place }) => [value, place]), [
    ["48213", "path segment 2"],
    ["48213", "path segment 2"],
  ]);
  assertEquals(nothingFound, []);
});

Deno.test("verifyPlan matches requests by their tag, not by method and URL", async () => {
  const calls: CaseCall[] = [
    { request: "POST /api", json: { op: "a" }, response: { a: 1 } },
    { request: "POST /api", json: { op: "b" }, response: { b: 2 } },
  ];
  const plan = literalPlan(calls);
  plan.scenarios.s.flow.reverse();
  const { differing, neverMade, matched } = await verified(plan, recordingOf(calls));
  assertEquals([differing, neverMade, matched], [[], [], 2]);
});

Deno.test("verifyPlan reports a response whose body was not recorded", async () => {
  const [first, ...rest] = recordingOf([
    { request: "GET /a", ...html("x") },
    { request: "GET /b", response: {} },
  ]).exchanges;
  const exchanges = [{ ...first, response: { ...first.response, text: undefined } }, ...rest];
  const recording = { ...recordingOf([]), exchanges };
  const plan = literalPlan([{ request: "GET /a" }, { request: "GET /b" }]);
  const { verdict, missingBodies } = await verified(plan, recording);
  assertEquals([verdict, missingBodies], ["unproven", [{ call: "request 1 (GET /a)" }]]);
});

Deno.test("verifyPlan gives a variable from a body that was not recorded the value that the recorded requests send", async () => {
  const calls: CaseCall[] = [
    { request: "POST /upload", form: { name: "notes.txt" }, response: { location: "/books/7" } },
    { request: "GET /books/7", response: { title: "Notes" } },
    { request: "POST /shelf", json: { book: 7, shelf: "green" }, response: { ok: true } },
  ];
  const [first, ...rest] = recordingOf(calls).exchanges;
  const exchanges = [{ ...first, response: { ...first.response, text: undefined } }, ...rest];
  const plan = literalPlan(calls);
  const [upload, read, add] = plan.scenarios.s.flow;
  upload.request!.extract = [
    { type: "regex", name: "book", expression: "books/(\\d+)" },
    { type: "jsonpath", name: "id", expression: "$.id" },
  ];
  read.request!.url = "/books/${book}";
  add.request!.body = { json: { book: "${id}", shelf: "green" } };
  const found = await verified(plan, { ...recordingOf([]), exchanges });
  assertEquals([found.verdict, found.nothingFound, found.unsent], ["unproven", [], []]);
  assertEquals(found.differing, []);
});

Deno.test("verifyPlan reports an extractor that finds nothing in the headers of a redirect without a body", async () => {
  const calls: CaseCall[] = [
    { request: "POST /teas", status: 303, response_headers: { Location: "/teas/7" } },
    { request: "GET /teas/7", response: { name: "Assam" } },
  ];
  const [first, ...rest] = recordingOf(calls).exchanges;
  const exchanges = [{ ...first, response: { ...first.response, text: undefined } }, ...rest];
  const plan = literalPlan(calls);
  const [create, read] = plan.scenarios.s.flow;
  create.request!.extract = [
    { type: "header", name: "tea", header: "Location", expression: "cups/(\\d+)" },
  ];
  read.request!.url = "/teas/${tea}";
  const { verdict, nothingFound } = await verified(plan, { ...recordingOf([]), exchanges });
  assertEquals([verdict, nothingFound.length], ["failed", 1]);
});

const TOKEN = "9f86d081884c7d65";
const TEAS = recordingOf([
  {
    request: "GET /new",
    text: `<form><input name=csrf value="${TOKEN}"><select name=kind>` +
      `<option value=1>black<option value=2>green</select></form>`,
    type: "text/html",
  },
  {
    request: "POST /teas",
    form: { csrf: TOKEN, title: "Assam of June", kind: "2" },
    status: 201,
    response: { id: 40517 },
  },
  {
    request: "POST /teas",
    json: { title: "Darjeeling of May", kind: 1, public: true },
    status: 201,
    response: { id: 40518 },
  },
  {
    request: "POST /teas/40517/scan",
    multipart: { scan: "black" },
    response: { ok: true },
  },
  { request: "DELETE /teas/40517", status: 204 },
]);

type Change = (requests: Request[], plan: Plan) => void;

function form({ body }: Request): Record<string, string> {
  return (body as { form: Record<string, string> }).form;
}

/** Ways to break a write of the plan, each with the result that `verify` must report. */
const BROKEN: Record<string, readonly [VerificationVerdict, Change]> = {
  "nothing changed": ["consistent", () => {}],
  "no body": ["differs", ([, post]) => delete post.body],
  "a form field less": ["differs", ([, post]) => delete form(post).title],
  "a JSON member less": ["differs", ([, , post]) => {
    delete (post.body as { json: Record<string, unknown> }).json.title;
  }],
  "an empty field": ["differs", ([, post]) => form(post).title = ""],
  "an empty part": ["differs", ([, , , post]) => {
    const { multipart } = post.body as { multipart: MultipartPart[] };
    multipart[0] = { name: multipart[0].name, value: "" };
  }],
  "another option": ["differs", ([, post]) => form(post).kind = "1"],
  "a field more": ["differs", ([, post]) => form(post).draft = "1"],
  "a stale token": ["stale", ([, post]) => form(post).csrf = TOKEN],
  "a wrong token": ["differs", ([, post]) => form(post).csrf = "zzz"],
  "the id of another object": ["differs", (requests) => {
    requests[2].extract = [{ type: "jsonpath", name: "other_id", expression: "$.id" }];
    requests[4].url = "/teas/${other_id}";
  }],
  "a write sent twice": ["differs", (requests, plan) => {
    const { flow } = plan.scenarios.recorded;
    flow.splice(flow.length - 1, 0, { request: structuredClone(requests[2]) });
  }],
  "a write more": ["unproven", (requests, plan) => {
    const { tags: _, ...request } = structuredClone(requests[2]);
    plan.scenarios.recorded.flow.push({ request });
  }],
  "another boolean": ["differs", ([, , post]) => {
    (post.body as { json: Record<string, unknown> }).json.public = false;
  }],
  "a recorded id where the plan extracts it for other calls": ["stale", (requests) => {
    requests[4].url = "/teas/40517";
  }],
  "a read sent twice": ["consistent", (requests, plan) => {
    plan.scenarios.recorded.flow.push({ request: structuredClone(requests[0]) });
  }],
  "a call less": ["incomplete", (_, plan) => void plan.scenarios.recorded.flow.splice(2, 1)],
  "a call left out on purpose": ["consistent", (_, plan) => {
    plan.scenarios.recorded.flow.splice(2, 1);
    plan.recorded = { left_out: [3] };
  }],
};

function planOfShop(options: HarOptions = {}): Plan {
  const plan = structuredClone(convertHar(TEAS, options).plan);
  const requests = [...listRequests(plan.scenarios.recorded.flow)];
  // The texts stay as recorded in each iteration, which the recording cannot show to be right.
  if (requests.length > 2) {
    form(requests[1]).title = "Assam of ${unique}";
    Object.assign((requests[2].body as { json: object }).json, { title: "Darjeeling ${unique}" });
  }
  return plan;
}

for (const [name, [expected, change]] of Object.entries(BROKEN)) {
  Deno.test(`verifyPlan finds a plan with ${name} ${expected}`, async () => {
    const plan = planOfShop();
    change([...listRequests(plan.scenarios.recorded.flow)], plan);
    assertEquals(checkPlan(plan).filter(({ severity }) => severity === "error"), []);
    const found = await verified(plan, TEAS, { users: 2, iterations: 2 });
    assertEquals(found.verdict, expected, JSON.stringify(found, null, 1));
  });
}

Deno.test("convert lists the entries that its options leave out, and verify does not expect them", async () => {
  const plan = planOfShop({ exclude: [/scan/] });
  assertEquals(plan.recorded, { left_out: [4] });
  const found = await verified(plan, TEAS);
  assertEquals([found.verdict, found.recorded, found.neverMade], ["consistent", 4, []]);
});

const SESSION = "9F2B7C41D0E85A6634C19B2E7D5F8A03";
const IGNORED_TOKEN = "5b1f0c9ae77d42c6b3a8";

/**
 * A recording of a redirect that sets a session cookie and has the same session id in its path. The
 * second request sends the headers `sent`.
 */
const redirected = (sent: Record<string, string>) =>
  recordingOf([
    {
      request: "GET /form",
      status: 302,
      response_headers: {
        Location: `/form;jsessionid=${SESSION}?a`,
        "Set-Cookie": `JSESSIONID=${SESSION}; Path=/`,
      },
    },
    { request: `GET /form;jsessionid=${SESSION}?a`, headers: sent, text: "ok", type: "text/html" },
  ]);

Deno.test("verifyPlan reports a session id in a path as unproven if the request also sends the session cookie", async () => {
  const recording = redirected({ Cookie: `JSESSIONID=${SESSION}` });
  const requests = [{ url: "/form" }, { url: `/form;jsessionid=${SESSION}?a` }];
  const { verdict, stale, unproven } = await verified(planOf(requests), recording);
  assertEquals([verdict, stale], ["unproven", []]);
  assert(unproven.some(({ place }) => place === "path segment 3"));
});

Deno.test("verifyPlan reports a session id in a path as stale if the recorded request did not send the session cookie", async () => {
  const recording = redirected({});
  const requests: Request[] = [
    { url: "/form" },
    { url: `/form;jsessionid=${SESSION}?a`, headers: { Cookie: `JSESSIONID=${SESSION}` } },
  ];
  const { verdict } = await verified(planOf(requests), recording);
  assertEquals(verdict, "stale");
});

Deno.test("verifyPlan reports a token in a header as stale even if the request sends a fresh cookie", async () => {
  const recording = recordingOf([
    {
      request: "GET /",
      response_headers: { "Set-Cookie": `csrf=${IGNORED_TOKEN}; Path=/` },
      text: "ok",
    },
    {
      request: "POST /notes",
      headers: { Cookie: `csrf=${IGNORED_TOKEN}`, "X-CSRF-Token": IGNORED_TOKEN },
      json: { a: 1 },
      response: {},
    },
  ]);
  const requests: Request[] = [
    { url: "/" },
    {
      method: "POST",
      url: "/notes",
      headers: { "X-CSRF-Token": IGNORED_TOKEN },
      body: { json: { a: 1 } },
    },
  ];
  const { stale } = await verified(planOf(requests), recording);
  assertEquals(stale.map(({ place }) => place), ["header x-csrf-token"]);
});

const [SENT, KEY] = [
  "LSi97swXizOXMtibCLlH40ooSbfG1niZts3YPd1qaQ1S",
  "1RkB_ZEGo-1akIXeK8Gy2KqgQlZMte55em4AmlVLEpSb",
];

const NAMES = [["hash", true, false], ["hash", true, true], ["nickname", false, false]] as const;
for (const [name, isDerived, isText] of NAMES) {
  Deno.test(`verifyPlan reports the key of a file as ${isDerived ? "unproven" : "stale"} if a request sends a ${name} of the same shape${isText ? " in a text body" : ""}`, async () => {
    const body = { name: "a.txt", [name]: [SENT] };
    const recording = recordingOf([
      {
        request: "POST /files",
        ...(isText
          ? { body: JSON.stringify(body), headers: { "Content-Type": "text/plain" } }
          : { json: body }),
        response: { key: KEY },
      },
      { request: "POST /files/part", headers: { "X-File": KEY }, json: { part: 1 }, response: {} },
    ]);
    const requests: Request[] = [
      {
        method: "POST",
        url: "/files",
        body: isText ? JSON.stringify(body) : { json: body },
        ...(isText && { headers: { "Content-Type": "text/plain" } }),
      },
      {
        method: "POST",
        url: "/files/part",
        headers: { "X-File": KEY },
        body: { json: { part: 1 } },
      },
    ];
    const { verdict, unproven } = await verified(planOf(requests), recording);
    assertEquals(verdict, isDerived ? "unproven" : "stale");
    assertEquals(unproven.some(({ value }) => value === KEY), isDerived);
  });
}
