import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Histogram } from "../../../src/base/histogram.ts";
import { encodeHistogram } from "../../../src/base/histogram_codec.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { compareRuns } from "../../../src/report/compare/compare_runs.ts";
import { timeVerdict } from "../../../src/report/compare/compare_runs.ts";
import { longSummary } from "../../builders/long_summary.ts";

const BEFORE = longSummary({ seconds: 60, endpoints: 6 });
const SLOWER = longSummary({ seconds: 60, endpoints: 7, slower: 1.5, seed: 2 });
const AGAIN = longSummary({ seconds: 60, endpoints: 6, seed: 3 });

function verdict(before: Summary, after: Summary): string {
  const { change, details } = compareRuns(before, after);
  return `${change}: ${details}`;
}

Deno.test("compareRuns lists the slower percentiles and counts the slower endpoints", () => {
  assertMatch(
    verdict(BEFORE, SLOWER),
    /^worse: all requests slower \(p50, .*\), 6 endpoints slower, 0 faster, 0 endpoints failing more often/,
  );
  assertMatch(
    verdict(SLOWER, BEFORE),
    /^better: all requests faster \(p50, .*\), 0 endpoints slower, 6 faster/,
  );
});

Deno.test("compareRuns reports a change in the overall failure rate even if no endpoint changed", () => {
  const failing = (fails: number): Summary => ({
    ...BEFORE,
    metrics: {
      ...BEFORE.metrics,
      http_req_failed: { passes: fails, fails: 20_000 - fails, value: fails / 20_000 },
    },
    seed: fails,
  });
  assertMatch(
    verdict(failing(100), failing(4_000)),
    /^worse: all requests failing more often, 0 endpoints slower, 0 faster, 0 endpoints failing/,
  );
  assertMatch(verdict(failing(4_000), failing(100)), /^better: all requests failing less often, 0/);
});

Deno.test("compareRuns returns `worse` if a threshold newly fails, even if no metric changed", () => {
  const threshold = { metric: "checks", expression: "rate>0.9", abort_on_fail: false, value: 1 };
  const [held, crossed] = [true, false].map((passed) => ({
    thresholds: [{ ...BEFORE.thresholds[0], ...threshold, passed }],
  }));
  assertEquals(
    verdict({ ...BEFORE, ...held }, { ...AGAIN, ...crossed }),
    "worse: 0 endpoints slower, 0 faster, 0 endpoints failing more often, 1 threshold newly failing",
  );
  assertMatch(verdict({ ...BEFORE, ...crossed }, { ...AGAIN, ...held }), /^within noise/);
});

Deno.test("compareRuns returns `not comparable` for runs without a common endpoint", () => {
  const other = {
    ...AGAIN,
    endpoints: BEFORE.endpoints.map((endpoint) => ({ ...endpoint, scenario: "another" })),
  };
  assertMatch(
    verdict(BEFORE, other),
    /^not comparable: .*the two runs have no endpoint in common$/,
  );
});

Deno.test("compareRuns never returns `better` for a run in which no request got a response", () => {
  const none = runWith({});
  const refused = runWith({ count: 90, failed: 90 });
  for (const dead of [none, refused]) {
    assertStringIncludes(verdict(BEFORE, dead), "worse: no request in the later run got");
  }
  assertStringIncludes(verdict(none, BEFORE), "not comparable: a run recorded no requests");
  assertStringIncludes(verdict(none, none), "not comparable: a run recorded no requests");
});

Deno.test("compareRuns returns `not comparable` if no request of the earlier run got a response", () => {
  const refused = runWith({ count: 90, failed: 90 });
  assertStringIncludes(
    verdict(refused, BEFORE),
    "not comparable: no request in the earlier run got a response",
  );
  assertStringIncludes(
    verdict(refused, { ...refused, seed: 9 }),
    "not comparable: no request in either",
  );
});

Deno.test("compareRuns does not report a significant change between two runs with the same load", () => {
  assertMatch(verdict(BEFORE, AGAIN), /^within noise/);
});

Deno.test("compareRuns returns `not comparable` for copies of the same run", () => {
  assertMatch(
    verdict(BEFORE, structuredClone(BEFORE)),
    /^not comparable: the two files contain the/,
  );
});

Deno.test("compareRuns returns `not comparable` for incomplete runs", () => {
  const ended = { ...AGAIN, ending: "interrupted" as const };
  assertMatch(verdict(BEFORE, ended), /^not comparable: the later run is incomplete/);
  assertMatch(verdict(ended, BEFORE), /^not comparable: the earlier run is incomplete/);
  const aborted = { ...BEFORE, ending: "threshold" as const };
  assertMatch(verdict(aborted, ended), /^not comparable: both runs are incomplete/);
});

