import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertLess,
  assertMatch,
  assertThrows,
} from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { makeLog } from "../../../scripts/make_log.ts";
import { durationMs } from "../../../src/base/format.ts";
import {
  type Cumulative,
  cumulativeAt,
  curveWithin,
  type RateCurve,
  samplePoints,
  stageLimits,
} from "../../../src/convert/accesslog/rate/curve_within.ts";
import { followCurve } from "../../../src/convert/accesslog/rate/reproduce_rate.ts";
import {
  areaUntil,
  clipRate,
  findRateCurve,
  fitRateCurve,
  maximumDeviation,
  mergeStages,
} from "../../../src/convert/accesslog/rate/rate_curve.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { Arrivals } from "../../../src/engine/kinds/arrivals.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import {
  buildFilters,
  type FilterOptions,
} from "../../../src/traffic/accesslog/collect/filters.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../../src/traffic/accesslog/log_scanner.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { gridRates, leastOnGrid } from "../../oracles/least_on_grid.ts";
import { readLines } from "../../support/read_lines.ts";
import { sharedFiles } from "../../support/shared_data.ts";

/** Returns the profile of a log with the given number of requests in each second. */
function profileOf(perSecond: readonly number[]): TrafficProfile {
  const profile = new TrafficProfile();
  profile.requests = perSecond.reduce((sum, count) => sum + count, 0);
  perSecond.forEach((count, i) => count > 0 && profile.seconds.add(1_000 + i, count));
  return profile;
}

function cumulative(perStep: readonly number[]): Cumulative {
  const counts = perStep.reduce((sums, count) => [...sums, sums.at(-1)! + count], [0]);
  return { times: Float64Array.from(counts.keys()), counts: Float64Array.from(counts) };
}

/**
 * Tries every curve that has its knots on a grid and sends the log's number of requests. Returns
 * the smallest deviation.
 */
function leastOfAll({ times, counts }: Cumulative, stages: number, rates: number[]): number {
  const last = times.length - 1;
  let best = Infinity;
  const extend = (knot: number, rate: number, area: number, far: number, left: number) => {
    if (knot === last && Math.abs(area - counts[last]) < 1e-9) best = Math.min(best, far);
    if (left === 0) return;
    for (let to = knot + 1; to <= last; to++) {
      for (const next of rates) {
        const length = times[to] - times[knot];
        const at = (x: number) => area + x * (rate + (next - rate) * x / length / 2);
        let most = far;
        for (let t = knot + 1; t <= to; t++) {
          most = Math.max(most, Math.abs(at(times[t] - times[knot]) - counts[t]));
        }
        if (most < best) extend(to, next, at(length), most, left - 1);
      }
    }
  };
  for (const rate of rates) extend(0, rate, 0, 0, stages);
  return best;
}

const steps = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 4, maxLength: 11 })
  .filter((counts) => counts[0] > 0 && counts.at(-1)! > 0);

Deno.test("leastOnGrid returns a lower bound on the deviation of all curves on a grid", () => {
  const rates = [0, 2, 6, 12];
  const counts = fc.array(fc.constantFrom(0, 1, 2, 4, 6, 9, 12), { minLength: 3, maxLength: 5 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 3 }), (perStep, stages) => {
      const of = cumulative(perStep);
      const all = leastOfAll(of, stages, rates);
      fc.pre(Number.isFinite(all));
      const grid = { points: [...of.times.keys()], rates };
      const { least, knots } = leastOnGrid(of, stages, grid, all * 1.001 + 0.01);
      assert(least <= all * 1.001 + 0.01);
      assert(knots === undefined || knots.length <= stages + 1);
    }),
  );
});

Deno.test("the deviation of fitRateCurve exceeds that of the best curve on a grid by less than 2% of all requests", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (perStep, stages) => {
      const profile = profileOf(perStep);
      const found = maximumDeviation(profile, fitRateCurve(profile, stages));
      const of = cumulative(perStep);
      const rates = gridRates(of, 24).filter((rate) => rate <= profile.span()!.peak);
      const { least, knots } = leastOnGrid(
        of,
        stages,
        { points: [...of.times.keys()], rates },
        found,
      );
      if (knots !== undefined) assertLess(found - least, profile.requests * 0.02);
    }),
    COSTLY,
  );
});

