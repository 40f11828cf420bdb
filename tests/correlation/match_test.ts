import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { matchSequences } from "../../src/correlation/match.ts";

const sequence = fc.array(fc.nat({ max: 12 }), { maxLength: 40 });

Deno.test("matchSequences returns ascending matches and gaps that cover both sequences", () => {
  fc.assert(
    fc.property(sequence, sequence, (a, b) => {
      const { matches, gaps } = matchSequences(a, b);
      for (const [i, j] of matches) assertEquals(a[i], b[j]);
      for (let k = 1; k < matches.length; k++) {
        assert(matches[k - 1][0] < matches[k][0] && matches[k - 1][1] < matches[k][1]);
      }
      const inGaps = (side: "a" | "b") =>
        gaps.reduce((sum, gap) => sum + gap[side][1] - gap[side][0], 0);
      assertEquals(matches.length + inGaps("a"), a.length);
      assertEquals(matches.length + inGaps("b"), b.length);
    }),
  );
});

Deno.test("matchSequences finds inserted, removed and unchanged elements", () => {
  const { matches, gaps } = matchSequences([1, 2, 3, 4, 5], [1, 9, 9, 2, 3, 5]);
  assertEquals(matches.map(([i, j]) => `${i}-${j}`), ["0-0", "1-3", "2-4", "4-5"]);
  assertEquals(gaps, [{ a: [1, 1], b: [1, 3] }, { a: [3, 4], b: [5, 5] }]);
});
