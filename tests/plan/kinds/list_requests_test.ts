import { assertEquals } from "@std/assert";
import { countSent, describeSent } from "../../../src/plan/kinds/list_requests.ts";

Deno.test("countSent counts the requests and messages nested in every kind of step", () => {
  const one = { request: { url: "/" } };
  const steps = [one, one];
  assertEquals(
    countSent([[one], [
      { websocket: { url: "/live", steps: [{ send: { text: "a" } }, ...steps] } },
      { think_time: 1 },
      { group: { name: "a", steps } },
      { random: { choices: [{ steps }, { steps }] } },
      { repeat: { times: 9, steps } },
      { foreach: { items: [1], as: "x", steps } },
      { if: { condition: { type: "status", equals: 200 }, then: steps, else: steps } },
      { while: { condition: { type: "status", equals: 200 }, steps } },
      { during: { duration: 1, steps } },
      { retry: { attempts: 1, until: { type: "status", equals: 200 }, steps } },
      { parallel: { branches: [steps, [{ group: { name: "b", steps } }]] } },
    ]]),
    { requests: 1 + 3 + 2 + 4 + 2 + 2 + 4 + 2 + 2 + 2 + 4, messages: 1 },
  );
  assertEquals(describeSent({ requests: 1, messages: 0 }), "1 request");
  assertEquals(describeSent({ requests: 2, messages: 1 }), "2 requests and 1 WebSocket message");
});
