import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import { listRequests } from "../../../src/plan/kinds/list_requests.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { FormPart, Recording } from "../../../src/traffic/har/recording.ts";
import { verified } from "../../support/verified.ts";

const TOKEN = "9f86d081884c7d65";
const UPLOAD = "multipart/form-data; boundary=----WebKitFormBoundaryAbC";
const PAGE = `<html><body><form action="/search"><input name=q></form>
<form method=post action="/photos" enctype="multipart/form-data" id=f>
<input type=hidden name=csrf value="${TOKEN}"><input name=title value="Tea &amp; cake">
<select name=kind><option value=1>black<option value=2 selected>green</select>
<textarea name=note>
two lines</textarea><input type=checkbox name=public checked><input type=checkbox name=hidden>
<input name=off disabled value=1><input type=file name=photo accept="image/*">
<input type=submit name=save value=Save></form><input form=f name=outside value=x></body></html>`;

interface Call {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly postData?: unknown;
  readonly page?: string;
}

/** Reads a HAR with calls to `https://app.example`, one per second. */
function recordingOf(calls: readonly Call[]): Promise<Recording> {
  const list = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }));
  const entries = calls.map(({ method = "POST", url, headers = {}, postData, page }, order) => ({
    startedDateTime: new Date(Date.UTC(2026, 10, 21, 10, 0, order)).toISOString(),
    time: 5,
    request: { method, url: `https://app.example${url}`, headers: list(headers), postData },
    response: {
      status: 200,
      headers: [],
      content: { mimeType: page ? "text/html" : "application/json", text: page ?? "{}" },
    },
  }));
  const har = JSON.stringify({ log: { version: "1.2", entries } });
  return readHar([new TextEncoder().encode(har)], "session.har");
}

/** Returns the parts of the body of the last request: names and values, or names of files. */
function parts({ exchanges }: Recording): unknown {
  const { body, bodyRebuilt } = exchanges.at(-1)!.request;
  if (body?.kind !== "multipart") return body?.kind === "form" ? body.text : body;
  const content = ({ name, filename, value }: FormPart) => [name, filename ?? value];
  return bodyRebuilt ? body.parts.map(content) : "not rebuilt";
}

const FIELDS = [
  ["csrf", TOKEN],
  ["title", "Tea & cake"],
  ["kind", "2"],
  ["note", "two lines"],
  ["public", "on"],
  ["photo", "placeholder.png"],
  ["save", "Save"],
  ["outside", "x"],
];
const LIST: Call = { method: "GET", url: "/new", page: PAGE };
const LOST: Call = { url: "/photos", headers: { "Content-Type": UPLOAD } };

const CASES: Record<string, [Call[], unknown]> = {
  "the form in the page that sends to its URL": [[LIST, LOST], FIELDS],
  "the form with a file in the page whose script sent it": [
    [LIST, {
      url: "/api/upload",
      headers: { "Content-Type": UPLOAD, Referer: "https://app.example/new" },
    }],
    FIELDS,
  ],
  "the latest of several pages": [
    [LIST, { ...LIST, page: PAGE.replace(TOKEN, "abcdef0123456789") }, LOST],
    [["csrf", "abcdef0123456789"], ...FIELDS.slice(1)],
  ],
  "a form with a query in its action": [
    [
      { ...LIST, page: '<form method=post action="?step=2"><input name=a value=b></form>' },
      {
        url: "/new?step=2",
        headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "9" },
      },
    ],
    "a=b",
  ],
  "an equal call": [
    [{
      ...LOST,
      postData: {
        mimeType: UPLOAD,
        text:
          '------WebKitFormBoundaryAbC\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' +
          "------WebKitFormBoundaryAbC--\r\n",
      },
    }, LOST],
    [["a", "b"]],
  ],
  "the type of a lost file": [
    [{
      ...LOST,
      headers: { ...LOST.headers, "Content-Length": "4821" },
      postData: {
        mimeType: UPLOAD,
        params: [{ name: "data", fileName: "teas.csv", contentType: "text/csv", value: "" }],
      },
    }],
    [["data", "teas.csv"]],
  ],
  "nothing, if no page has such a form": [[{ ...LIST, page: "<p>Hello" }, LOST], undefined],
};

for (const [name, [calls, expected]] of Object.entries(CASES)) {
  Deno.test(`readHar rebuilds a lost body from ${name}`, async () => {
    assertEquals(parts(await recordingOf(calls)), expected);
  });
}

Deno.test("convert extracts the values of a rebuilt body and reports it, and verify finds the call unproven", async () => {
  const recording = await recordingOf([LIST, LOST]);
  const { plan, notes } = convertHar(recording, {});
  const [page, upload] = listRequests(plan.scenarios.recorded.flow);
  const { multipart } = upload.body as { multipart: Record<string, unknown>[] };
  assertEquals(multipart[0], { name: "csrf", value: "${csrf}" });
  assertEquals(page.extract!.map(({ name }) => name), ["csrf"]);
  const [note] = notes.filter(({ code }) => code === "missing-bodies");
  assertEquals([note.subject, note.message.includes("rebuilt")], ["rebuilt bodies", true]);
  const found = await verified(plan, recording);
  assertEquals([found.verdict, found.differing, found.stale], ["unproven", [], []]);
  assertEquals(found.missingBodies.length, 1);
});

Deno.test("verifyPlan accepts other values in a rebuilt body, but not a field less or an empty file", async () => {
  const recording = await recordingOf([LIST, LOST]);
  const verdictOf = async (change: (parts: Record<string, unknown>[]) => void) => {
    const plan = structuredClone(convertHar(recording, {}).plan);
    const [, upload] = listRequests(plan.scenarios.recorded.flow);
    change((upload.body as { multipart: Record<string, unknown>[] }).multipart);
    return (await verified(plan, recording)).verdict;
  };
  assertEquals(await verdictOf((parts) => parts[1].value = "Assam"), "unproven");
  assertEquals(await verdictOf((parts) => parts.splice(1, 1)), "differs");
  assertEquals(await verdictOf((parts) => parts[5].base64 = ""), "differs");
  assertEquals(await verdictOf((parts) => parts[0].value = TOKEN), "stale");
});
