import { assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { textField } from "../../src/verify/typed_texts.ts";
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
const LINKED_IDS: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
  ["a parameter that a write redirects to and a page links to again", [
    { request: "POST /posting?f=2", form: { text: "Hi" }, ...redirect("/topic?f=2&t=38") },
    { request: "GET /topic?f=2&t=38", ...page('<a href="/posting?f=2&amp;t=38">Reply</a>') },
    { request: "GET /posting?f=2&t=38", ...page("<p>Reply</p>") },
  ], ["stale query t 38", "stale query t 38"]],
  ["a parameter that a write redirects to, but no page links to", [
    { request: "POST /post", form: { text: "Hi" }, ...redirect("/edit?done=6") },
    { request: "GET /edit?done=6", ...page("<p>Saved</p>") },
  ], ["unproven query done 6"]],
  ["a parameter that several writes redirect to", [
    { request: "POST /a", form: { text: "Hi" }, ...redirect("/edit?note=6") },
    { request: "GET /edit?note=6", ...page('<a href="/edit?note=6">Again</a>') },
    { request: "POST /b", form: { text: "Ho" }, ...redirect("/edit?note=6") },
    { request: "GET /edit?note=6", ...page('<a href="/edit?note=6">Again</a>') },
  ], ["unproven query note 6", "unproven query note 6"]],
  ["a position in a list", [
    { request: "POST /search", form: { text: "Hi" }, ...redirect("/list?page=2") },
    { request: "GET /list?page=2", ...page('<a href="/list?page=2">2</a>') },
  ], ["unproven query page 2"]],
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
  ], ["unproven json $.label TK-77"]],
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
  ], ["unproven form size 312"]],
  ["an id of up to three characters with a letter, in a page or a header", [
    { request: "GET /a", ...page('<a href="/orders/AB1">A</a>') },
    { request: "POST /cups", json: {}, ...redirect("/cups/3c") },
    { request: "GET /orders/AB1", response: {} },
    { request: "POST /notes", form: { cup_id: "3c" }, response: {} },
  ], [
    "stale form cup_id 3c",
    "unproven path segment 2 AB1",
  ]],
  ["the attribute `id` of an element in XML", [
    { request: "GET /list", ...xml('<orders><order id="312"/></orders>') },
    { request: "GET /order?id=312", response: {} },
  ], ["unproven query id 312"]],
  ["a numbered file that a page links to", [
    { request: "GET /docs", ...page('<a href="/docs/chapter12.html">12</a>') },
    { request: "GET /docs/chapter12.html", ...page("<p>12</p>") },
  ], ["unproven path segment 2 chapter12.html"]],
];

