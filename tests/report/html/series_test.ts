import { assertAlmostEquals, assertEquals } from "@std/assert";
import { type SecondPoint, secondRows } from "../../../src/report/html/series.ts";

function point(at: number, requests: number, p95 = 20): SecondPoint {
  const started = requests / 2;
  return {
    at,
    vus: 4,
    scheduled: started,
    started,
    dropped: 0,
    requests,
    failed: 0,
    p50: 10,
    p95,
    p99: 30,
  };
}

Deno.test("secondRows merges a last interval of less than half a second with the preceding second", () => {
  const rows = secondRows([point(1, 100), point(2, 100, 20), point(3, 4, 25)], 2_040);
  assertEquals(rows.map(({ at }) => at), [1, 2]);
  assertAlmostEquals(rows[1].requests, 104 / 1.04, 1e-3);
  assertAlmostEquals(rows[1].started, 52 / 1.04, 1e-3);
  assertEquals([rows[1].p95, rows[1].vus], [25, 4]);
});

Deno.test("secondRows scales the counts of a final interval of 0.5 to 1 s to counts per second", () => {
  const rows = secondRows([point(1, 100), point(2, 60)], 1_600);
  assertEquals(rows.map(({ at }) => at), [1, 2]);
  assertAlmostEquals(rows[1].requests, 100, 1e-3);
});

Deno.test("secondRows returns the counts of whole seconds unchanged, and one row for a run shorter than a second", () => {
  const whole = [point(1, 100), point(2, 80)];
  assertEquals(secondRows(whole, 2_034).map(({ requests }) => requests), [100, 80]);
  assertEquals(secondRows(whole).map(({ requests }) => requests), [100, 80]);
  const [only] = secondRows([point(1, 10)], 200);
  assertAlmostEquals(only.requests, 50, 1e-3);
  assertEquals(secondRows([], 0), []);
  assertEquals(secondRows([point(1, 0)], 0)[0].requests, 0);
});

Deno.test("secondRows divides the counts of the last point of a long run by the actual length of its interval", () => {
  const timeline = Array.from({ length: 7_201 }, (_, i) => point(i + 1, i < 7_200 ? 100 : 5));
  const rows = secondRows(timeline, 7_200_050);
  assertEquals(rows.length, 2_400);
  assertAlmostEquals(rows.at(-1)!.requests, (3 * 100 + 5) / 3.05, 1e-2);
});
