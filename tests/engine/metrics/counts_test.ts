import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Histogram } from "../../../src/base/histogram.ts";
import { Counts, mergeRows, type RuleName, TABLE } from "../../../src/engine/metrics/counts.ts";
import { SeriesRecorder } from "../../../src/engine/metrics/endpoint_series.ts";
import { mergeSummaries } from "../../../src/engine/metrics/merge_summaries.ts";
import { Recorder } from "../../../src/engine/metrics/recorder.ts";
import type { CountRows, Family } from "../../../src/engine/metrics/snapshot.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { ChangeReader, decodeChanges } from "../../../src/fleet/shard_counts.ts";
import { HttpResponse } from "../../../src/http/sender.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { Sent } from "../../support/fake_sender.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
  type TestRunOptions,
} from "../../support/run_in_virtual_time.ts";

function histogram(values: readonly number[]) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.data();
}

const count = fc.nat(1_000);
const times = fc.array(fc.nat(1e6), { maxLength: 5 }).map(histogram);
const VALUES: Record<RuleName, fc.Arbitrary<unknown>> = {
  label: fc.constantFrom("a", "b"),
  first: fc.constant("one"),
  text: fc.constant("some text"),
  sum: count,
  positive: fc.constantFrom(undefined, 3),
  known: count,
  longest: fc.constantFrom(undefined, 3),
  longestKnown: count,
  now: count,
  highest: count,
  lowest: count,
  worst: fc.constantFrom("aborted", "finished"),
  histogram: times,
  anyHistogram: times,
  statuses: fc.record({ 200: fc.integer({ min: 1, max: 9 }) }),
  series: fc.constant(undefined),
};

/** Generates rows of a family. */
function rowsOf<F extends Family>(family: F): fc.Arbitrary<CountRows[F][]> {
  const fields = Object.entries(TABLE[family]) as [string, RuleName][];
  const row = fc.record(Object.fromEntries(fields.map(([field, rule]) => [field, VALUES[rule]])));
  return fc.array(row, { maxLength: 4 }) as unknown as fc.Arbitrary<CountRows[F][]>;
}

for (const family of Object.keys(TABLE) as Family[]) {
  Deno.test(`counts: the changes of ${family} add up to the counts`, () => {
    fc.assert(
      fc.property(fc.array(rowsOf(family), { maxLength: 4 }), (added) => {
        const [counts, copy, reader] = [new Counts(), new Counts(), new ChangeReader()];
        for (const rows of added) {
          counts.add(family, rows);
          const sent = JSON.parse(JSON.stringify(reader.take(family, counts.data(family))));
          copy.follow(family, decodeChanges(family, sent));
          assertEquals(copy.data(family), counts.data(family));
          assertEquals(reader.take(family, counts.data(family)), []);
        }
      }),
      { numRuns: 30 },
    );
  });

  Deno.test(`counts: rows of ${family} can be merged in any order`, () => {
    fc.assert(
      fc.property(rowsOf(family), rowsOf(family), (one, two) => {
        const key = (row: object) => JSON.stringify(row);
        const merged = (rows: CountRows[Family][]) => mergeRows(family, rows).map(key).sort();
        const whole = merged([...one, ...two]);
        assertEquals(merged([...two, ...one]), whole);
        assertEquals(merged([...mergeRows(family, one), ...mergeRows(family, two)]), whole);
      }),
      { numRuns: 30 },
    );
  });
}

const TAGS = { scenario: "s", group: "", name: "n", method: "GET" };
/** Metric and sub-metric of each phase before a request is sent, such as connecting. */
const PARTS = {
  blockedMs: ["http_req_blocked", "http_req_blocked{status:200}"],
  connectingMs: ["http_req_connecting", "http_req_connecting{status:200}"],
  tlsMs: ["http_req_tls_handshaking", "http_req_tls_handshaking{status:200}"],
} as const;

