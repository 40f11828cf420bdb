import { assertEquals } from "@std/assert";
import { correlate } from "../../../src/convert/correlate/correlate.ts";
import { buildDrafts } from "../../../src/convert/correlate/draft.ts";
import { Trial } from "../../../src/convert/correlate/trial.ts";
import type { Candidate, Located } from "../../../src/convert/correlate/candidate.ts";
import { keptHeaders } from "../../../src/convert/har/kept_headers.ts";
import { type CaseCall, recordingOf } from "../har/recorded_case.ts";

const SOURCES = new Set(["json", "html", "header", "cookie", "encoded"] as const);
const TOKEN = "t0k3n-5f1e-77aa";

function drafts(calls: readonly CaseCall[]) {
  return buildDrafts(recordingOf(calls).exchanges, keptHeaders);
}

/** The extractor that a response of this text gets for the token that the next call sends. */
function extractorFor(text: string, type: string): Record<string, unknown> | undefined {
  const calls = [{ request: "GET /form", text, type }, { request: `GET /x?token=${TOKEN}` }];
  const { variables } = correlate(drafts(calls), { sources: SOURCES, explain: false });
  return variables[0] && { ...variables[0].extractor };
}

/** What a candidate with this extractor becomes after it was tried. */
function proven(text: string, located: Located, source: Candidate["source"]): Located | undefined {
  const [producer] = drafts([{ request: "GET /form", text, type: "text/html" }]);
  const candidate: Candidate = {
    value: TOKEN,
    key: "token",
    source,
    by: "use",
    numeric: false,
    producer,
    locate: () => located,
  };
  const trial = new Trial();
  trial.load(producer, text, undefined);
  return trial.test(candidate)?.locate();
}

Deno.test("an extractor that returns another value than the recorded one is replaced by a boundary", () => {
  const text = `<input name="token" value="other"><script>key = "${TOKEN}"</script>`;
  const css = (expression: string) => ({ type: "css", expression, attribute: "value" } as const);
  const boundary = { type: "boundary", left: 'key = "', right: '"' } as const;
  assertEquals(proven(text, css("input"), "html"), boundary);
  assertEquals(proven(text, css("input["), "html"), boundary, "one that does not compile");
  assertEquals(proven(text.replace("other", TOKEN), css("input"), "html"), css("input"));
});

Deno.test("an extractor that fails is dropped if no boundary can take its place", () => {
  const header = { type: "header", header: "X-Token" } as const;
  assertEquals(proven(`key = "${TOKEN}"`, header, "header"), undefined);
  const css = { type: "css", expression: "input", attribute: "value" } as const;
  assertEquals(proven(TOKEN, css, "html"), undefined, "nothing stands around the value");
});

Deno.test("a page that a run parses as XML gets an extractor that finds the value there", () => {
  const page = `<INPUT NAME="token" VALUE="${TOKEN}">`;
  assertEquals(extractorFor(page, "text/html")?.type, "css");
  assertEquals(extractorFor(`<?xml version="1.0"?>${page}`, "text/html"), {
    type: "boundary",
    name: "token",
    left: 'VALUE="',
    right: '"',
  });
});

Deno.test("a boundary that occurs again is made longer until it is unique", () => {
  assertEquals(
    extractorFor(`<a data-first="${TOKEN}"> <b data-first="x">`, "text/html")?.left,
    'a data-first="',
  );
  assertEquals(
    extractorFor(`k="${TOKEN}" k="x"`, "text/html"),
    undefined,
    "nothing makes it unique",
  );
});
