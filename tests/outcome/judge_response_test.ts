import { assertEquals } from "@std/assert";
import { ResponseSnapshot } from "../../src/comparison/response_snapshot.ts";
import type { ComparedResponse } from "../../src/comparison/compared_response.ts";
import { KnownPairs } from "../../src/comparison/known_pairs.ts";
import { describeDifference } from "../../src/outcome/difference.ts";
import { type CallFacts, isRefusal, judgeResponse } from "../../src/outcome/judge_response.ts";
import { findLoginDemand, findRefusal, findRefusalText } from "../../src/outcome/refusal.ts";

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
  "other objects in a list": [
    json({ teas: [{ name: "green-tea" }, { name: "old" }] }),
    json({ teas: [{ name: "old" }] }),
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
  "the name of another object in place of the one that the user typed": [
    json({ changes: [{ node: 7, value: "green-tea" }] }),
    json({ changes: [{ node: 7, value: "House blend" }] }),
    "message about another object: House blend",
  ],
  "a password field that was not recorded": [
    page(FORM),
    page(`${FORM}<input type="password" name="pw">`),
    "form fields: only live: pw",
  ],
};

const WRITE: CallFacts = {
  method: "POST",
  sentTexts: ["green-tea"],
  typed: () => ["green-tea"],
};

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