const time = fc.constantFrom(0, 0, 0, 0.0004, 0.3, 7);
const sample = fc.record({
  status: fc.constantFrom(200, 404),
  kind: fc.constantFrom(undefined, undefined, "assert" as const),
  blockedMs: time,
  connectingMs: time,
  tlsMs: time,
  ticks: fc.boolean(),
});

Deno.test("recorder: counts retries only if there are any", () => {
  const recorder = new Recorder([], (text) => text);
  const series = recorder.request(TAGS);
  series.record(new HttpResponse(), false, undefined, NaN);
  assertEquals(recorder.snapshot(1).metrics.http_req_retries, undefined);
  series.record({ ...new HttpResponse(), retries: 2 }, false, undefined, NaN);
  assertEquals(recorder.snapshot(1).metrics.http_req_retries, { kind: "counter", count: 2 });
});

Deno.test("recorder: counts durations of 0 correctly, even if the metrics are read between two samples", () => {
  fc.assert(fc.property(fc.array(sample), (samples) => {
    const selectors = Object.values(PARTS).map(([, some]) => some);
    const recorder = new Recorder(selectors, (text) => text);
    const series = recorder.request(TAGS);
    const expected = new Map(Object.values(PARTS).flat().map((key) => [key, new Histogram()]));
    for (const [i, { status, kind, ticks, ...times }] of samples.entries()) {
      const fault = kind && { kind, message: "it failed" };
      series.record({ ...new HttpResponse(), status, ...times }, fault !== undefined, fault, NaN);
      for (const [part, [all, some]] of Object.entries(PARTS)) {
        const value = times[part as keyof typeof PARTS] * 1_000 + 0.5;
        expected.get(all)!.record(value);
        if (status === 200) expected.get(some)!.record(value);
      }
      if (ticks) recorder.tick(i + 1, i);
    }
    const { metrics, endpoints } = recorder.snapshot(1);
    for (const [key, histogram] of expected) {
      assertEquals(metrics[key], { kind: "trend", histogram: histogram.data() });
    }
    const counts = Map.groupBy(samples, ({ status }) => status);
    assertEquals(
      endpoints[0].statuses,
      Object.fromEntries([...counts].map(([status, { length }]) => [status, length])),
    );
  }));
});

Deno.test("recorder: does not record a status for a request that was not sent", () => {
  const recorder = new Recorder([], (text) => text);
  recorder.request(TAGS).recordUnsent({ kind: "template", message: "it is not set" });
  const { endpoints: [{ statuses, count, failed }] } = recorder.snapshot(1);
  assertEquals([statuses, count, failed], [{}, 0, 1]);
});

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

function plan(thresholds: Plan["thresholds"] = {}): Plan {
  return singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 1, iterations: 100", [{ request: { url: "/" } }]),
    { thresholds },
  );
}

/** Runs each of `of` shards of a plan. Returns their summaries as read from files. */
async function runShards(plan: Plan, of: number, options: TestRunOptions = {}): Promise<Summary[]> {
  const shards: Summary[] = [];
  for (let index = 0; index < of; index++) {
    const { summary } = await runInVirtualTime(plan, { ...options, shard: { index, of } });
    shards.push(JSON.parse(JSON.stringify(summary)));
  }
  return shards;
}

Deno.test("merge: merging the shards gives the same summary as an unsharded run", async () => {
  const thresholds = { http_reqs: ["count==60"], "http_req_duration{name:GET /}": ["p(95)<100"] };
  const whole = singleScenarioPlan(
    scenarioOf("per-vu-iterations, vus: 6, iterations: 10", [{
      request: { url: "/", checks: [{ type: "status", equals: 200 }] },
    }]),
    { thresholds },
  );
  const timed = ({ at }: Sent) => ({ ms: 20 + at % 97, status: at % 5 === 0 ? 500 : 200 });
  const one = (await runInVirtualTime(whole, { respond: timed })).summary;
  const shards = await runShards(whole, 3, { respond: timed });
  for (const { thresholds, passed, plan_hash } of shards) {
    assertEquals(thresholds.map(({ passed }) => passed), [null, null]);
    assertEquals([passed, plan_hash], [null, one.plan_hash]);
  }
  const merged = mergeSummaries(shards);
  assertEquals(merged.shards.map(({ shard }) => shard), ["1/3", "2/3", "3/3"]);
  assertEquals(merged.thresholds, one.thresholds);
  const about = ({ started_at: _1, shards: _2, histograms: _3, ...rest }: Summary) => ({
    ...rest,
    // Merging adds up the minima of gauges, although they may not occur at the same time.
    metrics: { ...rest.metrics, vus: 0 },
  });
  assertEquals(about(merged), about(one));
  assertEquals(merged.histograms, one.histograms);
});

