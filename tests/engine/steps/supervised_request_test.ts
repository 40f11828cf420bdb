import { assertEquals } from "@std/assert";
import type { RequestSupervisor } from "../../../src/engine/flow/scope.ts";
import { runFlow } from "../../support/run_in_virtual_time.ts";

Deno.test("a run with a RequestSupervisor sends the request that the supervisor returns", async () => {
  const seen: unknown[] = [];
  const supervisor: RequestSupervisor = {
    before: (request) =>
      Promise.resolve({
        ...request,
        url: `${request.url}?a=1`,
        extract: [{ type: "jsonpath", name: "id", expression: "$.id" }],
      }),
    after(request, vu) {
      seen.push([request.url, vu.id, vu.iteration, vu.get("id"), vu.received.text]);
      return Promise.resolve(false);
    },
  };
  const { sent } = await runFlow(
    [{ request: { url: "/x" } }, { think_time: "1s" }, { request: { url: "/y" } }],
    { supervisor, respond: (_, n) => ({ body: `{"id": ${n}}` }) },
  );
  assertEquals(sent.map(({ target }) => target), ["/x?a=1", "/y?a=1"]);
  assertEquals(seen, [["/x", 1, 0, 0, '{"id": 0}'], ["/y", 1, 0, 1, '{"id": 1}']]);
});

Deno.test("a run repeats a request if its RequestSupervisor asks for it, and uses the variables that the supervisor sets", async () => {
  let attempts = 0;
  const supervisor: RequestSupervisor = {
    before: (request) => Promise.resolve({ ...request, url: `${request.url}\${id}` }),
    after(_, vu) {
      vu.set("id", `v${++attempts}`);
      return Promise.resolve(attempts < 3);
    },
  };
  const { sent, summary } = await runFlow([{ request: { url: "/x/" } }], { supervisor });
  assertEquals(sent.map(({ target }) => target), ["/x/v1", "/x/v2"]);
  assertEquals(summary.errors.map(({ message }) => message), ['the variable "id" is not set']);
});
