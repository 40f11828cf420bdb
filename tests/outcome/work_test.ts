import { assertEquals } from "@std/assert";
import type { ComparedResponse } from "../../src/comparison/compared_response.ts";
import { type ComparedWrite, workShown } from "../../src/outcome/work.ts";

function response(
  status: number,
  mimeType = "",
  text = "",
  headers: Record<string, string> = {},
): ComparedResponse {
  const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { status, headers: list, mimeType, text };
}

const page = (body: string) => response(200, "text/html", `<html><body>${body}</body></html>`);
const json = (value: unknown) => response(200, "application/json", JSON.stringify(value));
const script = (text: string) => response(200, "text/plain", text);
const redirect = (location: string) => response(302, "", "", { Location: location });

const TITLE = [{ recorded: "Assam of June", live: "Assam of June k3x9" }];
const SAVED = { recorded: redirect("/teas"), live: redirect("/teas"), traces: TITLE };
const RICH = { id: 1, owner: { name: "Ada" }, tags: ["x"], at: "now" };
const TABLE = (row: string) => page(`<table><tr><td>Sencha</td></tr><tr><td>${row}</td></tr>`);

/** Writes, each with the evidence or the reason why there is none. */
const CASES: Record<string, [Partial<ComparedWrite>, string]> = {
  "a response that repeats what it sent": [{
    recorded: json({ title: "Assam of June" }),
    live: json({ title: "Assam of June k3x9" }),
  }, "response"],
  "a redirect to the created object": [{
    recorded: redirect("/teas/assam%20of%20june-40517"),
    live: redirect("/teas/assam%20of%20june-81234"),
    traces: [{ recorded: "40517", live: "81234" }],
  }, "response"],
  "a later list with its text": [{
    ...SAVED,
    later: [{ recorded: TABLE("Assam of June"), live: TABLE("Assam of June k3x9") }],
  }, "later response"],
  "a later form with its text": [{
    ...SAVED,
    later: [{
      recorded: page('<input name=title value="Assam of June">'),
      live: page('<input name=title value="Assam of June k3x9">'),
    }],
  }, "later response"],
  "a later list without its text": [{
    ...SAVED,
    later: [{ recorded: TABLE("Assam of June"), live: TABLE("Earl Grey") }],
  }, "no response shows what it sent, as recorded responses do"],
  "a later response that failed": [{
    ...SAVED,
    later: [{ recorded: TABLE("Assam of June"), live: response(500, "text/html", "<p>Sorry</p>") }],
  }, "no content"],
  "a later page that only states an error": [{
    ...SAVED,
    later: [{
      recorded: page("<title>Teas</title><p>Assam of June</p>"),
      live: page("<p>Server error</p>"),
    }],
  }, "no content"],
  "a later response that is missing": [{
    ...SAVED,
    later: [{ recorded: TABLE("Assam of June"), live: undefined }],
  }, "no response shows what it sent, as recorded responses do"],
  "text that an earlier response contains": [{
    ...SAVED,
    earlier: [TABLE("Assam of June")],
    later: [{ recorded: TABLE("Assam of June"), live: TABLE("Earl Grey") }],
  }, "no content"],
  "a response with the recorded structure": [{
    recorded: json(RICH),
    live: json({ ...RICH, more: 1 }),
    traces: [],
  }, "structure"],
  "a response that is much smaller": [{
    recorded: json({ ...RICH, more: { a: 1, b: 2 } }),
    live: json({ ok: true }),
  }, "the response has 2 parts instead of 10"],
  "a later call in the session that it opened": [{
    ...SAVED,
    later: [
      { recorded: json([{ name: "Assam of June" }]), live: json([]) },
      { recorded: json(RICH), live: json(RICH), isInSession: true },
    ],
  }, "session"],
  "a later call in its session that failed": [{
    ...SAVED,
    later: [
      { recorded: TABLE("Assam of June"), live: TABLE("Earl Grey") },
      { recorded: json(RICH), live: response(401), isInSession: true },
    ],
  }, "no response shows what it sent, as recorded responses do"],
  "a response in JavaScript notation with the recorded structure": [{
    recorded: script(`{rs:[["outer",[{$u:'w1'},["List",[["Row",{label:'Assam of June'}]]]]]]}`),
    live: script(`{rs:[["outer",[{$u:'w1'},["List",[["Row",{label:'Earl Grey'}]]]]]]}`),
  }, "structure"],
  "a response that counts nothing": [
    { recorded: json({ processed_items: 1 }), live: json({ processed_items: 0 }), traces: [] },
    "`$.processed_items` is 0 instead of 1",
  ],
  "a response whose text counts nothing": [
    { recorded: json(["Deleted 1 task"]), live: json(["Deleted 0 tasks"]), traces: [] },
    "`$[0]` is Deleted 0 tasks instead of Deleted 1 task",
  ],
  "a response with another count": [
    { recorded: json({ updated: 1 }), live: json({ updated: 2 }), traces: [] },
    "no content",
  ],
  "a response that counts what was not changed, or not by the write": [
    {
      recorded: json({ unchanged: 3, already_added: 2, updated_by: 4, rows: [{ matched: 2 }] }),
      live: json({ unchanged: 0, already_added: 0, updated_by: 0, rows: [{ matched: 0 }] }),
      traces: [],
    },
    "structure",
  ],
  "a response with a time": [
    { recorded: json(["Added 1 day ago"]), live: json(["Added 0 days ago"]), traces: [] },
    "no content",
  ],
  "a response with a number of zero": [
    { recorded: json({ errors: 1 }), live: json({ errors: 0 }), traces: [] },
    "no content",
  ],
  "a response that can show nothing": [
    { recorded: response(204), live: response(204), traces: [] },
    "no content",
  ],
  "a rebuilt body and a response that can show nothing": [
    { recorded: response(204), live: response(204), traces: [], isRebuilt: true },
    "the recording lacks its body",
  ],
  "a rebuilt body and a response with the recorded structure": [
    { recorded: json(RICH), live: json(RICH), traces: [], isRebuilt: true },
    "the recording lacks its body",
  ],
  "a rebuilt body and a later list with its text": [{
    ...SAVED,
    later: [{ recorded: TABLE("Assam of June"), live: TABLE("Assam of June k3x9") }],
    isRebuilt: true,
  }, "later response"],
};

for (const [name, [write, expected]] of Object.entries(CASES)) {
  Deno.test(`workShown decides about a write with ${name}`, () => {
    const work = workShown({
      recorded: response(200),
      live: response(200),
      traces: TITLE,
      earlier: [],
      later: [],
      ...write,
    });
    assertEquals(work.isShown ? work.by : work.reason, expected);
  });
}