Deno.test("a curve from curveWithin stays within the tolerance and is never negative", () => {
  const tolerances = fc.double({ min: 0.01, max: 0.5, noNaN: true });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), tolerances, (perStep, stages, share) => {
      const of = cumulative(perStep);
      const total = of.counts.at(-1)!;
      const peak = Math.max(...perStep);
      const curve = curveWithin(of, stages, share * total, stageLimits(of, peak));
      if (curve === undefined) return;
      assert(curve.times.length <= stages + 1);
      assertEquals([curve.times[0], curve.times.at(-1)], [0, of.times.at(-1)]);
      assert(curve.rates.every((rate) => rate >= 0 && rate <= peak * 1.000001));
      for (const [i, time] of of.times.entries()) {
        assertLess(Math.abs(areaUntil(curve, time) - of.counts[i]), share * total * 1.000001);
      }
    }),
  );
});

Deno.test("fitRateCurve reproduces a piecewise linear rate within 0.2% of the requests", () => {
  const rate = (t: number) =>
    t < 400 ? 10 + t / 10 : t < 700 ? 50 : Math.max(0, 50 - (t - 700) / 2);
  const perSecond = Array.from({ length: 1_000 }, (_, t) => Math.round(rate(t + 0.5)));
  const profile = profileOf(perSecond);
  const curve = fitRateCurve(profile, 5);
  assertLess(maximumDeviation(profile, curve), profile.requests * 0.002);
});

/** Generates the requests per second of a log in which most seconds have no requests. */
const sparse = fc.array(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 9), { maxLength: 500 });
const bursty = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 12 }), fc.nat(60)),
  { maxLength: 12 },
).map((bursts) =>
  bursts.flatMap(([idle, busy, rate]) => [...Array(idle).fill(0), ...Array(busy).fill(rate)])
);
const constant = fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 5_000 }))
  .map(([seconds, rate]) => Array<number>(seconds + 1).fill(rate));
const busy = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 600 });
const trimmed = fc.oneof(sparse, bursty, busy).map((counts) => [1, ...counts, 1]);
/** Requests per second of a log that is idle for `idle` seconds after second `idleAfter`. */
interface LogWithIdle {
  readonly counts: readonly number[];
  readonly idleAfter: number;
  readonly idle: number;
}

const logs: fc.Arbitrary<LogWithIdle> = fc.record({
  counts: fc.oneof(constant, trimmed),
  idleAfter: fc.nat(600),
  idle: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2_600_000 })),
});

function profileWithIdle({ counts, idleAfter, idle }: LogWithIdle): TrafficProfile {
  const profile = new TrafficProfile();
  profile.requests = counts.reduce((sum, count) => sum + count, 0);
  for (const [i, count] of counts.entries()) {
    if (count > 0) profile.seconds.add(1_000 + i + (i > idleAfter ? idle : 0), count);
  }
  return profile;
}

/**
 * Asserts that the curve has at most `stages` stages, lasts as long as the log, and exceeds neither
 * the log's peak rate nor its number of requests. A stage may send at most twice the requests of
 * the log's busiest period of the same length.
 */
function assertBelowLog(profile: TrafficProfile, curve: RateCurve, stages: number): void {
  const { times, rates } = curve;
  const { seconds, peak } = profile.span()!;
  assert(times.length >= 2 && times.length <= stages + 1);
  assertEquals([times[0], times.at(-1)], [0, seconds]);
  assert(rates.every((rate) => rate >= 0 && rate <= peak), `${rates}, peak ${peak}`);
  assert(times[1] > 0 && times.at(-2)! < seconds);
  const sent = areaUntil(curve, seconds);
  assert(sent <= profile.requests * (1 + 1e-7) && sent > profile.requests * 0.995, `${sent}`);
  for (let i = 1; i < times.length; i++) {
    const length = times[i] - times[i - 1];
    assert(length >= 0);
    assert(length > 0 || times[i - 1] > times[i - 2], "one stage of 0 seconds after another");
    const area = length * (rates[i] + rates[i - 1]) / 2;
    const most = busiestWindow(profile, Math.max(1, Math.ceil(length)));
    assert(area <= 2 * most * (1 + 1e-6), `stage ${i} sends ${area}, busiest window ${most}`);
  }
}

