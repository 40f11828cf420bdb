import { assertEquals } from "@std/assert";
import { Histogram } from "../../../src/base/histogram.ts";
import { classifyTimeChange, percentileEstimate } from "../../../src/report/compare/change.ts";
import { timeVerdict } from "../../../src/report/compare/compared_metrics.ts";

/**
 * Classifies the change between two samples of `count` response times. The lowest times of the two
 * samples are `from` and `to`, in ms.
 */
function verdictOf(count: number, from: number, to: number) {
  const [before, after] = [from, to].map((lowest) => {
    const histogram = new Histogram();
    for (let i = 0; i < count; i++) histogram.record(1_000 * (lowest + 10 * i / count));
    return histogram;
  });
  const [p50, p95] = [50, 95].map((percent) =>
    classifyTimeChange(percentileEstimate(before, percent), percentileEstimate(after, percent))
  );
  return timeVerdict({ p50, p95 });
}

Deno.test("timeVerdict uses p50 if there are too few requests for p95", () => {
  assertEquals(verdictOf(26, 10, 30), "worse");
  assertEquals(verdictOf(26, 30, 10), "better");
  assertEquals(verdictOf(8, 10, 30), "worse");
  assertEquals(verdictOf(142, 10, 30), "worse");
});

Deno.test("with too few requests for p95, timeVerdict returns `not enough data` unless p50 changed significantly", () => {
  assertEquals(verdictOf(26, 10, 10), "not enough data");
  assertEquals(verdictOf(7, 10, 30), "not enough data");
});

Deno.test("timeVerdict is mixed if p50 and p95 moved in opposite ways", () => {
  assertEquals(timeVerdict({ p95: "worse", p50: "better" }), "mixed");
  assertEquals(timeVerdict({ p95: "better", p50: "worse" }), "mixed");
  assertEquals(timeVerdict({ p95: "worse", p50: "within noise" }), "worse");
});
