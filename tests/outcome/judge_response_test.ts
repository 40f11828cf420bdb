import { assertEquals } from "@std/assert";
import type { ComparedResponse } from "../../src/correlation/compared_response.ts";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";
import { describeDifference } from "../../src/outcome/difference.ts";
import { type CallFacts, isRefusal, judgeResponse } from "../../src/outcome/judge_response.ts";

function response(mimeType: string, text: string): ComparedResponse {
  return { status: 200, headers: [], mimeType, text };
}

const page = (body: string) => response("text/html", `<html><body>${body}</body></html>`);
const json = (value: unknown) => response("application/json", JSON.stringify(value));

const FORM = '<form action="/teas"><input name="title"></form>';

/** Live responses to a write that are as recorded although they differ. */
const ACCEPTED: Record<string, [ComparedResponse, ComparedResponse]> = {
  "a field, a form and a link more": [
    page(FORM),
    page(`${FORM}<form action="/filter"><input name="year"></form><input name="draft"><a href=x>`),
  ],
  "members more": [json({ id: 1 }), json({ id: 2, etag: "a", errors: [], last_error: "old" })],
  "an element more": [
    response("text/xml", "<all><id/></all>"),
    response("text/xml", "<all><id/><note/></all>"),
  ],
  "an object of another user whose name reads like a refusal": [
    page("<table><tr><td>Assam</td></tr></table>"),
    page('<table><tr><td class="error">Build broke</td></tr><tr><td>Assam</td></tr></table>'),
  ],
  "a hint that the recording has too": [
    page('<p class="error">Title is required</p>'),
    page('<p class="error">Title is required</p><p>Sencha</p>'),
  ],
  "an item more in a list of data": [
    json({ teas: [], warnings: [] }),
    json({ teas: [{ name: "green-tea" }], warnings: [] }),
  ],
  "a warning that names nothing that was sent": [
    json({ warnings: [] }),
    json({ warnings: ["The disk is almost full"] }),
  ],
  "a warning more": [
    json({ warnings: ["green-tea is old"] }),
    json({ warnings: ["green-tea is old", "green-tea is green"] }),
  ],
  "a list that is empty next to one that is not": [
    json({ teas: [1, 2], kinds: [3] }),
    json({ teas: [], kinds: [3] }),
  ],
};

/** Live responses to a write with the recorded status that show that it was refused. */
const REFUSED: Record<string, [ComparedResponse, ComparedResponse, string]> = {
  "new text that refuses": [
    page(`${FORM}<p>Saved</p>`),
    page(`${FORM}<p>The title must be unique.</p>`),
    "text that refuses The title must be unique. instead of (none)",
  ],
  "new text in an element of an error": [
    page(FORM),
    page(`${FORM}<ul class="errorlist"><li>Choose another title</li></ul>`),
    "text that refuses Choose another title instead of (none)",
  ],
  "an error deep in JSON": [
    json({ state: { "12": { label: "Title" } } }),
    json({ state: { "12": { label: "Title", error: "already exists" } } }),
    "text that refuses already exists instead of (none)",
  ],
  "a warning that names what was sent, although the recorded list is empty": [
    json({ errors: [], warnings: [] }),
    json({ errors: [], warnings: [{ message: "Left out", affectedItems: ["green-tea"] }] }),
    "text that refuses Left out instead of (none)",
  ],
  "an error member": [
    json({ id: 1 }),
    json({ id: 2, error: "no" }),
    "JSON members: only live: error",
  ],
  "lists and objects that are all empty": [
    json({ syncId: 4, state: { a: 1, b: 2 }, rpc: [["7", "ui.Rpc", "close", []]] }),
    json({ syncId: 5, state: {}, rpc: [] }),
    "commands: only recorded: ui.Rpc.close",
  ],
  "objects that are all empty": [
    json({ syncId: 4, state: { a: 1, b: 2 } }),
    json({ syncId: 5, state: {} }),
    "content of JSON members none instead of state 2",
  ],
  "a password field that was not recorded": [
    page(FORM),
    page(`${FORM}<input type="password" name="pw">`),
    "form fields: only live: pw",
  ],
};