Deno.test("compareRuns returns `not comparable` if a run has too few requests", () => {
  const short = longSummary({ seconds: 1, endpoints: 6, seed: 4 });
  assertMatch(
    verdict(short, { ...short, seed: 9 }),
    /^not comparable: a run has too few requests, /,
  );
  const slow = longSummary({ seconds: 1, endpoints: 6, seed: 4, slower: 9 });
  assertMatch(verdict(short, slow), /^worse: all requests slower \(p50/);
});

Deno.test("compareRuns counts endpoints with too few requests for a verdict", () => {
  const few = new Histogram();
  for (let i = 0; i < 20; i++) few.record(9_000_000);
  /**
   * Returns a copy of `summary` whose first endpoint received only 20 requests, all of them slow.
   */
  const rare = (summary: Summary): Summary => ({
    ...summary,
    endpoints: BEFORE.endpoints.map((endpoint, i) =>
      i === 0 ? { ...endpoint, count: 20 } : endpoint
    ),
    histograms: {
      ...summary.histograms,
      endpoints: [encodeHistogram(few), ...BEFORE.histograms.endpoints.slice(1)],
    },
  });
  assertMatch(verdict(BEFORE, rare(AGAIN)), /^worse: 1 endpoint slower/);
  assertMatch(verdict(rare(BEFORE), rare(AGAIN)), /^within noise: .*, 1 with too few requests$/);
});

/** Returns a run whose only endpoint has `count` response times from `lowest` ms on. */
function runOf(count: number, lowest: number): Summary {
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(1_000 * (lowest + 10 * i / count));
  return {
    ...BEFORE,
    seed: lowest,
    endpoints: [{ ...BEFORE.endpoints[0], count }],
    histograms: { ...BEFORE.histograms, endpoints: [encodeHistogram(histogram)] },
  };
}

Deno.test("compareRuns uses p50 of an endpoint if there are too few requests for p95 and p50 changed", () => {
  const cases: [count: number, from: number, to: number, change: string, percentile?: string][] = [
    [142, 10, 30, "worse", "p95"],
    [26, 10, 30, "worse", "p50"],
    [26, 30, 10, "better", "p50"],
    [8, 10, 30, "worse", "p50"],
    [26, 10, 10, "not enough data", "p50"],
    [7, 10, 30, "not enough data"],
  ];
  for (const [count, from, to, change, percentile] of cases) {
    const { endpoints } = compareRuns(runOf(count, from), runOf(count, to));
    assertEquals([endpoints[0].change, endpoints[0].time.percentile], [change, percentile]);
  }
  assertEquals(timeVerdict("worse", "better"), "mixed");
  assertEquals(timeVerdict("better", "worse"), "mixed");
  assertEquals(timeVerdict("worse", "within noise"), "worse");
});

Deno.test("compareRuns leaves out percentiles for which a run has too few requests", () => {
  const few = { seconds: 1, endpoints: 2 };
  const { metrics } = compareRuns(longSummary(few), longSummary({ ...few, slower: 3, seed: 2 }));
  const labels = metrics.map(({ label }) => label);
  assertEquals([labels.includes("p99.9"), labels.includes("p50")], [false, true]);
});

Deno.test("compareRuns compares the same shard of two runs", () => {
  const shard = (summary: Summary, shard: string) => ({
    ...summary,
    shards: [{ ...summary.shards[0], shard }],
  });
  assertMatch(verdict(shard(BEFORE, "1/2"), shard(AGAIN, "1/2")), /^within noise/);
  assertMatch(verdict(shard(BEFORE, "1/2"), shard(AGAIN, "2/2")), /^not comparable/);
  assertMatch(verdict(shard(BEFORE, "1/1"), shard(AGAIN, "1/2")), /^not comparable/);
});

Deno.test("compareRuns does not report a change in an endpoint that has no requests in one of the runs", () => {
  const [, ...rest] = BEFORE.endpoints;
  const [empty] = runWith({}).endpoints;
  const found = verdict(BEFORE, {
    ...BEFORE,
    seed: 9,
    endpoints: [empty, ...rest],
    histograms: {
      ...BEFORE.histograms,
      endpoints: [encodeHistogram(new Histogram()), ...BEFORE.histograms.endpoints.slice(1)],
    },
  });
  assertStringIncludes(found, "0 endpoints slower, 0 faster");
});

/**
 * Returns a copy of `BEFORE` in which no request got a response. Each endpoint has `count` sent
 * requests and `failed` failures.
 */
function runWith({ count = 0, failed = 0 }): Summary {
  const empty = new Histogram();
  const { http_reqs: _, http_req_failed: __, http_req_duration: ___, ...metrics } = BEFORE.metrics;
  return {
    ...BEFORE,
    passed: false,
    failure: "no request got a response",
    metrics,
    endpoints: BEFORE.endpoints.map((endpoint) => ({ ...endpoint, count, failed, statuses: {} })),
    histograms: {
      ...BEFORE.histograms,
      endpoints: BEFORE.endpoints.map(() => encodeHistogram(empty)),
    },
  };
}
