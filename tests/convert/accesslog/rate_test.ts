import { assert, assertAlmostEquals, assertEquals, assertLess, assertMatch } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { durationMs } from "../../../src/base/format.ts";
import { followCurve } from "../../../src/convert/accesslog/rate/reproduce_rate.ts";
import { fitRateCurve } from "../../../src/convert/accesslog/rate/curve_within.ts";
import { areaReader, maximumDeviation } from "../../../src/convert/accesslog/rate/rate_curve.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { Arrivals } from "../../../src/engine/kinds/arrivals.ts";
import type { Scenario } from "../../../src/plan/kinds/executors.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { TrafficProfile } from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { readLines } from "../../support/read_lines.ts";

type Counts = readonly (readonly [second: number, requests: number])[];

function profileOfCounts(counts: Counts): TrafficProfile {
  const profile = new TrafficProfile();
  profile.requests = counts.reduce((sum, [, count]) => sum + count, 0);
  for (const [second, count] of counts) profile.seconds.add(1_000 + second, count);
  return profile;
}

/** Returns the profile of a log with the given number of requests in each second. */
function profileOf(perSecond: readonly number[]): TrafficProfile {
  return profileOfCounts([...perSecond.entries()].filter(([, count]) => count > 0));
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
    const profile = profileOfCounts([[0, before], [apart, after]]);
    const curve = fitRateCurve(profile, 30);
    const { times, rates } = curve;
    const isIdle = (i: number) => rates[i] === 0 && rates[i + 1] === 0;
    const idle = times.flatMap((time, i) => isIdle(i) ? [[time, times[i + 1]]] : []);
    assertEquals(idle, [[1, apart]]);
    assert(Math.max(...rates) <= Math.max(before, after));
    for (const [time, count] of [[1, before], [apart, before], [apart + 1, before + after]]) {
      assertAlmostEquals(areaReader(curve)(time), count, count * 1e-5);
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

const REAL = new URL("../../../testdata/logs/apache_combined_10k.log", import.meta.url);

Deno.test("fitRateCurve follows the bursts of a real log within 1% of its requests", () => {
  const profile = readLines(Deno.readFileSync(REAL), COMBINED);
  assertLess(maximumDeviation(profile, fitRateCurve(profile, 30)), profile.requests * 0.01);
});

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
  const real = readLines(Deno.readFileSync(REAL), COMBINED);
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
