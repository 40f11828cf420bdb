import { assertEquals } from "@std/assert";
import { clientIds } from "../../../src/convert/har/client_ids.ts";
import { Replacements } from "../../../src/convert/correlate/replacements.ts";
import { keptHeaders } from "../../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";

const PAGE = { request: "GET /", type: "text/html", text: "<title>Tea</title>" };
const LOGIN = { request: "POST /login", type: "application/json" };
const SCRIPT = { request: "GET /app.js", type: "text/javascript" };
const JOIN = { request: "POST /join", json: { session_hash: "mdvosx47b7j" }, response: {} };

/** Returns the names of the generated and unclear ids. Calls without `text` lost their body. */
function namesOf(calls: readonly CaseCall[]): Record<"generated" | "unclear", string[]> {
  const exchanges = recordingOf(calls).exchanges.map((exchange) => ({
    ...exchange,
    response: { ...exchange.response, size: 100 },
  }));
  const found = clientIds(splitCalls(exchanges, keptHeaders), exchanges, new Replacements([]));
  const names = (ids: readonly { readonly name: string }[]) => ids.map(({ name }) => name);
  return { generated: names(found.generated), unclear: names(found.unclear) };
}

const GENERATED = { generated: ["session_hash"], unclear: [] };
const UNCLEAR = { generated: [], unclear: ["session_hash"] };

Deno.test("a page generates the id of a session even if an earlier response lost its body", () => {
  assertEquals(namesOf([PAGE, LOGIN, PAGE, JOIN, JOIN]), GENERATED);
});

Deno.test("the id of a session is unclear if a response since the page lost its body", () => {
  assertEquals(namesOf([PAGE, LOGIN, JOIN, JOIN]), UNCLEAR);
});

Deno.test("scripts that were not stored cannot contain the id of a session", () => {
  assertEquals(namesOf([PAGE, SCRIPT, JOIN, JOIN]), GENERATED);
});

Deno.test("the id of a session is unclear if the page lost its body", () => {
  const { text: _, ...lost } = PAGE;
  assertEquals(namesOf([lost, JOIN, JOIN]), UNCLEAR);
});
