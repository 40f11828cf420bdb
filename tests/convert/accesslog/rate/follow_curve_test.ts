import { assert, assertAlmostEquals, assertEquals, assertMatch } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { durationMs } from "../../../../src/base/format.ts";
import { followCurve } from "../../../../src/convert/accesslog/rate/follow_curve.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { TrafficProfile } from "../../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { readLines } from "../../../support/read_lines.ts";

type Counts = readonly (readonly [second: number, requests: number])[];

function profileOf(counts: Counts): TrafficProfile {
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
      const { targets, seconds, peak, duration } = follow(profileOf(counts), { speed, stretch });
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
  const profile = profileOf([[0, 500], [3_600, 400], [7_200, 300]]);
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
    const { targets, seconds } = follow(profileOf([[0, count]]));
    assertEquals([targets, seconds], [[count, count], [1]]);
  }
});

Deno.test("a plan for three requests in four days has a rate of at most 1 request per second", () => {
  for (const stages of [1, 2, 3, 30]) {
    const { targets, seconds } = follow(profileOf([[0, 1], [100_000, 1], [345_600, 1]]), {
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
      new URL("../../../../testdata/logs/apache_combined_10k.log", import.meta.url),
    ),
    COMBINED,
  );
  for (const profile of [real, profileOf(hourly(60))]) {
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
  const profile = profileOf(hourly(700));
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
  const { note } = follow(profileOf([[0, 3], [1, 3], [2, 3]]), { speed: 4 });
  assertEquals(note.level, "info");
  assertMatch(
    note.message,
    /; the highest rate is 12.00 req\/s, and 4 times the log's peak is 12.00 req\/s$/,
  );
});
