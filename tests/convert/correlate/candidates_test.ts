import { assertEquals } from "@std/assert";
import { Trial } from "../../../src/convert/correlate/candidates.ts";
import { correlate } from "../../../src/convert/correlate/correlate.ts";
import { OPTIONAL_SOURCES } from "../../../src/convert/correlate/sources/source_kinds.ts";
import type { Candidate, Located } from "../../../src/convert/correlate/sources/source_search.ts";
import { keptHeaders } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../har/recorded_case.ts";

const TOKEN = "t0k3n-5f1e-77aa";

function splitEntries(calls: readonly CaseCall[]) {
  return splitCalls(recordingOf(calls).exchanges, keptHeaders);
}

/**
 * Returns the extractor that `correlate` chooses for `TOKEN`. A response with the given text and
 * media type contains the token, and the next call sends it.
 */
function extractorFor(text: string, type: string): Record<string, unknown> | undefined {
  const calls = [{ request: "GET /form", text, type }, { request: `GET /x?token=${TOKEN}` }];
  const { variables } = correlate(splitEntries(calls), {
    sources: new Set(OPTIONAL_SOURCES),
    explain: false,
  });
  return variables[0] && { ...variables[0].extractor };
}

/**
 * Tests a candidate with `Trial`. Returns the resulting extractor, or undefined if `Trial` dropped
 * the candidate.
 */
function tested(text: string, located: Located, source: Candidate["source"]): Located | undefined {
  const [producer] = splitEntries([{ request: "GET /form", text, type: "text/html" }]);
  const candidate: Candidate = {
    value: TOKEN,
    key: "token",
    source,
    by: "use",
    numeric: false,
    producer,
    located,
  };
  const trial = new Trial();
  trial.load({ call: producer, text, json: undefined });
  return trial.test(candidate)?.located;
}

Deno.test("if an extractor does not return the recorded value, Trial replaces it with a boundary extractor", () => {
  const text = `<input name="token" value="other"><script>key = "${TOKEN}"</script>`;
  const css = (expression: string) => ({ type: "css", expression, attribute: "value" } as const);
  const boundary = { type: "boundary", left: 'key = "', right: '"' } as const;
  assertEquals(tested(text, css("input"), "html"), boundary);
  assertEquals(tested(text, css("input["), "html"), boundary, "one that does not compile");
  assertEquals(tested(text.replace("other", TOKEN), css("input"), "html"), css("input"));
});

Deno.test("if an extractor fails and no boundary can replace it, Trial drops the candidate", () => {
  const header = { type: "header", header: "X-Token" } as const;
  assertEquals(tested(`key = "${TOKEN}"`, header, "header"), undefined);
  const css = { type: "css", expression: "input", attribute: "value" } as const;
  assertEquals(tested(`${TOKEN}x`, css, "html"), undefined, "only part of a token");
});

Deno.test("Trial uses a regex extractor if the text before the value varies or is missing", () => {
  const css = { type: "css", expression: "x", attribute: "value" } as const;
  const regex = (expression: string) => ({ type: "regex", expression } as const);
  assertEquals(tested(`${TOKEN}\n`, css, "html"), regex("^\\s*(\\S+)\\s*$"));
  assertEquals(
    tested(`<a href="/orders/x8Kd2pQ7/${TOKEN}/"> <b href="/orders/7f3a99c1">`, css, "html"),
    regex("orders\\/[^\\s\"'<>/&]+?\\/([^\\/]+)\\/"),
  );
});

Deno.test("Trial uses a boundary extractor if a CSS extractor fails because a run parses the page as XML", () => {
  const page = `<INPUT NAME="token" VALUE="${TOKEN}">`;
  assertEquals(extractorFor(page, "text/html")?.type, "css");
  assertEquals(extractorFor(`<?xml version="1.0"?>${page}`, "text/html"), {
    type: "boundary",
    name: "token",
    left: 'VALUE="',
    right: '"',
  });
});

Deno.test("boundaryAround extends the left boundary until it is unique", () => {
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
