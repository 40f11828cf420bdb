import { assertEquals } from "@std/assert";
import type { Found } from "../../scripts/labelled/found.ts";
import type { Label } from "../../scripts/labelled/label.ts";
import { score } from "../../scripts/labelled/score.ts";
import { scoreSet } from "../../scripts/labelled/score_set.ts";

for (const jsonOnly of [true, false]) {
  const under = jsonOnly ? "with --correlate json" : "by default";
  Deno.test(`convertHar correlates values exactly as their labels specify, ${under}`, async () => {
    const scores = await scoreSet(jsonOnly);
    assertEquals(scores.flatMap(({ name, faults }) => faults.map((f) => `${name}: ${f}`)), []);
  });
}

const label: Label = {
  value: "t0k3n",
  correlate: true,
  why: "",
  producer: 0,
  paths: ["$.token"],
  uses: [{ entry: 1, where: "path" }, { entry: 2, where: "query:t" }],
};
const found: Found = { producer: 0, path: "$.token", value: "t0k3n", uses: [...label.uses] };

/**
 * Test cases for `score`: a label, the correlations that were found, and the expected numbers of
 * correct, wrong and missed correlations.
 */
const SCORED: [name: string, label: Label, found: Found[], counts: number[]][] = [
  ["as labelled", label, [found], [1, 0, 0]],
  ["not found", label, [], [0, 0, 1]],
  ["another producer", label, [{ ...found, producer: 1 }], [0, 1, 1]],
  ["another path", label, [{ ...found, path: "$.other" }], [0, 1, 1]],
  ["a use too few", label, [{ ...found, uses: found.uses.slice(1) }], [0, 1, 1]],
  ["a use too many", label, [{ ...found, uses: [...found.uses, { entry: 3, where: "path" }] }], [
    0,
    1,
    1,
  ]],
  ["found twice", label, [found, found], [0, 1, 1]],
  ["without a label", label, [found, { ...found, value: "x" }], [1, 1, 0]],
  ["to be left", { ...label, correlate: false, uses: [] }, [found], [0, 1, 0]],
  ["left", { ...label, correlate: false, uses: [] }, [], [0, 0, 0]],
  ["only by default", { ...label, correlate: false, byDefault: true }, [found], [0, 1, 0]],
];

Deno.test("`score` distinguishes correct correlations from almost correct ones", () => {
  for (const [name, label, found, counts] of SCORED) {
    const { right, wrong, missed } = score([label], found, true);
    assertEquals([right, wrong, missed], counts, name);
  }
});
