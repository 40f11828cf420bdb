import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { judgeSentValue, runAround, type SentValue } from "../../src/verify/assess.ts";

Deno.test("runAround returns the same text as a regular expression", () => {
  const character = fc.constantFrom(...'ab1/=-_ <"'.split(""));
  const text = fc.string({ unit: character, maxLength: 40 });
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 3 }), text, (value, text) => {
      const pattern = new RegExp(`[\\w+/=-]*?${RegExp.escape(value)}[\\w+/=-]*`);
      const expected = pattern.exec(text)?.[0] ?? value;
      assertEquals(runAround(value, text), expected);
    }),
  );
});

Deno.test("runAround finds no value in a run of a million characters", () => {
  assertEquals(runAround("missing", "a".repeat(2 ** 20)), "missing");
});

/** A value that fresh sessions replace, and that the plan sends as recorded. */
const LITERAL: SentValue = {
  assessment: "object",
  isReplaced: true,
  isIgnored: false,
  isSure: true,
  isNew: true,
  isExtracted: false,
  mayBeStale: true,
};

const JUDGED: readonly [Partial<SentValue>, ReturnType<typeof judgeSentValue>][] = [
  [{}, "stale"],
  [{ mayBeStale: false }, "stale"],
  [{ isReplaced: false }, "unproven"],
  [{ isIgnored: true }, "unproven"],
  [{ isSure: false }, "unproven"],
  [{ isNew: false }, "unproven"],
  [{ isNew: false, isExtracted: true }, "stale"],
  [{ isSure: false, isExtracted: true }, "unproven"],
  [{ assessment: "open" }, "unproven"],
  [{ assessment: "constant" }, "unproven"],
  [{ assessment: "constant", isExtracted: true }, "stale"],
  [{ assessment: "token", isSure: false, isNew: false }, "stale"],
  [{ assessment: "token", isIgnored: true }, "unproven"],
  [{ assessment: "token", isReplaced: false }, "unproven"],
  [{ isReplaced: false, mayBeStale: false }, "consistent"],
  [{ isNew: false, mayBeStale: false }, "consistent"],
];

for (const [facts, verdict] of JUDGED) {
  Deno.test(`judgeSentValue: ${JSON.stringify(facts)} is ${verdict}`, () => {
    assertEquals(judgeSentValue({ ...LITERAL, ...facts }), verdict);
  });
}