function busiestWindow(profile: TrafficProfile, seconds: number): number {
  const window: [second: number, count: number][] = [];
  let [sum, most] = [0, 0];
  profile.forEachSecond((second, count) => {
    window.push([second, count]);
    sum += count;
    while (window[0][0] <= second - seconds) sum -= window.shift()![1];
    most = Math.max(most, sum);
  });
  return most;
}

Deno.test("a curve from fitRateCurve sends the log's requests at rates up to the log's peak", () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 1, max: 30 }), (log, stages) => {
      const profile = profileWithIdle(log);
      assertBelowLog(profile, fitRateCurve(profile, stages), stages);
    }),
    COSTLY,
  );
});

Deno.test("a curve from findRateCurve sends the log's requests at rates up to the log's peak", () => {
  fc.assert(
    fc.property(logs, fc.double({ min: 0.001, max: 0.5, noNaN: true }), (log, share) => {
      const profile = profileWithIdle(log);
      const curve = findRateCurve(profile, 100, share * profile.requests);
      if (curve !== undefined) assertBelowLog(profile, curve, 100);
    }),
    COSTLY,
  );
});

Deno.test("the last stage of a curve does not make up for requests that other stages omit", () => {
  const profile = readLines(Deno.readFileSync(REAL), COMBINED);
  for (const stages of [1, 5, 30]) assertBelowLog(profile, fitRateCurve(profile, stages), stages);
});

Deno.test("fitRateCurve throws for 0 stages", () => {
  assertThrows(() => fitRateCurve(profileOf([1, 2]), 0), RangeError, "without stages");
});

function assertFollows(profile: TrafficProfile, most: number): void {
  const curve = fitRateCurve(profile, 30);
  assert(curve.times.length <= 31);
  assert(curve.rates.every((rate) => rate >= 0));
  assertLess(maximumDeviation(profile, curve), profile.requests * most);
}

Deno.test("a plan with 30 stages sends as many requests as its log, within 0.5%, for any log", () => {
  const logs = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 600 })
    .map((counts) => [1, ...counts, 1]);
  fc.assert(
    fc.property(logs, (perSecond) => {
      const profile = profileOf(perSecond);
      const { plan } = convertAccessLog(profile, { top: 20, load: { stages: 30 } });
      const scenario = plan.scenarios.replayed_traffic;
      const arrivals = arrivalsOf(scenario);
      assertAlmostEquals(arrivals.count, profile.requests, profile.requests * 0.005 + 1);
      assertAlmostEquals(arrivals.durationMs, perSecond.length * 1_000, 1e-6);
    }),
    COSTLY,
  );
});

Deno.test("fitRateCurve fits one empty stage between two bursts, however far apart", () => {
  for (
    const [before, after, apart] of [[999, 1, 3_600], [500, 500, 2_592_000], [1, 1, 2_207_520_000]]
  ) {
    const profile = new TrafficProfile();
    profile.requests = before + after;
    profile.seconds.add(1_000, before);
    profile.seconds.add(1_000 + apart, after);
    const curve = fitRateCurve(profile, 30);
    const { times, rates } = curve;
    const isIdle = (i: number) => rates[i] === 0 && rates[i + 1] === 0;
    const idle = times.flatMap((time, i) => isIdle(i) ? [[time, times[i + 1]]] : []);
    assertEquals(idle, [[1, apart]]);
    assert(Math.max(...rates) <= Math.max(before, after));
    for (const [time, count] of [[1, before], [apart, before], [apart + 1, before + after]]) {
      assertAlmostEquals(areaUntil(curve, time), count, count * 1e-5);
    }
  }
});

