import { assert, assertEquals } from "@std/assert";
import { clientIds } from "../../../src/convert/har/client_ids.ts";
import { Replacements } from "../../../src/correlation/replace.ts";
import type { Exchange } from "../../../src/traffic/har/recording.ts";
import { splitCalls } from "../../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "./recorded_case.ts";

const PAGE = { request: "GET /", type: "text/html", text: "<title>Tea</title>" };
const LOGIN = { request: "POST /login", type: "application/json" };
const SCRIPT = { request: "GET /app.js", type: "text/javascript" };
const JOIN = { request: "POST /join", json: { session_hash: "mdvosx47b7j" }, response: {} };

/**
 * Returns the exchanges of calls. Calls without `text` lost their body. `indexOf` maps the position
 * of a call to the index of its entry in the file.
 */
function exchangesOf(calls: readonly CaseCall[], indexOf = (order: number) => order): Exchange[] {
  return recordingOf(calls).exchanges.map((exchange, order) => ({
    ...exchange,
    index: indexOf(order),
    response: { ...exchange.response, size: 100 },
  }));
}

/** Returns the names of the generated ids. The parameters are those of `exchangesOf`. */
function namesOf(...calls: Parameters<typeof exchangesOf>): string[] {
  const exchanges = exchangesOf(...calls);
  return clientIds(splitCalls(exchanges), exchanges, new Replacements([])).map(({ name }) => name);
}

const GENERATED = ["session_hash"];

Deno.test("a page generates the id of a session even if an earlier response lost its body", () => {
  assertEquals(namesOf([PAGE, LOGIN, PAGE, JOIN, JOIN]), GENERATED);
});

Deno.test("the id of a session stays if a response since the page lost its body", () => {
  assertEquals(namesOf([PAGE, LOGIN, JOIN, JOIN]), []);
});

Deno.test("scripts that were not stored cannot contain the id of a session", () => {
  assertEquals(namesOf([PAGE, SCRIPT, JOIN, JOIN]), GENERATED);
});

Deno.test("the id of a session stays if the page lost its body", () => {
  const { text: _, ...lost } = PAGE;
  assertEquals(namesOf([lost, JOIN, JOIN]), []);
});

Deno.test("the order of the calls decides, not the order of the entries in the file", () => {
  const calls = [LOGIN, { ...PAGE, text: "<script>boot('k3x9q2m7v1b8')</script>" }, JOIN, {
    request: "POST /join",
    json: { session_hash: "mdvosx47b7j", window: "k3x9q2m7v1b8" },
    response: {},
  }, { request: "GET /poll?window=k3x9q2m7v1b8", response: {} }];
  assertEquals(namesOf(calls), GENERATED);
  assertEquals(namesOf(calls, (order) => calls.length - 1 - order), GENERATED);
});

Deno.test("reads each exchange a fixed number of times, regardless of the number of ids", () => {
  const readsOf = (count: number) => {
    let reads = 0;
    const calls = Array.from({ length: count }, (_, i) => {
      const session_hash = `mdvosx47b7j${i}x`;
      return [{ ...JOIN, json: { session_hash } }, { ...JOIN, json: { session_hash } }];
    });
    const exchanges = exchangesOf([PAGE, ...calls.flat()]).map((exchange) => ({
      ...exchange,
      get response() {
        reads++;
        return exchange.response;
      },
    }));
    const split = splitCalls(exchanges);
    const generated = clientIds(split, exchanges, new Replacements([]));
    assertEquals([generated.length, generated.at(-1)!.name], [count, `session_hash_${count}`]);
    return reads;
  };
  const [few, many] = [readsOf(50), readsOf(500)];
  assert(many < 12 * few, `${few} reads for 50 ids, ${many} for 500`);
});
