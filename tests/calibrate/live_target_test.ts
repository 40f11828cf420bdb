import { assertEquals } from "@std/assert";
import { WriteBudget } from "../../src/calibrate/live_target.ts";
import { isWriteRequest } from "../../src/calibrate/literal_edit.ts";

const QUERY = "query Teas($id: ID!) { tea(id: $id) { name } }";
const MUTATION = "mutation Add { addTea { id } }";

/** JSON bodies, and whether a POST with this body may change data. */
const BODIES: [json: unknown, isWrite: boolean][] = [
  [{ operationName: "Teas", query: QUERY, variables: { id: "${id}" } }, false],
  [{ query: `\n  ${QUERY}` }, false],
  [{ query: "{ teas { name } }" }, false],
  [[{ query: QUERY }, { query: "{ cups { id } }" }], false],
  [{ query: MUTATION }, true],
  [[{ query: QUERY }, { query: MUTATION }], true],
  [{ query: `${QUERY} ${MUTATION}`, operationName: "Add" }, true],
  [{ query: `${QUERY}\n${MUTATION}`, operationName: "Add" }, true],
  [[{ query: QUERY }, { query: `\n${MUTATION}` }], true],
  [{ query: QUERY, variables: { text: "a mutation" } }, false],
  [{ query: "query Teas {\n  subscription\n}" }, true],
  [{ name: "Saved search", query: "{ teas { name } }" }, true],
  [[{ query: QUERY }, { name: "tea" }], true],
  [[], true],
  [{ query: "query" }, true],
  [{ query: "green tea" }, true],
  [{ query: { match: "tea" } }, true],
  [{ name: "tea" }, true],
  [{ where: {}, _method: "GET" }, false],
  [{ name: "tea", _method: "PUT" }, true],
  [{ text: { _method: "GET" } }, true],
];

for (const [json, isWrite] of BODIES) {
  const text = JSON.stringify(json);
  Deno.test(`isWriteRequest is ${isWrite} for a POST of ${text}`, () => {
    const body = { json: json as null };
    assertEquals(isWriteRequest({ url: "/graphql", body }), isWrite);
    assertEquals(isWriteRequest({ url: "/graphql", body: text }), isWrite);
  });
  Deno.test(`WriteBudget ${isWrite ? "counts" : "does not count"} a POST of ${text}`, () => {
    const budget = new WriteBudget(1);
    const request = { method: "POST", body: new TextEncoder().encode(text) };
    assertEquals(budget.allows(request), true);
    assertEquals(budget.allows(request), !isWrite);
    assertEquals(budget.sent, isWrite ? 1 : 0);
  });
}

Deno.test("isWriteRequest is false for safe methods and true for other requests without a body", () => {
  assertEquals(isWriteRequest({ url: "/teas" }), false);
  assertEquals(isWriteRequest({ url: "/teas", method: "DELETE" }), true);
});

Deno.test("isWriteRequest is false for a form with a safe method instead of POST", () => {
  const form = (method: string) => ({
    url: "/teas",
    method: "POST",
    body: { form: { q: "tea", _method: method } },
  });
  assertEquals([isWriteRequest(form("GET")), isWriteRequest(form("DELETE"))], [false, true]);
});