for (const [rule, calls, reported] of LINKED_IDS) {
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

/**
 * Converts calls, changes the bodies of the requests, and returns the strings that `verify` reports
 * because the plan sends them in each iteration.
 */
async function sameTexts(
  calls: readonly CaseCall[],
  change: (body: Record<string, unknown>, index: number) => void = () => {},
): Promise<string[]> {
  const recording = recordingOf(calls);
  const plan: Plan = structuredClone(convertHar(recording, {}).plan);
  [...listRequests(Object.values(plan.scenarios)[0].flow)].forEach(({ body }, index) => {
    if (typeof body === "object") {
      change((body.json ?? body.form) as Record<string, unknown>, index);
    }
  });
  const { unproven } = await verified(plan, recording);
  return unproven.filter(({ reason }) => reason === "same text")
    .map(({ place, value, write }) => `${place} ${value}: ${write}`);
}
const title = { title: "Green tea", visibility: "private" };

/** Calls, and the strings in them that the server may refuse in a second iteration. */
const SAME_TEXTS: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
  ["the title of a new object", [
    { request: "POST /articles", json: title, status: 201, response: {} },
  ], ["json $.title Green tea: TEXT ${unique}"]],
  ["a name of one word, an e-mail address and a slug", [
    {
      request: "POST /users",
      form: { username: "ada", email: "ada@tea.example", slug: "ada-tea" },
      status: 201,
      response: {},
    },
  ], [
    "form username ada: TEXT-${unique}",
    "form email ada@tea.example: NAME+${unique}@HOST",
    "form slug ada-tea: TEXT-${unique}",
  ]],
  ["a description if there is no name", [
    { request: "POST /comments", json: { comment: "Thanks", kind: "reply" }, response: {} },
  ], ["json $.comment Thanks: TEXT-${unique}"]],
  ["several words if there is neither", [
    { request: "PUT /pages/start", json: { markup: "= Tea =\nSteep it." }, response: {} },
  ], ["json $.markup = Tea =\nSteep it.: TEXT ${unique}"]],
  ["the name of a registering user, although a password follows", [
    { request: "POST /register", form: { username: "ada", password: "s3cret" }, response: {} },
  ], ["form username ada: TEXT-${unique}"]],
  ["text that a request sent before a response contained it", [
    { request: "GET /search?q=Green%20tea", ...page("<h1>Green tea</h1>") },
    { request: "POST /articles", form: { title: "Green tea" }, response: {} },
  ], ["form title Green tea: TEXT ${unique}"]],
  ["a word that an earlier page contains only within other text", [
    { request: "GET /new", ...page("<p>Invite drinkers to the group</p>") },
    { request: "POST /groups", form: { name: "drinkers" }, response: {} },
  ], ["form name drinkers: TEXT-${unique}"]],
  ["text that an earlier response offers", [
    {
      request: "GET /new",
      ...page('<option value="Green &amp; black">Green &amp; black</option>'),
    },
    { request: "POST /orders", form: { title: "Green & black", note: "" }, response: {} },
  ], []],
  ["the text of a login", [
    { request: "POST /login", form: { username: "ada", password: "s3cret" }, response: {} },
  ], []],
  ["a search, switch, number or token", [
    {
      request: "POST /search",
      json: { query: "green tea", filter: "in stock", size: 3, exact: "true", csrf: "a b" },
      response: {},
    },
  ], []],
  ["the path in an operation of a JSON Patch", [
    {
      request: "PATCH /features/tea",
      json: [{ op: "replace", path: "/description", value: "Steep it" }],
      response: {},
    },
  ], ["json $[0].value Steep it: TEXT ${unique}"]],
  ["a field whose name starts with an underscore, as those of frameworks do", [
    { request: "POST /teas", form: { _trigger_name: "upload_button", tea: "A" }, response: {} },
  ], []],
  ["the text of a safe call", [
    { request: "GET /articles?title=Green+tea", response: [] },
    {
      request: "POST /graphql",
      json: { query: "query Q { tea }", variables: { name: "Assam" } },
      response: {},
    },
  ], []],
  ["the name in a mutation", [
    {
      request: "POST /graphql",
      json: {
        query: "mutation M($name: String!) { add(name: $name) { ok } }",
        variables: { name: "Assam" },
      },
      response: {},
    },
  ], ["json $.variables.name Assam: TEXT-${unique}"]],
];

/** Returns calls that open a WebSocket and send a message. */
function socket(sent: string, received: string): CaseCall[] {
  return [
    { request: "GET /start", response: {}, at: [0, 5] },
    { request: "WS /live", at: [10, 15], messages: { 20: `> ${sent}`, 30: `< ${received}` } },
  ];
}

const QUOTED = 'Tea "Earl Grey"';
const json = JSON.stringify({ title: QUOTED });

/** Calls that send typed text in JSON that is part of other text, and the reported strings. */
const EMBEDDED: typeof SAME_TEXTS = [
  ["a title in a message", socket(json, json), [`json $.title ${QUOTED}: TEXT \${unique}`]],
  ["a title in a Socket.IO message", socket(`42["new tea",${json}]`, `42["ok",${json}]`), [
    `json $[1].title ${QUOTED}: TEXT \${unique}`,
  ]],
  ["a title in a SockJS message", socket(JSON.stringify([json]), `a${JSON.stringify([json])}`), [
    `json $[0] $.title ${QUOTED}: TEXT \${unique}`,
  ]],
  ["an argument of a Socket.IO event", socket('42["chat message","Good tea"]', "42[1]"), [
    "json $[1] Good tea: TEXT ${unique}",
  ]],
  ["the name of an event or an operation", [
    ...socket('42["chat message",{"n":3}]', "42[1]"),
    { request: "POST /rpc", json: { type: "open chat", method: "get all", n: 3 }, response: {} },
  ], []],
  ["a title in text", [
    { request: "POST /teas", body: json, response: {} },
  ], [`json $.title ${QUOTED}: TEXT \${unique}`]],
  ["a title in JSON in a form field", [
    { request: "POST /teas", form: { data: json }, response: {} },
  ], [`form data $.title ${QUOTED}: TEXT \${unique}`]],
  ["the text of an input field in an event, if a response shows it", [
    {
      request: "POST /events",
      form: { command: "onChange", data: '{"value":"Sencha","start":6}' },
      response: [["add", "<td>Sencha</td>"]],
    },
    {
      request: "POST /events",
      form: { command: "onChange", data: '{"value":"open-sesame","start":11}' },
      response: [],
    },
  ], ["form data $.value Sencha: TEXT-${unique}"]],
  ["a constant or a version", [
    { request: "POST /teas", json: { rootPath: "ROOT_ID", key: "v2" }, response: {} },
  ], []],
];

