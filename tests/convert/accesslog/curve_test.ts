import { assert, assertAlmostEquals, assertLess } from "@std/assert";
import fc from "fast-check";
import { makeLog } from "../../../scripts/make_log.ts";
import { fitCurve } from "../../../src/convert/accesslog/curve/fit_curve.ts";
import { nonNegativeSolution } from "../../../src/convert/accesslog/curve/nnls.ts";
import { curveOf, farthest } from "../../../src/convert/accesslog/curve/rate_curve.ts";
import { type Cumulative, fitRates } from "../../../src/convert/accesslog/curve/rate_fit.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { Arrivals } from "../../../src/engine/arrivals.ts";
import type { Scenario } from "../../../src/plan/schema/scenario.ts";
import { AccessLogScanner } from "../../../src/traffic/accesslog/scanner.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/traffic_profile.ts";
import { durationMs } from "../../../src/base/duration.ts";
import { sharedFiles } from "../../support/shared_data.ts";

/** Requests in each second, as the profile of a log that has them. */
function profileOf(perSecond: readonly number[]): TrafficProfile {
  const profile = new TrafficProfile();
  profile.tally.requests = perSecond.reduce((sum, count) => sum + count, 0);
  perSecond.forEach((count, i) => count > 0 && profile.tally.seconds.add(1_000 + i, count));
  return profile;
}

function cumulative(perStep: readonly number[]): Cumulative {
  const counts = perStep.reduce((sums, count) => [...sums, sums.at(-1)! + count], [0]);
  return { times: Float64Array.from(counts.keys()), counts: Float64Array.from(counts) };
}

/** The least error that `stages` stages can reach: every set of knots is tried. */
function leastError(of: Cumulative, stages: number): number {
  const last = of.times.length - 1;
  let best = Infinity;
  const extend = (knots: number[]) => {
    best = Math.min(best, fitRates(of, [...knots, last]).error);
    if (knots.length === stages) return;
    for (let next = knots.at(-1)! + 1; next < last; next++) extend([...knots, next]);
  };
  extend([0]);
  return best;
}

const steps = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 4, maxLength: 11 })
  .filter((counts) => counts[0] > 0 && counts.at(-1)! > 0);

Deno.test("the non-negative solution meets the conditions of optimality", () => {
  const matrix = fc.array(
    fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
      minLength: 4,
      maxLength: 4,
    }),
    { minLength: 6, maxLength: 6 },
  );
  const goal = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(fc.property(matrix, goal, (a, b) => {
    const at = (i: number, j: number) => a.reduce((sum, row) => sum + row[i] * row[j], 0);
    const gram = Float64Array.from({ length: 16 }, (_, k) => at(k >> 2, k & 3));
    const right = Float64Array.from(
      { length: 4 },
      (_, i) => a.reduce((sum, row, k) => sum + row[i] * b[k], 0),
    );
    const x = nonNegativeSolution(gram, right);
    const scale = 1e-4 * Math.max(1, ...right.map(Math.abs));
    for (let i = 0; i < 4; i++) {
      const slope = right[i] - x.reduce((sum, value, j) => sum + gram[i * 4 + j] * value, 0);
      assert(x[i] >= 0);
      assertLess(slope, scale);
      if (x[i] > 1e-6) assertLess(Math.abs(slope), scale);
    }
  }));
});

Deno.test("a fitted curve is within 2 % of the total of the best that its stages can do", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (perStep, stages) => {
      const of = cumulative(perStep);
      const { error } = fitCurve(of, stages);
      const distance = (squares: number) => Math.sqrt(squares / of.counts.length);
      assertLess(distance(error) - distance(leastError(of, stages)), of.counts.at(-1)! * 0.02);
    }),
    { numRuns: 60 },
  );
});

Deno.test("a rate that is made of straight pieces is found", () => {
  const rate = (t: number) =>
    t < 400 ? 10 + t / 10 : t < 700 ? 50 : Math.max(0, 50 - (t - 700) / 2);
  const perSecond = Array.from({ length: 1_000 }, (_, t) => Math.round(rate(t + 0.5)));
  const profile = profileOf(perSecond);
  const curve = curveOf(profile, 5);
  assertLess(farthest(profile, curve), profile.requests * 0.002);
});

function assertFollows(profile: TrafficProfile, most: number): void {
  const curve = curveOf(profile, 30);
  assert(curve.times.length <= 31);
  assert(curve.rates.every((rate) => rate >= 0));
  assertLess(farthest(profile, curve), profile.requests * most);
}

Deno.test("thirty stages follow any log, its total within 0.5 %", () => {
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
    { numRuns: 20 },
  );
});

Deno.test("the engine's arrivals follow a diurnal day within 1 % of its requests", () => {
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
  const scanner = new AccessLogScanner(profile.tally);
  for (const chunk of chunks) scanner.scan(chunk);
  scanner.finish();
  return profile;
}

Deno.test("thirty stages follow the generator's day within 1 %", () => {
  assertFollows(scanned(makeLog({ bytes: 30_000_000, seed: 1, diurnal: true })), 0.01);
});

Deno.test("thirty stages follow four days of a real site within 1 %", () => {
  const log = new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url);
  assertFollows(scanned([Deno.readFileSync(log)]), 0.01);
});

for (const url of sharedFiles("logs")) {
  Deno.test(`thirty stages follow ${url.pathname.split("/").at(-1)} within 1 %`, () => {
    assertFollows(scanned([Deno.readFileSync(url)]), 0.01);
  });
}