Deno.test("the engine's arrivals follow a diurnal rate curve within 1% of the day's requests", () => {
  const perSecond = Array.from(
    { length: 86_400 },
    (_, t) => Math.round(3 * (1 - Math.cos(2 * Math.PI * t / 86_400))) + (t % 7 === 0 ? 1 : 0),
  );
  perSecond[0] = 1;
  const profile = profileOf(perSecond);
  const { plan } = convertAccessLog(profile, { top: 20, load: { stages: 30 } });
  const scenario = plan.scenarios.replayed_traffic;
  const arrivals = arrivalsOf(scenario);
  let due = 0;
  let sum = 0;
  for (const [t, count] of perSecond.entries()) {
    while (due < arrivals.count && arrivals.dueAt(due) < t * 1_000) due++;
    assertLess(Math.abs(due - sum), profile.requests * 0.01);
    sum += count;
  }
});

function arrivalsOf(scenario: Scenario): Arrivals {
  if (scenario.executor !== "ramping-arrival-rate") throw new Error(scenario.executor);
  const { start_rate, stages } = scenario;
  let from = (start_rate ?? 0) / 1_000;
  return new Arrivals(stages.map(({ duration, target }) => {
    const stage = { durationMs: durationMs(duration)!, from, to: target / 1_000 };
    from = stage.to;
    return stage;
  }));
}

function scanned(chunks: Iterable<Uint8Array>): TrafficProfile {
  const profile = new TrafficProfile();
  const scanner = new LogScanner(profile, COMBINED);
  for (const chunk of chunks) scanner.scan(chunk);
  scanner.finish();
  return profile;
}

Deno.test("the curve from fitRateCurve deviates from a generated diurnal log by at most 1% of the log's requests", () => {
  assertFollows(scanned(makeLog({ bytes: 30_000_000, seed: 1, diurnal: true })), 0.01);
});

/**
 * Filters that leave only bursty traffic: a few hundred requests over several days. A curve of 30
 * stages may deviate from such traffic by more than 1%.
 */
const BURSTY: readonly [name: string, options: FilterOptions][] = [
  ["everything", {}],
  ["what was not found", { statuses: ["404"] }],
  ["people's pages", { noBots: true, noStatic: true }],
];

const REAL = new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url);

for (
  const url of [
    REAL,
    ...sharedFiles("logs").filter(({ pathname }) =>
      !REAL.pathname.endsWith(pathname.split("/").at(-1)!)
    ),
  ]
) {
  for (const [name, options] of BURSTY) {
    Deno.test(`fitRateCurve follows ${name} in ${url.pathname.split("/").at(-1)} with at most 1.2 times the deviation of the best curve on a grid`, () => {
      const profile = readLines(Deno.readFileSync(url), COMBINED, {
        filters: buildFilters(options),
      });
      if (profile.requests < 100) return;
      const found = maximumDeviation(profile, fitRateCurve(profile, 30));
      if (found < profile.requests * 0.01) return;
      const points = samplePoints(profile, 300);
      const times = new Set(samplePoints(profile, 60));
      const of = cumulativeAt(profile, points);
      const grid = {
        points: [...points.keys()].filter((i) => times.has(points[i])),
        rates: gridRates(of, 28),
      };
      assertLess(found, leastOnGrid(of, 30, grid, found).least * 1.2);
    });
  }
}

const HIGHEST = 100;
/** Generates curves whose stages last whole seconds and have a mean rate of at most `HIGHEST`. */
const curves = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 2 * HIGHEST })),
  { minLength: 1, maxLength: 8 },
).chain((stages) =>
  fc.integer({ min: 0, max: 2 * HIGHEST }).map((start) => {
    const curve = { times: [0], rates: [start] };
    for (const [seconds, rate] of stages) {
      curve.times.push(curve.times.at(-1)! + seconds);
      curve.rates.push(Math.min(rate, 2 * HIGHEST - curve.rates.at(-1)!));
    }
    return curve;
  })
);

