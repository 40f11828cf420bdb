import { assertEquals } from "@std/assert";
import { countRequests } from "../../../../src/plan/kinds/steps/list_requests.ts";

Deno.test("countRequests counts the requests nested in every kind of step", () => {
  const one = { request: { url: "/" } };
  const steps = [one, one];
  assertEquals(
    countRequests([
      one,
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
    ]),
    1 + 2 + 4 + 2 + 2 + 4 + 2 + 2 + 2 + 4,
  );
});
