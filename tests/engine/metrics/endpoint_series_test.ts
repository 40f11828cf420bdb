import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { SeriesRecorder, toSeries } from "../../../src/engine/metrics/endpoint_series.ts";
import type { EndpointSeries } from "../../../src/engine/summary/flow_stats.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

/**
 * Returns a series with one second per item. In each second, `count` requests take `us` µs each,
 * and `failed` of these requests fail.
 */
function recorded(seconds: readonly { count: number; failed: number; us: number }[]) {
  const recorder = new SeriesRecorder();
  let [count, failed, sum] = [0, 0, 0];
  seconds.forEach((second, i) => {
    count += second.count;
    failed += second.failed;
    sum += second.count * second.us;
    if (second.count > 0) recorder.record(second.us, second.count);
    const statuses = { 200: count - failed, 500: failed };
    recorder.tick(i + 1, { count, failed, histogram: { sum }, statuses });
  });
  return recorder.data()!;
}

/** Adds up the series of shards. */
function mergeSeries(...shards: readonly (EndpointSeries | undefined)[]) {
  const recorder = new SeriesRecorder();
  for (const series of shards) recorder.add(series);
  return recorder.data();
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0);

Deno.test("endpoint series: has one interval per second in a short run", () => {
  const series = recorded([
    { count: 2, failed: 1, us: 1_500 },
    { count: 0, failed: 0, us: 0 },
    { count: 4, failed: 0, us: 250 },
  ]);
  assertEquals(series, {
    step: 1,
    count: [2, 0, 4],
    failed: [1, 0, 0],
    avg: [1.5, 0, 0.25],
    p50: [1.503, 0, 0.251],
    p95: [1.503, 0, 0.251],
    p99: [1.503, 0, 0.251],
    statuses: { "2xx": [1, 0, 4], "5xx": [1, 0, 0] },
    histograms: ["dwI=", "", "TwQ="],
  });
});

Deno.test("endpoint series: has at most 60 intervals in a long run", () => {
  fc.assert(fc.property(
    fc.array(
      fc.record({ count: fc.nat(50), failed: fc.nat(9), us: fc.nat(1e6) }),
      { minLength: 1, maxLength: 700 },
    ),
    (seconds) => {
      const { step, count, failed, avg } = recorded(seconds);
      assertEquals(count.length, Math.ceil(seconds.length / step));
      assertEquals([count.length <= 60, Math.log2(step) % 1], [true, 0]);
      assertEquals(total(count), total(seconds.map((second) => second.count)));
      assertEquals(total(failed), total(seconds.map((second) => second.failed)));
      const [first] = avg;
      const interval = seconds.slice(0, step);
      const requests = total(interval.map((second) => second.count));
      const mean = requests && total(interval.map(({ count, us }) => count * us)) / requests;
      assertEquals(first, Math.round(mean) / 1_000);
    },
  ));
});

Deno.test("endpoint series: adds up shards that ran for different durations", () => {
  const one = recorded(Array.from({ length: 70 }, () => ({ count: 1, failed: 0, us: 1_000 })));
  const two = recorded(Array.from({ length: 3 }, () => ({ count: 3, failed: 1, us: 5_000 })));
  const both = mergeSeries(one, two)!;
  assertEquals([both.step, both.count.length], [2, 35]);
  assertEquals(both.count.slice(0, 3), [8, 5, 2]);
  assertEquals(both.failed.slice(0, 3), [2, 1, 0]);
  assertEquals(both.avg.slice(0, 3), [4, 3.4, 1]);
  assertEquals(mergeSeries(two, one), both);
  assertEquals(mergeSeries(one, undefined), one);
});

Deno.test("endpoint series: merging treats missing counts as 0", () => {
  const odd: EndpointSeries = {
    ...toSeries(3, []),
    ...{ step: 3, count: [1, 2, 3], failed: [], avg: [1] },
  };
  const { count, failed } = mergeSeries(odd, recorded([{ count: 5, failed: 0, us: 1 }]))!;
  assertEquals([count, failed], [[6, 2, 3], [0, 0, 0]]);
});

Deno.test("endpoint series: contains every request of the run", async () => {
  const flow = [{ request: { url: "/a" } }, { request: { url: "/b", name: "b" } }];
  const { summary } = await runInVirtualTime(
    singleScenarioPlan(
      scenarioOf("constant-arrival-rate, rate: 7, duration: 90s, pre_allocated_vus: 5", flow),
    ),
    { respond: (_, n) => n % 10 === 0 ? { error: "reset", ms: 200 } : { ms: 40 } },
  );
  for (const { count, failed, series } of summary.endpoints) {
    assertEquals(series?.step, 2);
    assertEquals([total(series!.count), total(series!.failed)], [count, failed]);
  }
});