Deno.test("clipRate limits the rate and keeps the number of requests of each stage", () => {
  fc.assert(
    fc.property(curves, (curve) => {
      const clipped = clipRate(curve, HIGHEST);
      assert(clipped.rates.every((rate) => rate >= 0 && rate <= HIGHEST));
      for (const time of curve.times) {
        const exact = areaUntil(curve, time);
        const area = areaUntil(clipped, time);
        // At most a millisecond of each stage is lost.
        assert(area <= exact + 1e-6 && area >= exact - 8 * HIGHEST / 1_000, `${area}, ${exact}`);
      }
    }),
  );
});

Deno.test("clipRate replaces a ramp from twice the limit to 0 with a flat stage and a sudden drop", () => {
  const curve = { times: [0, 1, 10], rates: [200, 0, 0] };
  assertEquals(clipRate(curve, 100), { times: [0, 1, 1, 10], rates: [100, 100, 0, 0] });
});

Deno.test("mergeStages removes stages of 0 seconds at the start, at the end and after another such stage", () => {
  assertEquals(
    mergeStages({ times: [0, 0, 5, 5, 5, 9, 9], rates: [3, 1, 2, 8, 4, 6, 7] }),
    { times: [0, 5, 5, 9], rates: [1, 2, 4, 6] },
  );
});

Deno.test("mergeStages merges consecutive stages of the same rate", () => {
  assertEquals(
    mergeStages({ times: [0, 2, 4, 4, 6, 8], rates: [5, 5, 5, 9, 9, 9] }),
    { times: [0, 4, 4, 8], rates: [5, 5, 9, 9] },
  );
});

Deno.test("mergeStages returns a single stage unchanged", () => {
  assertEquals(mergeStages({ times: [0, 1], rates: [7, 7] }), { times: [0, 1], rates: [7, 7] });
});

type Counts = readonly (readonly [second: number, requests: number])[];

function profileOfCounts(counts: Counts): TrafficProfile {
  const profile = new TrafficProfile();
  profile.requests = counts.reduce((sum, [, count]) => sum + count, 0);
  for (const [second, count] of counts) profile.seconds.add(1_000 + second, count);
  return profile;
}

function follow(
  profile: TrafficProfile,
  { stages = 30, speed = 1, stretch = 1 }: {
    stages?: number | "auto";
    speed?: number;
    stretch?: number;
  } = {},
) {
  const span = profile.span()!;
  const { arrival, note } = followCurve(profile, span, {
    stages,
    scale: speed,
    stretch,
    speed,
    scenario: "s",
  });
  if (arrival.executor !== "ramping-arrival-rate") throw new Error(arrival.executor);
  const targets = [arrival.start_rate!, ...arrival.stages.map(({ target }) => target)];
  const seconds = arrival.stages.map(({ duration }) => durationMs(duration)! / 1_000);
  return { targets, seconds, note, peak: span.peak * speed, duration: span.seconds * stretch };
}

Deno.test("a plan's rate never exceeds the log's peak rate, at any speed and duration", () => {
  const counts = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 50 })),
    { minLength: 1, maxLength: 40 },
  ).map((list) => {
    let second = 0;
    return list.map(([idle, count]) => [second += idle, count] as const);
  });
  const speeds = fc.constantFrom(1, 0.01, 2.5, 6_000);
  fc.assert(
    fc.property(counts, speeds, fc.constantFrom(1, 0.5, 1e-4, 10), (counts, speed, stretch) => {
      const { targets, seconds, peak, duration } = follow(profileOfCounts(counts), {
        speed,
        stretch,
      });
      assert(targets.length >= 2 && targets.length <= 31);
      assert(targets.every((rate) => rate >= 0 && rate <= peak * (1 + 1e-12)), `${targets}`);
      const total = seconds.reduce((sum, length) => sum + length, 0);
      assertAlmostEquals(total, duration, 0.001);
      assert(seconds[0] > 0 && seconds.at(-1)! > 0, `${seconds}`);
      assert(seconds.every((length, i) => length > 0 || seconds[i - 1] > 0), `${seconds}`);
    }),
    COSTLY,
  );
});

