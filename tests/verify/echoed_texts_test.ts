import { assertEquals } from "@std/assert";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Verification } from "../../src/verify/verify_plan.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";
import { verified } from "../support/verified.ts";

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
