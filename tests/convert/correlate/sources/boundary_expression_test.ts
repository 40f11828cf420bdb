import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  boundaryAround,
  regexAround,
  returnsOnly,
} from "../../../../src/convert/correlate/sources/boundary_expression.ts";

const around = (text: string, value: string) =>
  boundaryAround(text, text.indexOf(value), value.length);

Deno.test("boundaryAround returns a left boundary that starts at a word and is unique", () => {
  const text = 'let a = "x"; let token = "q9w8e7r6t5";';
  assertEquals(around(text, "q9w8e7r6t5"), { left: 'token = "', right: '"', key: "token" });
});

Deno.test("boundaryAround rejects boundaries that probably differ in the next response", () => {
  const page = 'a="7c9e6679-7425-40de-944b-e07fc1f90ae7"="first" b="second"';
  assertEquals(around(page, "first"), undefined);
  assertEquals(around(page, "second"), { left: 'b="', right: '"', key: "b" });
});

Deno.test("returnsOnly reports whether every match of an expression extracts the given value", () => {
  const piece = fc.constantFrom("ab", "b", '"', "id=", "[", "^", "\\", "x1", "\n", "a", "12");
  const pieces = fc.array(piece, { maxLength: 30 });
  let [only, others] = [0, 0];
  fc.assert(
    fc.property(pieces, pieces, fc.array(piece, { minLength: 1, maxLength: 3 }), (a, b, value) => {
      const [before, middle, after] = [a.join(""), value.join(""), b.join("")];
      for (const text of [before + middle + after, before + middle + before + middle + after]) {
        const located = regexAround(text, before.length, middle.length);
        if (located?.type !== "regex") continue;
        const { expression } = located;
        const expected = text.matchAll(new RegExp(expression, "g"))
          .every(([, found]) => found === middle);
        assertEquals(returnsOnly(text, expression, middle), expected, expression);
        if (expected) only++;
        else others++;
      }
    }),
  );
  assert(only > 50 && others > 10, `${only}, ${others}`);
});