for (const [rule, calls, reported] of [...SAME_TEXTS, ...EMBEDDED]) {
  Deno.test(`verifyPlan ${reported.length > 0 ? "reports" : "does not report"} text that may have to be unique: ${rule}`, async () => {
    assertEquals(await sameTexts(calls), reported);
  });
}

Deno.test("verifyPlan accepts titles and names that differ in each iteration", async () => {
  const calls = [{ request: "POST /articles", json: { ...title, summary: "About it" } }];
  const one = await sameTexts(calls, (body) => body.title = "Tea ${unique}");
  assertEquals(one, ["json $.summary About it: TEXT ${unique}"]);
  const both = await sameTexts(calls, (body) => {
    body.title = "Tea ${unique}";
    body.summary = "About ${vu}";
  });
  assertEquals(both, []);
});

Deno.test("verifyPlan reports a POST request that sends the same title in each iteration, and later calls, as unproven", async () => {
  const recording = recordingOf([
    { request: "GET /new", ...page("<form></form>") },
    { request: "POST /articles", json: title, status: 201, response: { slug: "green-tea" } },
    { request: "GET /articles/green-tea", response: { title: "Green tea" } },
  ]);
  const { calls, verdict } = await verified(convertHar(recording, {}).plan, recording);
  assertEquals([verdict, ...calls.map((call) => call.verdict)], [
    "unproven",
    "consistent",
    "unproven",
    "unproven",
  ]);
  assertEquals(calls[2].dependsOn, "request 2 (POST /articles)");
});

Deno.test("the mock server shows the text that a message sent in place of recorded text", async () => {
  const row = (id: string, title: string) => ({ id, title });
  const rows = [row("k3m9q1z7x8f2", "Black tea"), row("x8f3k2m9q1z7", "Green tea")];
  const recording = recordingOf([
    ...socket('["{\\"title\\":\\"Green tea\\"}"]', "o"),
    { request: "GET /teas", response: { rows }, at: [100, 110] },
    { request: "GET /teas/x8f3k2m9q1z7", response: {}, at: [200, 210] },
  ]);
  const plan = JSON.parse(
    JSON.stringify(convertHar(recording, {}).plan).replaceAll("Green tea", "Tea ${unique}"),
  );
  const [, list, tea] = listRequests(Object.values((plan as Plan).scenarios)[0].flow);
  list.extract = [{
    type: "jsonpath",
    name: "id",
    row: "Tea ${unique}",
    expression: "$.rows[*].id",
  }] as never;
  tea.url = "/teas/${id}";
  const { verdict, nothingFound } = await verified(plan, recording, { users: 2, iterations: 2 });
  assertEquals([verdict, nothingFound], ["consistent", []]);
});

Deno.test("textField recognizes names in the notations of forms and JSON", () => {
  for (
    const name of [
      ...["title", "article[title]", "articleTitle", "user_name", "userName", "E-Mail"],
      "field_summary",
    ]
  ) {
    assertEquals(textField(name, "Tea"), "name", name);
  }
  for (const name of ["password", "search_query", "operationName", "kind", "csrf_token", "lang"]) {
    assertEquals(textField(name, "Tea"), undefined, name);
  }
  assertEquals(textField("title", "1234"), undefined);
});

Deno.test("the mock server gives a number the same value in the name of a field, its id and its label", async () => {
  const id = "Complete-Reminder-2";
  const { nothingFound, unsent, stale } = await convertedAndVerified(
    recordingOf([
      { request: "GET /tickets/7", ...page("<form><input name='NewReminder-Subject'></form>") },
      {
        request: "POST /tickets/7",
        form: { "NewReminder-Subject": "Buy tea" },
        ...redirect("https://app.example/tickets/7"),
      },
      {
        request: "GET /tickets/7",
        ...page(
          `<form><input type="checkbox" value="1" id="${id}" name="${id}">` +
            `<label for="${id}">Buy tea</label></form>`,
        ),
      },
      { request: "POST /tickets/7", form: { [id]: "1" } },
    ]),
    {},
  );
  assertEquals([nothingFound, unsent, stale], [[], [], []]);
});