Deno.test("merge: uses the time of day to align shards that started at different times", async () => {
  const open = singleScenarioPlan(
    scenarioOf("constant-arrival-rate, rate: 40, duration: 4s, pre_allocated_vus: 20", [{
      request: { url: "/" },
    }]),
  );
  const runs = await runShards(open, 2, { respond: () => ({ ms: 5 }) });
  const shards = runs.map((summary, index): Summary => {
    const started_at = new Date(Date.UTC(2026, 10, 22) + index * 3_000).toISOString();
    return { ...summary, started_at, shards: [{ ...summary.shards[0], started_at }] };
  });
  const [one] = shards;
  const merged = mergeSummaries(shards);
  assertEquals(merged.accepted.map(({ flaw }) => flaw), ["shifted"]);
  assertEquals([merged.started_at, merged.duration_ms], [one.started_at, one.duration_ms + 3_000]);
  const scheduled = merged.timeline.map(({ at, scheduled }) => [at, scheduled]).filter((
    [, count],
  ) => count > 0);
  assertEquals(scheduled, [[1, 20], [2, 20], [3, 20], [4, 40], [5, 20], [6, 20], [7, 20]]);
  assertEquals(merged.endpoints[0].series?.count.slice(0, 7), [20, 20, 20, 40, 20, 20, 20]);
  const requests = merged.metrics.http_reqs as { count: number; rate: number };
  assertEquals([requests.count, Math.round(requests.rate)], [160, 23]);
});

Deno.test("merge: the summary contains the VU starts of all shards", async () => {
  const { summary } = await runInVirtualTime(plan());
  const [scenario] = summary.scenarios;
  const at = "2026-11-22T00:00:00.000Z";
  const part = (shard: string, starts: object) => ({
    ...summary,
    started_at: at,
    scenarios: [{ ...scenario, ...starts }],
    shards: [{ ...summary.shards[0], shard, started_at: at }],
    environment: {
      version: "0",
      plan: "p.yaml",
      targets: ["http://t"],
      options: ["--vus 5", `--shard ${shard}`, "--seed 1"],
      cores: 2,
      workers: 1,
    },
  });
  const merged = mergeSummaries([
    part("1/3", { start_delay_ms: 20 }),
    part("2/3", {}),
    part("3/3", { start_delay_ms: 70, unstarted_vus: 3 }),
  ]);
  assertEquals(merged.environment?.options, ["--vus 5", "--seed 1"]);
  const [{ start_delay_ms, unstarted_vus }] = merged.scenarios;
  assertEquals([start_delay_ms, unstarted_vus], [70, 3]);
});

Deno.test("merge: load changes of a shard that starts later are shifted by the delay", async () => {
  const { summary } = await runInVirtualTime(plan());
  const shard = (started_at: string, at_ms: number, rate: number): Summary => ({
    ...summary,
    started_at,
    shards: [{ ...summary.shards[0], started_at }],
    changes: [{ at_ms, paused: false, rate, vus: {} }],
  });
  const changes = (late: string) =>
    mergeSummaries([shard("2026-11-22T00:00:00.000Z", 6_000, 2), shard(late, 1_000, 3)]).changes
      ?.map(({ at_ms, rate }) => [at_ms, rate]);
  assertEquals(changes("2026-11-22T00:00:10.000Z"), [[6_000, 2], [11_000, 3]]);
  assertEquals(changes("2026-11-22T00:00:00.000Z"), [[1_000, 3], [6_000, 2]]);
});