Deno.test("a plan keeps one-second bursts that `--duration` shortens to less than a millisecond", () => {
  const stretch = 1 / 10_000;
  const profile = profileOfCounts([[0, 500], [3_600, 400], [7_200, 300]]);
  const { targets, seconds, note } = follow(profile, { stretch });
  const sent = seconds.reduce(
    (sum, length, i) => sum + length * (targets[i] + targets[i + 1]) / 2,
    0,
  );
  assertAlmostEquals(sent, 1_200 * stretch, 1_200 * stretch / 100);
  assertMatch(note.message, /the highest rate is 500.00 req\/s/);
});

Deno.test("a one-second plan has a constant rate", () => {
  for (const count of [1, 10]) {
    const { targets, seconds } = follow(profileOfCounts([[0, count]]));
    assertEquals([targets, seconds], [[count, count], [1]]);
  }
});

Deno.test("a plan for three requests in four days has a rate of at most 1 request per second", () => {
  for (const stages of [1, 2, 3, 30]) {
    const { targets, seconds } = follow(profileOfCounts([[0, 1], [100_000, 1], [345_600, 1]]), {
      stages,
    });
    assert(targets.every((rate) => rate >= 0 && rate <= 1), `${targets}`);
    const sent = seconds.reduce(
      (sum, length, i) => sum + length * (targets[i] + targets[i + 1]) / 2,
      0,
    );
    assert(sent > 2.99 && sent <= 3, `${sent}`);
  }
});

/** Returns the requests per second of a log with `bursts` hourly bursts of 20 requests each. */
const hourly = (bursts: number): Counts =>
  Array.from(
    { length: bursts },
    (_, hour) => Array.from({ length: 20 }, (_, i) => [hour * 3_600 + i, 1] as const),
  ).flat();

Deno.test("`curve-fit` suggests `--stages auto` if the resulting curve follows the log", () => {
  const real = readLines(
    Deno.readFileSync(
      new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url),
    ),
    COMBINED,
  );
  for (const profile of [real, profileOfCounts(hourly(60))]) {
    for (const stages of [5, 30]) {
      const { note } = follow(profile, { stages });
      assertEquals(note.level, "warning");
      assertMatch(note.message, /\(the curve smooths out bursts; `--stages auto` follows them\)/);
    }
    const { note, targets, peak } = follow(profile, { stages: "auto" });
    const isBelowHalf = peak > 2 * Math.max(...targets, 1);
    assertEquals(note.level, isBelowHalf ? "warning" : "info");
    assertEquals(note.message.includes("`--shape exact`"), isBelowHalf);
    assert(targets.length - 1 > 30 && targets.length - 1 <= 480);
    const [, share] = /; ([\d.]+)% of the plan's requests/.exec(note.message)!;
    assert(Number(share) <= 20, note.message);
    assert(Math.max(...targets) <= peak);
  }
});

Deno.test("`curve-fit` suggests `--busiest` if no curve follows the log", () => {
  const profile = profileOfCounts(hourly(700));
  for (const stages of [30, "auto"] as const) {
    const { note } = follow(profile, { stages });
    assertEquals(note.level, "warning");
    assertMatch(
      note.message,
      /\(found no curve of at most 480 stages that follows the bursts of this log: keep its busiest part with `--busiest 1h`\)$/,
    );
  }
});

Deno.test("`curve-fit` compares the plan's highest rate with the log's peak rate multiplied by `--speed`", () => {
  const { note } = follow(profileOfCounts([[0, 3], [1, 3], [2, 3]]), { speed: 4 });
  assertEquals(note.level, "info");
  assertMatch(
    note.message,
    /; the highest rate is 12.00 req\/s, and 4 times the log's peak is 12.00 req\/s$/,
  );
});
