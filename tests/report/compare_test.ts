import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Histogram } from "../../src/base/histogram.ts";
import { encodeHistogram } from "../../src/base/histogram_codec.ts";
import { random } from "../../src/base/random.ts";
import type { RunEnvironment, Summary } from "../../src/engine/summary/summary.ts";
import {
  changeText,
  classifyChange,
  classifyTimeChange,
  percentileEstimate,
  shareEstimate,
} from "../../src/report/compare/change.ts";
import { compareRuns, timeVerdict } from "../../src/report/compare/compare_runs.ts";
import { comparisonWarnings } from "../../src/report/compare/run_differences.ts";
import { longSummary } from "../builders/long_summary.ts";

function sample(count: number, scale: number, seed: number): Histogram {
  const { next } = random(seed);
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(scale * (1 + 4 * next() ** 3));
  return histogram;
}

Deno.test("classifyChange rarely finds a change between two samples of the same distribution", () => {
  const verdicts = Array.from({ length: 200 }, (_, seed) =>
    classifyChange(
      percentileEstimate(sample(300, 1_000, seed), 95),
      percentileEstimate(sample(300, 1_000, 1_000 + seed), 95),
    ));
  const wrong = verdicts.filter((verdict) => verdict !== "within noise").length;
  assert(wrong <= 2, `${wrong} of 200`);
});

Deno.test("classifyChange classifies a significant change as worse or better", () => {
  const [fast, slow] = [sample(5_000, 1_000, 1), sample(5_000, 1_200, 2)]
    .map((histogram) => percentileEstimate(histogram, 95));
  assertEquals(classifyChange(fast, slow), "worse");
  assertEquals(classifyChange(slow, fast), "better");
});

Deno.test("classifyChange ignores changes of less than 5%", () => {
  const exact = (value: number) => ({ value, low: value, high: value });
  assertEquals(classifyChange(exact(100), exact(104)), "within noise");
  assertEquals(classifyChange(exact(100), exact(106)), "worse");
  const open = { value: 90, low: 80, high: Infinity };
  assertEquals(classifyChange(exact(70), open), "not enough data");
  assertEquals(classifyChange(exact(90), open), "not enough data");
});

Deno.test("classifyChange does not report a change in a high percentile if there are few samples", () => {
  const few = percentileEstimate(sample(20, 1_000, 1), 99);
  assertEquals(few.high, Infinity);
  assertEquals(
    classifyChange(few, percentileEstimate(sample(20, 9_000, 2), 99)),
    "not enough data",
  );
  assertEquals(percentileEstimate(new Histogram(), 95).value, 0);
});

Deno.test("shareEstimate returns the Wilson score interval", () => {
  const { low, high } = shareEstimate(10, 100);
  assertEquals([low.toFixed(3), high.toFixed(3)], ["0.046", "0.204"]);
  assertEquals(shareEstimate(0, 0), { value: 0, low: 0, high: Infinity });
  assertEquals(classifyChange(shareEstimate(0, 0), shareEstimate(5, 9)), "not enough data");
  assertEquals(classifyChange(shareEstimate(0, 5_000), shareEstimate(60, 5_000)), "worse");
});

Deno.test("classifyTimeChange ignores changes of less than 0.1 ms, even if they are precise", () => {
  const exact = (value: number) => ({ value, low: value, high: value });
  assertEquals(classifyTimeChange(exact(0.042), exact(0.046)), "within noise");
  assertEquals(classifyTimeChange(exact(0.14), exact(0.041)), "within noise");
  assertEquals(classifyTimeChange(exact(0.042), exact(0.143)), "worse");
  assertEquals(classifyTimeChange(exact(0.143), exact(0.042)), "better");
  assertEquals(classifyTimeChange(exact(10), exact(10.4)), "within noise");
});

/** Returns P(X = k) for each k, where X has a binomial distribution. Computed with logarithms. */
function binomial(n: number, p: number): number[] {
  let log = n * Math.log(1 - p);
  return Array.from({ length: n + 1 }, (_, k) => {
    if (k > 0) log += Math.log((n - k + 1) / k * p / (1 - p));
    return Math.exp(log);
  });
}

Deno.test("percentileEstimate returns the shortest 99% confidence interval with equal tails", () => {
  const sum = (odds: readonly number[]) => odds.reduce((total, one) => total + one, 0);
  for (const percent of [50, 95, 99]) {
    for (const n of [1, 7, 8, 26, 103, 104, 142, 527, 528, 1_000]) {
      const odds = binomial(n, percent / 100);
      const histogram = new Histogram();
      for (let value = 1; value <= n; value++) histogram.record(value);
      const { low, high } = percentileEstimate(histogram, percent);
      const name = `p${percent} of ${n}`;
      // The values are their own ranks. Fewer than `low` values below the percentile are unlikely.
      assert(sum(odds.slice(0, low)) <= 0.005, name);
      assert(sum(odds.slice(0, low + 1)) > 0.005, name);
      assertEquals(high === Infinity, (percent / 100) ** n > 0.005, name);
      if (high === Infinity) continue;
      assert(sum(odds.slice(high)) <= 0.005, name);
      assert(sum(odds.slice(high - 1)) > 0.005, name);
    }
  }
});

