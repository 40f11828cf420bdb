import { assertEquals } from "@std/assert";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { convertedAndVerified, literalPlan, verified } from "../support/verified.ts";

/**
 * Verifies a plan that sends the recorded requests unchanged, and lists the stale and unproven
 * values, except strings that the user typed.
 */
async function reportedFor(calls: CaseCall[]): Promise<string[]> {
  const { stale, unproven } = await verified(literalPlan(calls), recordingOf(calls));
  return [
    ...stale.map(({ place, value }) => `stale ${place} ${value}`),
    ...unproven.filter(({ reason }) => reason !== "same text").map(({ place, value }) =>
      `unproven ${place} ${value}`
    ),
  ];
}

const page = (text: string) => ({ text, type: "text/html" });
const xml = (text: string) => ({ text, type: "application/xml" });
const redirect = (location: string) => ({ status: 302, response_headers: { Location: location } });

/** Calls, and what `verify` reports if a plan sends their requests as recorded. */
const CASES: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
  ["a parameter that a write redirects to and a page links to again", [
    { request: "POST /posting?f=2", form: { text: "Hi" }, ...redirect("/topic?f=2&t=38") },
    { request: "GET /topic?f=2&t=38", ...page('<a href="/posting?f=2&amp;t=38">Reply</a>') },
    { request: "GET /posting?f=2&t=38", ...page("<p>Reply</p>") },
  ], ["stale query t 38", "stale query t 38"]],
  ["a parameter that a write redirects to, but no page links to", [
    { request: "POST /post", form: { text: "Hi" }, ...redirect("/edit?done=6") },
    { request: "GET /edit?done=6", ...page("<p>Saved</p>") },
  ], []],
  ["a parameter that several writes redirect to", [
    { request: "POST /a", form: { text: "Hi" }, ...redirect("/edit?note=6") },
    { request: "GET /edit?note=6", ...page('<a href="/edit?note=6">Again</a>') },
    { request: "POST /b", form: { text: "Ho" }, ...redirect("/edit?note=6") },
    { request: "GET /edit?note=6", ...page('<a href="/edit?note=6">Again</a>') },
  ], []],
  ["a position in a list", [
    { request: "POST /search", form: { text: "Hi" }, ...redirect("/list?page=2") },
    { request: "GET /list?page=2", ...page('<a href="/list?page=2">2</a>') },
  ], []],
  ["a parameter of links in a page", [
    { request: "GET /", ...page('<a href="/board?f=2">A</a><a href="/board?f=3">B</a>') },
    { request: "GET /board?f=2", ...page('<a href="/board?f=2">A</a>') },
  ], []],
  ["a field with the name of an id in an earlier response", [
    { request: "GET /start", response: { ticketId: "TK-77" } },
    { request: "POST /notes", json: { ticket: "TK-77" }, response: {} },
  ], ["unproven json $.ticket TK-77"]],
  ["a word under a name that ends in `id`, if an earlier response has it under that name", [
    { request: "GET /settings", response: { theme_id: "dark", mode: "dark" } },
    { request: "POST /settings", json: { theme_id: "dark" }, response: {} },
  ], ["unproven json $.theme_id dark"]],
  ["the name of a form, in words that are joined", [
    { request: "GET /login", ...page('<input name="form_id" value="user_login_form">') },
    { request: "POST /login", form: { form_id: "user_login_form" }, response: {} },
  ], []],
  ["the id of an application", [
    { request: "GET /config", response: { client_id: "script" } },
    { request: "GET /auth?client_id=script", response: {} },
  ], ["unproven query client_id script"]],
  ["a word under a different name", [
    { request: "GET /settings", response: { mode: "dark", id: "home", paid: "monthly" } },
    {
      request: "POST /settings",
      json: { theme_id: "dark", id: "home", paid: "monthly" },
      response: {},
    },
  ], []],
  ["a word that a request sent before a response contained it", [
    { request: "POST /settings", json: { theme_id: "dark" }, response: { theme_id: "dark" } },
    { request: "POST /settings", json: { theme_id: "dark" }, response: {} },
  ], []],
  ["an argument of an event handler", [
    { request: "GET /team", ...page('<a onclick="showUser(17)">Ada</a>') },
    { request: "GET /users/17", response: {} },
  ], ["unproven path segment 2 17"]],
  ["an argument that is a position", [
    { request: "GET /team", ...page('<a onclick="showPage(17)">2</a>') },
    { request: "GET /users/17", response: {} },
  ], []],
  ["a field whose name differs from that of the id in an earlier response", [
    { request: "GET /start", response: { ticketId: "TK-77" } },
    { request: "POST /notes", json: { label: "TK-77" }, response: {} },
  ], []],
  ["a query without names that a link contains", [
    { request: "GET /page", ...page('<form action="./page?28-1.-form" method="post">') },
    { request: "POST /page?28-1.-form", form: { text: "Hi" }, ...redirect("/page?29") },
    { request: "GET /page?29", ...page("<p>Done</p>") },
  ], ["stale query  29", "unproven query  28-1.-form"]],
  ["an id after a generic path segment", [
    { request: "POST /add", form: { title: "Hi" }, ...redirect("/node/72") },
    { request: "GET /node/72", ...page("<p>Hi</p>") },
  ], ["stale path segment 2 72"]],
  ["a file that the server numbered", [
    { request: "POST /contents", json: {}, response: { path: "Untitled10.ipynb" } },
    { request: "GET /contents/Untitled10.ipynb", response: {} },
  ], ["stale path segment 2 Untitled10.ipynb"]],
  ["the id of a new object before a suffix, an action or a title", [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "GET /orders/312.json", response: {} },
    { request: "POST /orders/312:cancel", response: {} },
    { request: "GET /Orders(312)", response: {} },
    { request: "GET /orders/312-green-tea", response: {} },
  ], [
    "stale path segment 2 312",
    "stale path segment 2 312",
    "stale path segment 1 312",
    "stale path segment 2 312",
  ]],
  ["a number before a suffix or a title that no response contains", [
    { request: "POST /orders", json: {}, response: { order_id: 313 } },
    { request: "GET /orders/312.json", response: {} },
    { request: "GET /orders/312-green-tea", response: {} },
  ], []],
  ["the id of a new object after a verb", [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "GET /orders/edit/312", response: {} },
  ], ["stale path segment 3 312"]],
  ["the id of an object in a link with a verb", [
    { request: "GET /orders/list", ...page('<a href="/orders/edit/312">A</a>') },
    { request: "GET /orders/edit/312", response: {} },
  ], ["unproven path segment 3 312"]],
  ["the id of a new object in a URL in a field", [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "POST /links", json: { target: "https://app.example/orders/312?a=1" } },
  ], ["stale json $.target 312"]],
  ["the id of a new object in JSON in a form field or in text", [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "POST /pay", form: { data: '{"order_id": 312}' }, response: {} },
    { request: "POST /pay", body: '{"order_id": "312"}', response: {} },
  ], ["stale form data $.order_id 312", "stale json $.order_id 312"]],
  ["the id of a new object in a header", [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "GET /pay", headers: { "X-Order-Id": "312", "X-Api-Version": "312" } },
  ], ["stale header x-order-id 312"]],
  ["the id of a new object in the arguments of a call by name", [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "POST /rpc", json: { method: "order.get", params: [312] }, response: {} },
    { request: "POST /rpc", json: { method: "page.get", params: [312] }, response: {} },
  ], ["stale json $.params[0] 312"]],
  ["the id of a new object in XML", [
    { request: "POST /a", json: {}, ...xml("<order><id>312</id><n>317</n></order>") },
    { request: "GET /orders/312", response: {} },
    { request: "POST /b", json: {}, ...xml('<r><tea_id type="n"> 314 </tea_id></r>') },
    { request: "GET /teas/314", response: {} },
    { request: "GET /orders/317", response: {} },
  ], ["stale path segment 2 314", "unproven path segment 2 312"]],
  ["a number in an HTML element", [
    { request: "POST /orders", json: {}, ...page("<code>312</code>") },
    { request: "GET /orders/312", response: {} },
  ], []],
  ["the ids of new objects in a list", [
    { request: "POST /orders", json: {}, response: { order_ids: [311, 312] } },
    { request: "GET /orders/312", response: {} },
  ], ["stale path segment 2 312"]],
  ["the id of a new object as the whole body of a response", [
    { request: "POST /orders", json: {}, response: 312 },
    { request: "GET /orders/312", response: {} },
  ], ["stale path segment 2 312"]],
  ["the id of a new object in a response header", [
    { request: "POST /orders", json: {}, response_headers: { "X-Order-Id": "312" } },
    { request: "GET /orders/312", response: {} },
  ], ["stale path segment 2 312"]],
  ["a number in a response header that counts", [
    { request: "POST /orders", json: {}, response_headers: { "X-Total": "312" } },
    { request: "GET /orders/312", response: {} },
  ], []],
  ["the id of a new object after other objects in the same object", [
    {
      request: "POST /checkout",
      json: {},
      response: { order: { customer: { name: "Ada" }, lines: [{ sku: "t{" }], id: 312 } },
    },
    { request: "GET /orders/312", response: {} },
  ], ["stale path segment 2 312"]],
  ["an id in the response to a write that is sent as the id of another kind of object", [
    { request: "POST /checkout", json: {}, response: { id: 312 } },
    { request: "GET /orders/312", response: {} },
  ], ["unproven path segment 2 312"]],
  ["an id in the response to a read that is sent as the id of another kind of object", [
    { request: "GET /checkout", response: { id: 312 } },
    { request: "GET /orders/312", response: {} },
  ], []],
  ["an id in an event", [
    {
      request: "GET /events",
      text: 'event: created\ndata: {"id":312}\n\n',
      type: "text/event-stream",
    },
    { request: "GET /orders/312", response: {} },
  ], ["unproven path segment 2 312"]],
  ["counts, pages, statuses and quantities in the response to a write", [
    {
      request: "POST /orders",
      json: {},
      response: { id: 999, page: 312, count: 312, status: 312, quantity: 312, total: 312, n: 312 },
    },
    { request: "GET /orders?page=312&limit=312&status=312", response: {} },
    { request: "POST /cart", json: { quantity: 312, size: 312, n: 312 }, response: {} },
    { request: "GET /orders/page/312", response: {} },
  ], []],
  ["the id of an existing object that is equal to the id of a new object of another kind", [
    { request: "GET /locations", response: { items: [{ id: 312 }] } },
    { request: "POST /variants", json: { location_id: 312 }, response: { variant: { id: 312 } } },
    { request: "GET /variants/312", response: {} },
  ], ["stale path segment 2 312", "unproven json $.location_id 312"]],
  ["the id in a link of an attribute with any name", [
    {
      request: "GET /feed/7/entries",
      ...page('<p data-id="312" data-star-url="/entry/star/312">'),
    },
    { request: "POST /entry/star/312", response: {} },
  ], ["unproven path segment 3 312"]],
  ["a field with a name that a link has as the name of a parameter", [
    { request: "GET /start", ...page('<a href="/list?status=312" data-id="312">A</a>') },
    { request: "POST /orders", form: { default_status: "312" }, response: {} },
  ], []],
  ["the value of an option in a select with the name of an id", [
    {
      request: "GET /start",
      ...page('<select name="order_id"><option value="TK-77">A<option value="312">B</select>'),
    },
    { request: "POST /notes", form: { order_id: "TK-77" }, response: {} },
    { request: "GET /orders/312", response: {} },
    { request: "GET /order?id=312", response: {} },
    { request: "POST /print", json: { orderIds: [312] }, response: {} },
    { request: "DELETE /orders/TK-77", response: {} },
  ], [
    "unproven form order_id TK-77",
    "unproven path segment 2 312",
    "unproven query id 312",
    "unproven json $.orderIds[0] 312",
    "unproven path segment 2 TK-77",
  ]],
  ["the text of an option in a select with the name of an id", [
    { request: "GET /start", ...page('<select name="order_id"><option>TK-77</select>') },
    { request: "POST /notes", form: { order_id: "TK-77" }, response: {} },
  ], ["unproven form order_id TK-77"]],
  ["the value of an option in a select with the name of another object or of no id", [
    {
      request: "GET /start",
      ...page('<select name="tea_id"><option value="312">A</select>'),
    },
    {
      request: "GET /sizes",
      ...page('<select name="size"><option value="312">A</select>'),
    },
    { request: "POST /orders", form: { size: "312" }, response: {} },
    { request: "POST /notes", form: { order_id: "312" }, response: {} },
  ], []],
  ["an id of up to three characters with a letter, in a page or a header", [
    { request: "GET /a", ...page('<a href="/orders/AB1">A</a><i data-tea-id="a1"></i>') },
    { request: "POST /cups", json: {}, ...redirect("/cups/3c") },
    { request: "GET /orders/AB1", response: {} },
    { request: "POST /notes", form: { tea_id: "a1" }, response: {} },
    { request: "POST /notes", form: { cup_id: "3c" }, response: {} },
  ], [
    "stale form cup_id 3c",
    "unproven path segment 2 AB1",
    "unproven form tea_id a1",
  ]],
  ["the attribute `id` of an element in XML", [
    { request: "GET /list", ...xml('<orders><order id="312"/></orders>') },
    { request: "GET /order?id=312", response: {} },
  ], ["unproven query id 312"]],
  ["a numbered file that a page links to", [
    { request: "GET /docs", ...page('<a href="/docs/chapter12.html">12</a>') },
    { request: "GET /docs/chapter12.html", ...page("<p>12</p>") },
  ], []],
];

