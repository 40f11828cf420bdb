import { assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { textField } from "../../src/verify/typed_texts.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

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

const page = (text: string) => ({ text, type: "text/html" });
const title = { title: "Green tea", visibility: "private" };

/** Calls, and the strings in them that the server may refuse in a second iteration. */
const CASES: readonly [rule: string, calls: CaseCall[], reported: string[]][] = [
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
const EMBEDDED: typeof CASES = [
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

for (const [rule, calls, reported] of [...CASES, ...EMBEDDED]) {
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
