import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isUnnamed, listNames } from "../../../../src/convert/correlate/sources/element_names.ts";

const encoder = new TextEncoder();

/** Calls `isUnnamed` for a leaf in the element at `[0]` of a list. */
function hasNoName(json: string, typed: readonly string[] = []): boolean {
  const leaf = { text: "", isNumber: false, path: [0, "id"], starts: [0, json.indexOf("{")] };
  return isUnnamed(encoder.encode(json), leaf, (text) => typed.includes(text));
}

Deno.test("isUnnamed recognizes the members that identify an element", () => {
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

Deno.test("isUnnamed ignores members that do not identify an element", () => {
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

Deno.test("isUnnamed accepts every string that the user typed as a name", () => {
  assert(!hasNoName('[{"subject":"Lamp 4"}]', ["Lamp 4"]));
  assert(!hasNoName('[{"name":"Lamp 4"}]', ["Lamp 4"]));
  assert(hasNoName('[{"subject":"Lamp 4"}]', ["Lamp 5"]));
});

Deno.test("isUnnamed never returns true for an element in which listNames finds a name", () => {
  const name = fc.constantFrom("name", "email", "node", "attributes", "id", "n\u00e4me", 'na"me');
  const text = fc.constantFrom("Lamp", "Lamp 4", "Lämpe", 'a"b', "", "x\\");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      text,
      fc.constantFrom(1, null, true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(
      fc.dictionary(name, value, { maxKeys: 4 }),
      fc.constantFrom(undefined, 1, "\t"),
      (element, space) => {
        const json = JSON.stringify([element, { name: "Lamp" }], null, space);
        const isTyped = (text: string) => text === "Lamp 4";
        const isNamed = listNames(element, isTyped).length > 0;
        // A member with an escaped name may count as a name.
        if (json.includes('na\\"me') && !isNamed) return;
        assertEquals(hasNoName(json, ["Lamp 4"]), !isNamed);
      },
    ),
  );
});