Deno.test("findRefusal accepts an error that a header of a recorded response without a body states", () => {
  const live = json({ error: { code: "missingtext", info: "No text was found." } });
  const lost = (code: string, text?: string): ComparedResponse => ({
    ...live,
    headers: [{ name: "X-Error", value: code }],
    text,
  });
  assertEquals(findRefusal([lost("missingtext")], live), undefined);
  assertEquals(findRefusal([lost("other")], live), "missingtext");
  assertEquals(findRefusal([lost("missingtext", "{}")], live), "missingtext");
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

const body = (text: string, mimeType = "text/html") => ({
  status: 200,
  headers: [],
  mimeType,
  text,
});

Deno.test("findRefusalText finds text that reads like a refusal or is in an error element", () => {
  const recorded = [body("<p>Invalid orders: 0</p>")];
  const find = (text: string) => findRefusalText(recorded, body(text));
  assertEquals(find("<p>Your session has expired.</p>"), "Your session has expired.");
  assertEquals(find('<ul class="errorlist"><li>Enter a title</li></ul>'), "Enter a title");
  const locked = "This page is currently locked for editing by another user.";
  assertEquals(find(`<p>${locked}</p>`), locked);
  assertEquals(find("<p>Invalid orders: 7</p>"), undefined);
  assertEquals(find("<script>var expired = 'expired'</script><p>Fine</p>"), undefined);
});

Deno.test("findRefusalText reads JSON and the partial responses of JSF in XML", () => {
  const json = body('{"error": "name is missing"}', "application/json");
  assertEquals(findRefusalText([body("{}", "application/json")], json), "name is missing");
  const xml =
    '<?xml version="1.0"?><partial-response><error><error-name>View lost</error-name></error>' +
    "</partial-response>";
  assertEquals(findRefusalText([], body(xml, "text/xml")), "View lost");
});

Deno.test("findRefusal reads the messages that the scripts of a page or of its parts show", () => {
  const page = (text: string) =>
    `<script>var texts = ["This name is not valid"]; growl({summary:"${text}",type:'info'})</script>`;
  const part = (text: string) =>
    `<partial-response><update id="growl"><![CDATA[${page(text)}]]></update></partial-response>`;
  const refusal = "A tea with this name exists already";
  const read = (text: string) => findRefusal([body(page("Mint is saved"))], body(page(text)));
  assertEquals([read(refusal), read("Assam is saved")], [refusal, undefined]);
  const [recorded, live] = ["Mint is saved", refusal].map((text) => body(part(text), "text/xml"));
  assertEquals([findRefusal([recorded], live), findRefusal([live], live)], [refusal, undefined]);
});

Deno.test("findRefusal finds a failure that the script of a page without text states", () => {
  const page = (call: string, text = "") => body(`<script>parent.app.${call}</script>${text}`);
  const sent = 'sent("confirmation", "Nachricht gesendet.", 17);';
  const failed = 'show("Die Nachricht ging nicht ab.", "error", 0);';
  const find = (recorded: string, live: string, text?: string) =>
    findRefusal([page(recorded, text)], page(live, text));
  assertEquals([find(sent, failed), find(sent, failed.replaceAll('"', "'"))], ["error", "error"]);
  assertEquals([find(sent, sent.replace("17", "18")), find(failed, failed)], [
    undefined,
    undefined,
  ]);
  assertEquals(find(sent, 'labels({ error: "Keine Nachricht" });'), undefined);
  assertEquals(find(sent, failed, "<p>Posteingang</p>"), undefined);
  assertEquals(findRefusal([body("<script>sent()")], body("<script>show('error')")), "error");
});

// The pages take minutes if the time is quadratic in their length.
Deno.test("findRefusal reads scripts of 400 kB of start tags in linear time", () => {
  for (const tag of ["<script>", "<script ", "<script>'a", "<script></scrip"]) {
    const page = body(tag.repeat(400_000 / tag.length));
    assertEquals(findRefusal([body("")], page), undefined);
  }
});

Deno.test("findRefusalText prefers the explanation of an error to its code", () => {
  const find = (json: unknown) =>
    findRefusalText(
      [body("{}", "application/json")],
      body(JSON.stringify(json), "application/json"),
    );
  assertEquals(find({ error: "csrf", message: "CSRF token missing" }), "CSRF token missing");
  assertEquals(find({ error: "bad_credentials", detail: "Wrong password" }), "Wrong password");
  assertEquals(find({ error: { code: "E7", message: "Log in first" } }), "Log in first");
  assertEquals(find({ errors: { title: ["cannot be blank"] } }), "cannot be blank");
  assertEquals(find({ error: "csrf" }), "csrf");
  assertEquals(find({ error: null, message: "Order saved" }), undefined);
});

const snapshot = (status: number, text: string, location?: string) =>
  new ResponseSnapshot({
    status,
    headers: location === undefined ? [] : [{ name: "Location", value: location }],
    mimeType: "text/html",
    text,
  });

const demand = (live: ResponseSnapshot, method = "GET", refusal = "") =>
  findLoginDemand(
    {
      recorded: snapshot(200, "<p>Sales</p>"),
      live,
      method,
      url: "http://a/sales",
      ...(refusal !== "" && { refusal }),
    },
    () => false,
  );

const LOGIN_FORM = '<form action="/users"><input name="a" type="password"></form>';

Deno.test("findLoginDemand returns `unclear` for a form with a password that a write shows again", () => {
  assertEquals(demand(snapshot(200, LOGIN_FORM)), "login");
  assertEquals(demand(snapshot(200, LOGIN_FORM), "POST"), "unclear");
  assertEquals(demand(snapshot(200, LOGIN_FORM), "POST", "Your session has expired"), "login");
});

Deno.test("findLoginDemand returns `unclear` for redirects to pages about anything else that expired", () => {
  const to = (location: string) => demand(snapshot(302, "", location));
  for (const path of ["/session-expired", "/session_timeout", "/login?expired", "/?error=sso"]) {
    assertEquals(to(path), "login", path);
  }
  for (const path of ["/cart/expired", "/orders?error=expired", "/payment/timeout", "/blog/in"]) {
    assertEquals(to(path), "unclear", path);
  }
});

Deno.test("findLoginDemand returns `login` only for refusals that name the login or the session", () => {
  const text = (refusal: string) => demand(snapshot(400, ""), "GET", refusal);
  for (const refusal of ["Your token has expired", "Access token expired", "Unauthorized"]) {
    assertEquals(text(refusal), "login", refusal);
  }
  for (const refusal of ["The CSRF token has expired", "This reset token has expired", "Expired"]) {
    assertEquals(text(refusal), undefined, refusal);
  }
});

// The page takes minutes if the time is quadratic in its length.
Deno.test("findLoginDemand reads a page of 700 kB of start tags in linear time", () => {
  for (const tag of ["<input ", "<input type", "<input type=password"]) {
    const page = tag.repeat(700_000 / tag.length);
    assertEquals(demand(snapshot(200, page)), tag.endsWith("password") ? "login" : undefined);
  }
});