for (const [rule, calls, reported] of CASES) {
  Deno.test(`verifyPlan ${reported.length > 0 ? "reports" : "does not report"} a recorded value: ${rule}`, async () => {
    assertEquals(await reportedFor(calls), reported);
  });
}

Deno.test("verifyPlan reports a recorded short id with which the plan compares a response", async () => {
  const calls: CaseCall[] = [
    { request: "POST /orders", json: {}, response: { order_id: 312 } },
    { request: "GET /orders/312", response: {} },
  ];
  const plan = structuredClone(literalPlan(calls));
  Object.assign(plan.scenarios.s.flow[0].request!, {
    checks: [{ type: "jsonpath", expression: "$[?@.order_id==312]", exists: true }],
  });
  const { unproven } = await verified(plan, recordingOf(calls));
  assertEquals(unproven.map(({ place, value }) => `${place} ${value}`), ["path segment 2 312"]);
});

Deno.test("the mock server keeps `null` in responses under the name of an id", async () => {
  const recording = recordingOf([
    { request: "GET /teas", response: { items: [{ parent_id: null, id: 40517 }] } },
    { request: "POST /cups", json: { parent_id: null, tea_id: 40517 }, response: {} },
  ]);
  const { nothingFound, unsent } = await convertedAndVerified(recording, {});
  assertEquals([nothingFound, unsent], [[], []]);
});
