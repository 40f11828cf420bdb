import { assert, assertEquals } from "@std/assert";
import { splitRequest } from "../../../../src/traffic/session/sent_request.ts";
import { indexRequestValues } from "../../../../src/convert/correlate/sources/request_values.ts";

function indexOf(paths: readonly string[]) {
  return indexRequestValues(paths.map((path) =>
    splitRequest({
      method: "GET",
      url: `https://shop.example${path}`,
      headers: [{ name: "Authorization", value: "Bearer 2080c7112feffae0" }],
      body: undefined,
    })
  ));
}

Deno.test("indexRequestValues knows the whole values and the tokens of all fields", () => {
  const many = Array.from({ length: 1_100 }, (_, i) => `/n${i}?name${i}=v${i}&q=a${i}-b`);
  const { mayHold } = indexOf([...many, ...many]);
  for (let i = 0; i < many.length; i++) {
    for (const value of [`n${i}`, `name${i}`, `v${i}`, `a${i}-b`, `a${i}`]) {
      assert(mayHold(value), value);
    }
  }
  assert(mayHold("Bearer 2080c7112feffae0") && mayHold("2080c7112feffae0"));
  assert(!mayHold("n1100"));
});

Deno.test("indexRequestValues describes a value by the strongest evidence of its fields", () => {
  const value = "abc1-defgh-ijklmnop";
  assertEquals(indexOf([`/?q=${value}`]).sought.get(value), {
    sure: false,
    named: false,
  });
  assertEquals(
    indexOf([`/?q=${value}`, `/?session_id=${value}`, `/?q=${value}`]).sought.get(value),
    {
      sure: true,
      named: true,
    },
  );
});

Deno.test("indexRequestValues knows short ids by the place in which they are sent", () => {
  const { shortIds } = indexOf(["/items/12?page=3", "/items/12?item_id=4"]);
  assertEquals([...shortIds], ["12", "4"]);
});
