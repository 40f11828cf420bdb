import { assertEquals } from "@std/assert";
import { markRequests, type PlanRequest } from "../../src/verify/plan_requests.ts";
import { planOf } from "../support/verified.ts";

/** Describes the only request of a plan, which sends `text` in a form field. */
function requestWith(text: string): PlanRequest {
  const request = { method: "POST", url: "/save", body: { form: { data: text } } };
  return markRequests(planOf([request])).requests[0];
}

Deno.test("the strings and numbers of JSON within a field are literals of the request", () => {
  const wholes = (text: string, values: readonly string[]) => {
    const request = requestWith(text);
    return values.filter((value) => request.wholeLiterals(value) > 0);
  };
  const values = ["312", "77", "5", "a", "b", "c"];
  assertEquals(wholes('42["a",{"id":312,"inner":"{\\"b\\":77}"}]', values), [
    "312",
    "77",
    "a",
    "b",
  ]);
  assertEquals(wholes('{"id":"${id}","n":${n},"c":"x${id}c"}', values), ["c"]);
  assertEquals(wholes("a 312 b", values), []);
  assertEquals(wholes('{"a": 77, "b 312 5', values), ["312", "77", "5", "a"]);
});

Deno.test("reads JSON with a long string, and with many escaped quotation marks", () => {
  const long = `{"file":"${"a".repeat(2 ** 23)}","id":312}`;
  assertEquals(requestWith(long).wholeLiterals("312") > 0, true);
  const open = `{"id":312,"text":"${'\\"'.repeat(2 ** 20)}`;
  assertEquals(requestWith(open).wholeLiterals("312") > 0, true);
});
