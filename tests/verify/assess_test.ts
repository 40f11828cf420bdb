import { assertEquals } from "@std/assert";
import { judgeSentValue, type SentValue } from "../../src/verify/assess.ts";

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
