import { assert } from "@std/assert";
import { listNames } from "../../../../src/convert/correlate/sources/element_names.ts";

/** Reports whether the first element of a list has no identifying name. */
function hasNoName(json: string, typed: readonly string[] = []): boolean {
  return listNames(JSON.parse(json)[0], (text) => typed.includes(text)).length === 0;
}

Deno.test("listNames recognizes the members that identify an element", () => {
  for (
    const named of [
      '{"id":1,"name":"Lamp"}',
      '{"name" : "Lamp"}',
      '{"title":"L\\u0061mpe"}',
      '{"node":{"slug":"lamp"}}',
      '{"attributes":{"id":1,"label":"Lämpe"}}',
      '{"tags":["a",{"b":2}],"key":"lamp"}',
    ]
  ) {
    assert(!hasNoName(`[${named}, {}]`), named);
  }
});

Deno.test("listNames ignores members that do not identify an element", () => {
  for (
    const unnamed of [
      '{"id":1}',
      '{"name":"Lamp 4"}',
      '{"name":null,"title":7}',
      '{"kinds":"lamp"}',
      '{"x":"name","y":"Lamp"}',
      '{"author":{"name":"Lamp"}}',
      '{"node":{"a":{"name":"Lamp"}}}',
      '{"node":[{"name":"Lamp"}]}',
      '{"email":"lamp"}',
      `{"name":"${"long ".repeat(20)}"}`,
    ]
  ) {
    assert(hasNoName(`[${unnamed},{"name":"Lamp"}]`), unnamed);
  }
});

Deno.test("listNames accepts every string that the user typed as a name", () => {
  assert(!hasNoName('[{"subject":"Lamp 4"}]', ["Lamp 4"]));
  assert(!hasNoName('[{"name":"Lamp 4"}]', ["Lamp 4"]));
  assert(hasNoName('[{"subject":"Lamp 4"}]', ["Lamp 5"]));
});