const WRITE: CallFacts = { method: "POST", sentTexts: ["green-tea"] };

for (const [name, [recorded, live]] of Object.entries(ACCEPTED)) {
  Deno.test(`judgeResponse accepts ${name}`, () => {
    assertEquals(judgeResponse(recorded, live, new KnownPairs(), WRITE).differences, []);
  });
}

for (const [name, [recorded, live, found]] of Object.entries(REFUSED)) {
  Deno.test(`judgeResponse finds a refusal in a response with ${name}`, () => {
    const { differences } = judgeResponse(recorded, live, new KnownPairs(), WRITE);
    assertEquals(describeDifference(differences[0]), found);
    assertEquals(judgeResponse(recorded, recorded, new KnownPairs(), WRITE).differences, []);
  });
}

const updated = (text: string) =>
  response("text/xml", `<ajax-response><component><![CDATA[${text}]]></component></ajax-response>`);
const row = (name: string) => `<tr><td>${name}</td><td><a>Edit ${name}</a></td></tr>`;

/** Recorded responses, live ones, and the difference that shows another object than the user's. */
const MESSAGES: Record<string, [ComparedResponse, ComparedResponse, string[]]> = {
  "a message about another object": [
    page("<p>Mint is deleted</p>"),
    page("<p>Assam is deleted</p>"),
    ["message about another object: Assam is deleted"],
  ],
  "a message about another object in an update of a part of the page": [
    updated("<ul><li>Deleted 'Mint'</li></ul>"),
    updated("<ul><li>Deleted 'Green tea'</li></ul>"),
    ["message about another object: Deleted 'Green tea'"],
  ],
  "a message about the user's object": [
    json({ message: "Mint is deleted", all: ["Mint"] }),
    json({ message: "Mint7x is deleted", all: ["Assam"] }),
    [],
  ],
  "a text of the application that the recording has too": [
    page("<p>Mint is deleted</p>"),
    page("<p>Mint is deleted</p>"),
    [],
  ],
  "another message": [page("<p>Mint is deleted</p>"), page("<p>Done</p>"), []],
  "other rows": [page(row("Mint") + row("Assam")), page(row("Sencha") + row("Assam")), []],
};

for (const [name, [recorded, live, found]] of Object.entries(MESSAGES)) {
  Deno.test(`judgeResponse compares what a response to a read names: ${name}`, () => {
    const known = new KnownPairs();
    known.add("Mint", "Mint7x");
    const { differences } = judgeResponse(recorded, live, known, { method: "GET" });
    assertEquals(differences.map(describeDifference), found);
  });
}

Deno.test("isRefusal recognizes text that refuses and lost content", () => {
  for (const name of ["new text that refuses", "objects that are all empty"]) {
    const [recorded, live] = REFUSED[name];
    const { differences } = judgeResponse(recorded, live, new KnownPairs(), WRITE);
    assertEquals(isRefusal(recorded, live, differences), true);
  }
});

Deno.test("judgeResponse does not search the responses to reads for text that refuses", () => {
  const [recorded, live] = REFUSED["new text that refuses"];
  assertEquals(judgeResponse(recorded, live, new KnownPairs(), { method: "GET" }).differences, []);
});

Deno.test("judgeResponse ignores what differs between the right responses of a step", () => {
  const [recorded, live] = [json({ id: 1, next: 2, by: 3 }), json({ id: 4, by: 3 })];
  const judged = (goodResponses: readonly ComparedResponse[]) =>
    judgeResponse(recorded, live, new KnownPairs(), {
      ...WRITE,
      goodResponses: () => goodResponses,
    }).differences;
  assertEquals(judged([]).map(describeDifference), ["JSON members: only recorded: next"]);
  assertEquals(judged([json({ id: 5, by: 3 })]), []);
  assertEquals(judged([json({ id: 5, next: 6, by: 3 })]).length, 1);
});