Deno.test("changeText formats a change as a percentage, or as a factor if it is large", () => {
  const cases: readonly [change: number | undefined, text: string][] = [
    [undefined, "–"],
    [0, "+0.00%"],
    [0.12, "+12.00%"],
    [-0.035, "−3.50%"],
    [8.99, "+899.00%"],
    [9, "10 times"],
    [76.0443, "77 times"],
    [123_455, "120,000 times"],
  ];
  for (const [change, text] of cases) assertEquals(changeText(change), text);
});

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

const ENVIRONMENT: RunEnvironment = {
  version: "0.1.0",
  plan: "shop.yaml",
  targets: ["http://a:80"],
  options: [],
  cores: 4,
  workers: 2,
};
const [SCENARIO] = longSummary({ seconds: 5, endpoints: 1 }).scenarios;

/** Creates a run that has no warnings. */
function run(file: string, changes: Partial<Summary>, environment: Partial<RunEnvironment> = {}) {
  const { seed = file.charCodeAt(0) } = changes;
  const summary = longSummary({ seconds: 5, endpoints: 1, seed });
  const scenarios = [{ ...SCENARIO, dropped: 0, interrupted: 0, schedule_lag_us: null }];
  const conditions = { ...ENVIRONMENT, ...environment };
  return { file, summary: { ...summary, scenarios, environment: conditions, ...changes } };
}

Deno.test("comparisonWarnings returns nothing for runs under the same conditions", () => {
  assertEquals(comparisonWarnings([run("a", {}), run("b", {}), run("c", {})]), []);
});

Deno.test("comparisonWarnings lists the runs with a different target, version or machine", () => {
  const other = run("b", {}, { targets: ["http://b"], version: "0.2.0", cores: 8 });
  assertEquals(comparisonWarnings([run("a", {}), other, run("c", {})]), [
    "the runs had different targets: http://a:80 in a, c; http://b in b",
    "the runs had different versions of rehearse: 0.1.0 in a, c; 0.2.0 in b",
    "the runs had different machines: 2 workers on 4 cores in a, c; 2 workers on 8 cores in b",
  ]);
});

Deno.test("comparisonWarnings warns about different plans, unless targets or options explain the difference", () => {
  const hash = "2b".repeat(32);
  assertEquals(comparisonWarnings([run("a", {}), run("b", { plan_hash: hash })]), [
    "the runs had different plans or data files: shop.yaml (SHA-256 1a1a1a1a…) in a; " +
    "shop.yaml (SHA-256 2b2b2b2b…) in b",
  ]);
  // The same plan at another path is the same plan.
  assertEquals(comparisonWarnings([run("a", {}), run("b", {}, { plan: "copy.yaml" })]), []);
  const faster = run("b", { plan_hash: hash }, { options: ["--rate-scale 2"] });
  assertEquals(comparisonWarnings([run("a", {}), faster]), [
    "the runs had different options: none in a; --rate-scale 2 in b",
  ]);
});

Deno.test("comparisonWarnings warns about different durations and runs in the wrong order", () => {
  assertEquals(comparisonWarnings([run("a", {}), run("b", { duration_ms: 60_000 })]), [
    "the runs had different durations: 5s in a, 1m in b",
  ]);
  const earlier = run("b", { started_at: "2020-01-01T00:00:00.000Z" });
  assertEquals(comparisonWarnings([run("a", {}), earlier]), [
    "b started before a: list the files in chronological order",
  ]);
});

Deno.test("comparisonWarnings warns about incomplete runs", () => {
  const cut = run("a", { ending: "threshold" });
  assertEquals(comparisonWarnings([cut, run("b", { ending: "interrupted" })]), [
    "a is incomplete: ended by a threshold after 5s",
    "b is incomplete: interrupted",
  ]);
});

Deno.test("comparisonWarnings lists the warnings of the first and the last run", () => {
  const scenarios = [{ ...SCENARIO, dropped: 0, interrupted: 3, schedule_lag_us: null }];
  const warned = (file: string) => run(file, { scenarios });
  const text = "browse: 3 iterations cut off: still running when `graceful_stop` expired";
  assertEquals(comparisonWarnings([warned("a"), warned("b")]), [`a: ${text}`, `b: ${text}`]);
  assertEquals(comparisonWarnings([run("a", {}), warned("b"), warned("c")]), [`c: ${text}`]);
});

Deno.test("comparisonWarnings shortens long lists of files", () => {
  const many = Array.from({ length: 9 }, (_, i) => run(`${i}`, {}));
  const [warning] = comparisonWarnings([...many, run("x", {}, { version: "9" })]);
  assertEquals(
    warning,
    "the runs had different versions of rehearse: 0.1.0 in 0, 1, 2, 3, 4 and 4 more; 9 in x",
  );
});
