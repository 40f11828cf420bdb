import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { logLine } from "../../../builders/log_line.ts";
import fc from "fast-check";
import { durationMs } from "../../../../src/base/duration.ts";
import { cluster, edits } from "../../../../src/convert/accesslog/visits/cluster.ts";
import { buildMix } from "../../../../src/convert/accesslog/visits/mix.ts";
import { pauseLike } from "../../../../src/convert/accesslog/visits/pause_like.ts";
import { buildVisitPatterns } from "../../../../src/convert/accesslog/visits/visit_patterns.ts";
import { convertAccessLog } from "../../../../src/convert/from_accesslog.ts";
import type { ThinkTime } from "../../../../src/plan/kinds/steps/think_time.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import { Visits } from "../../../../src/traffic/accesslog/collect/visits/visits.ts";
import {
  adjustedRandIndex,
  generateVisits,
  type VisitKind,
} from "../../../builders/generated_visits.ts";
import { runInVirtualTime } from "../../../support/run_in_virtual_time.ts";
import { readLines } from "../../../support/read_lines.ts";

const KINDS: readonly VisitKind[] = [
  { probability: 0.35, pause: 12, paths: ["/", "/search", "/products/tea", "/cart", "/checkout"] },
  { probability: 0.25, pause: 30, paths: ["/", "/blog", "/blog/a", "/blog/b"] },
  {
    probability: 0.2,
    pause: 5,
    paths: ["/login", "/account", "/account/orders", "/account/logout"],
  },
  {
    probability: 0.12,
    pause: 8,
    paths: ["/", "/search", "/products/tea", "/products/cup", "/cart", "/checkout", "/thanks"],
  },
  {
    probability: 0.08,
    pause: 60,
    paths: Array.from({ length: 15 }, (_, i) => `/lesson/part-${i}.html`),
  },
];

function read(log: string) {
  const visits = new Visits();
  const bytes = new TextEncoder().encode(log);
  return { visits, profile: readLines(bytes, COMBINED, { collectors: [visits] }) };
}

function rangeOf(pause: ThinkTime): [min: number, max: number] {
  if (typeof pause !== "object" || pause.type !== "uniform") throw new Error("no uniform pause");
  return [durationMs(pause.min)!, durationMs(pause.max)!];
}

for (const noise of [0, 0.1]) {
  Deno.test(`visits of the same kind are grouped together if ${noise * 100}% of their requests are noise`, () => {
    const made = generateVisits(KINDS, 3_000, noise, 5);
    const { visits } = read(made.log);
    const { sequences, visits: count } = visits.finish();
    assert(count <= 3_000);
    const clusters = cluster(sequences.filter(({ steps }) => steps.length > 1));
    const pathsOf = (steps: readonly number[]) =>
      steps.map((step) => visits.endpoint(step).replace("GET ", "")).join(" ");
    const group = new Map(
      clusters.flatMap(({ members }, i) =>
        members.map(({ steps }) => [pathsOf(steps), i] as const)
      ),
    );
    const found = made.visits.map(({ paths }) => group.get(paths.join(" ")) ?? -1);
    const index = adjustedRandIndex(made.visits.map(({ kind }) => kind), found);
    assert(index >= 0.9, String(index));
    for (const { paths, probability } of KINDS) {
      const [{ members }] = clusters.filter(({ leader }) =>
        pathsOf(leader.steps) === paths.join(" ")
      );
      const visits = members.reduce((sum, { count }) => sum + count, 0);
      assertAlmostEquals(visits / made.visits.length, probability, 0.04);
    }
    assertEquals(clusters.length, KINDS.length);
  });
}

Deno.test("a visit-based plan requests each endpoint about as often as the log contains it", async () => {
  const made = generateVisits(KINDS, 1_500, 0.1, 9, 1_500);
  const { visits, profile } = read(made.log);
  const { plan, notes } = convertAccessLog(profile, { top: 60, baseUrl: "http://t", visits });
  assert(notes.some(({ code }) => code === "journeys"));
  const { sent } = await runInVirtualTime(plan);
  // Patterns of 1 to 15 requests are drawn by weight, so the standard deviation is 2%.
  assertAlmostEquals(sent.length, profile.requests, profile.requests * 0.06);
  const shares = new Map<string, number>();
  for (const { target } of sent) shares.set(target, (shares.get(target) ?? 0) + 1 / sent.length);
  for (const { route, count } of profile.top(60)) {
    assertAlmostEquals(shares.get(route) ?? 0, count / profile.requests, 0.02, route);
  }
});

Deno.test("a visit-based plan keeps the order of the requests in a visit and the pauses between them", () => {
  const { visits, profile } = read(generateVisits(KINDS, 500, 0, 2).log);
  const { plan } = convertAccessLog(profile, { top: 60, visits });
  const [step] = plan.scenarios.replayed_traffic.flow;
  const [first] = step.random!.choices;
  const requested = first.steps.flatMap(({ request }) =>
    request === undefined ? [] : [request.url]
  );
  assertEquals(requested, [...KINDS[0].paths]);
  const pauses = first.steps.flatMap(({ think_time: pause }) => pause === undefined ? [] : [pause]);
  assertEquals(pauses.length, KINDS[0].paths.length - 1);
  for (const pause of pauses) {
    const [min, max] = rangeOf(pause);
    assertAlmostEquals((min + max) / 2, 12_000, 1_000);
    assertAlmostEquals(max - min, 12_000, 2_000);
  }
});

Deno.test("a visit ends after 30 idle minutes, even if lines are out of order", () => {
  const line = (time: string, path: string) =>
    `10.0.0.1 - - [21/Nov/2026:${time} +0000] "GET ${path} HTTP/1.1" 200 1 "-" "b"\n`;
  const { visits } = read([
    line("10:00:00", "/a"),
    line("10:29:59", "/b"),
    line("10:29:50", "/c"),
    line("11:00:00", "/d"),
  ].join(""));
  const { sequences, visits: count } = visits.finish();
  assertEquals(count, 2);
  // A visit of one request has no sequence.
  assertEquals(sequences.map(({ steps }) => steps.length), [3]);
  assertEquals(sequences[0].pauses.map(({ sum }) => sum), [1_790_000, 9_000]);
});

Deno.test("the requests of a visit are sorted by time, so that out-of-order lines do not distort the pauses", () => {
  const line = (client: string, seconds: number, path: string) =>
    `${client} - - [21/Nov/2026:10:00:${String(seconds).padStart(2, "0")} +0000] ` +
    `"GET ${path} HTTP/1.1" 200 5 "-" "A"\n`;
  const { visits } = read([
    line("10.0.0.1", 25, "/cart"),
    line("10.0.0.1", 5, "/"),
    line("10.0.0.1", 15, "/search"),
    line("10.0.0.1", 15, "/tea"),
    line("10.0.0.2", 5, "/"),
    line("10.0.0.2", 15, "/search"),
    line("10.0.0.2", 15, "/tea"),
    line("10.0.0.2", 25, "/cart"),
  ].join(""));
  const { sequences } = visits.finish();
  assertEquals(
    sequences.map(({ steps, count }) => [steps.map((step) => visits.endpoint(step)), count]),
    [[["GET /", "GET /search", "GET /tea", "GET /cart"], 2]],
  );
  assertEquals(sequences[0].pauses.map(({ sum }) => sum / 2), [10_000, 0, 10_000]);
});

Deno.test("a visit with out-of-order lines is the same even if its lines are split across several profiles", () => {
  const times = [40, 10, 30, 20, 0, 50];
  const lines = times.map((second) =>
    `10.0.0.1 - - [21/Nov/2026:10:00:${String(second).padStart(2, "0")} +0000] ` +
    `"GET /p${"abcdef"[second / 10]} HTTP/1.1" 200 5 "-" "A"\n`
  );
  const whole = new Visits();
  for (const part of [lines.slice(0, 2), lines.slice(2, 4), lines.slice(4)]) {
    const json = JSON.stringify(read(part.join("")).visits.toJson());
    whole.merge(whole.fromJson(JSON.parse(json)));
  }
  const [{ steps, pauses }] = whole.finish().sequences;
  assertEquals(
    steps.map((step) => whole.endpoint(step)),
    ["GET /pa", "GET /pb", "GET /pc", "GET /pd", "GET /pe", "GET /pf"],
  );
  assertEquals(pauses.map(({ sum }) => sum), new Array(5).fill(10_000));
});

/** Returns a log of requests from one client at the given hours of a day. */
function atHours(hours: readonly number[]): string {
  return hours.map((hour) => logLine({ at: Date.UTC(2026, 10, 21) + hour * 3_600_000 })).join("");
}

Deno.test("Visits counts requests dated more than 30 minutes before the visitor's preceding request, in logs and in merged profiles", () => {
  const cases: readonly [hours: readonly number[][], unsorted: number][] = [
    // In chronological order, or nearly.
    [[[8, 9, 10], [11, 12, 20]], 0],
    [[[8, 8.1, 8.05, 9, 8.95, 9.2], [9.1]], 0],
    // The logs of servers that share the visitor.
    [[[8, 10, 12], [8.2, 10.2, 12.2]], 1],
    [[[8, 10, 12], [8.2, 10.2, 12.2], [8.1, 8]], 2],
    [[[8, 8.2, 8.4], [7.8, 8.1, 8.3]], 1],
    // Rotated logs in the wrong order.
    [[[20, 21, 22], [10, 11, 12], [15, 16, 17], [1, 2, 3]], 2],
  ];
  for (const [parts, unsorted] of cases) {
    const whole = read(parts.map(atHours).join(""));
    assertEquals(whole.visits.finish().unsorted, unsorted, JSON.stringify(parts));
    const profiles = new Visits();
    for (const part of parts) {
      const json = JSON.stringify(read(atHours(part)).visits.toJson());
      profiles.merge(profiles.fromJson(JSON.parse(json)));
    }
    assertEquals(profiles.finish().unsorted, unsorted, JSON.stringify(parts));
  }
});

Deno.test("`edits` returns the Levenshtein distance", () => {
  const sequence = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 8 });
  const slow = (a: readonly number[], b: readonly number[]): number => {
    if (a.length === 0 || b.length === 0) return a.length + b.length;
    const changed = slow(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
    return Math.min(changed, slow(a.slice(1), b) + 1, slow(a, b.slice(1)) + 1);
  };
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 5 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 5 }),
      fc.integer({ min: 0, max: 6 }),
      (a, b, most) => assertEquals(edits(a, b, most), Math.min(slow(a, b), most + 1)),
    ),
  );
  fc.assert(fc.property(sequence, (a) => assertEquals(edits(a, a, 3), 0)));
});

Deno.test("a mix from buildMix requests every endpoint exactly as often as the log contains it", () => {
  const pattern = fc.record({
    steps: fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 2, maxLength: 5 }),
    visits: fc.integer({ min: 1, max: 1_000 }),
  });
  const requests = fc.record({
    a: fc.integer({ min: 1, max: 2_000 }),
    b: fc.integer({ min: 1, max: 2_000 }),
    c: fc.integer({ min: 1, max: 2_000 }),
    d: fc.integer({ min: 1, max: 2_000 }),
  });
  fc.assert(fc.property(fc.array(pattern, { maxLength: 4 }), requests, (patterns, counts) => {
    const mix = buildMix(patterns, new Map(Object.entries(counts)));
    for (const [endpoint, count] of Object.entries(counts)) {
      const sent = patterns.reduce(
        (sum, { steps }, i) =>
          sum + mix.patterns[i] * steps.filter((step) => step === endpoint).length,
        0,
      );
      assertEquals(sent + (mix.singles.get(endpoint) ?? 0), count);
    }
  }));
});

Deno.test("pauseLike keeps the mean of the pauses and, if possible, their spread", () => {
  assertEquals(pauseLike({ sum: 400, squares: 200_000 }, 1), []);
  assertEquals(pauseLike({ sum: 2_000, squares: 4_000_000 }, 1), [
    { think_time: { type: "constant", duration: "2000ms" } },
  ]);
  const [step] = pauseLike({ sum: 30_000, squares: 30_000 ** 2 * 2 }, 1);
  assertEquals(rangeOf(step.think_time!), [0, 60_000]);
});

Deno.test("Visits limits the number of sequences in memory for any log", () => {
  const limits = { visitors: 1e9, endpoints: 1e9, sequences: 2_000, cells: 1e9 };
  const visits = new Visits(limits);
  const lines: string[] = [];
  for (let i = 0; i < 9_000; i++) {
    // A third of the visits have the same sequence. All others have a separate one.
    const page = i % 3 === 0 ? "common" : `rare-${i}`;
    for (const path of ["/a", `/${page}.html`]) {
      lines.push(
        `10.0.${i >> 8}.${i & 255} - - [21/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1\n`,
      );
    }
  }
  readLines(new TextEncoder().encode(lines.join("")), COMBINED, { collectors: [visits] });
  const { sequences, visits: count, left, oneIn } = visits.finish();
  assert(sequences.length > 500 && sequences.length <= 2_000);
  assertEquals(oneIn, 4);
  assertEquals(sequences.reduce((sum, one) => sum + one.count, left), count);
  assertAlmostEquals(count, 9_000, 9_000 * 0.06);
  assertAlmostEquals(sequences[0].count, 3_000, 3_000 * 0.1);
});

Deno.test("`one-client` warns if all requests have the same client", () => {
  const notesOf = (...clients: string[]) => {
    const log = clients.map((client, i) =>
      `${client} - - [21/Nov/2026:10:00:0${i} +0000] "GET /a HTTP/1.1" 200 5\n`
    ).join("");
    const { visits, profile } = read(log);
    const { notes } = convertAccessLog(profile, { top: 20, visits });
    return notes.filter(({ code }) => code === "one-client").map(({ message }) => message);
  };
  assertEquals(notesOf("10.0.0.1", "10.0.0.2", "10.0.0.1"), []);
  const [warning, ...others] = notesOf("10.0.0.1", "10.0.0.1", "10.0.0.1");
  assertStringIncludes(
    warning,
    "all requests in the log have the same client address, 10.0.0.1, so",
  );
  assertEquals(others, []);
});

Deno.test("the `journeys` note states the percentage of multi-request visits that the plan's visit patterns cover", () => {
  const { log } = generateVisits(KINDS, 600, 0.1, 7);
  const { visits, profile } = read(log);
  const whole = visits.finish().sequences.filter(({ steps }) => steps.length > 1)
    .reduce((sum, { count }) => sum + count, 0);
  const { patterns, notes } = buildVisitPatterns(visits, profile.top(Infinity), 20);
  const weights = patterns.reduce((sum, { weight }) => sum + weight, 0);
  assert(weights < whole);
  const share = (weights / whole * 100).toFixed(1);
  assertStringIncludes(notes[0].message, `${share}% of ${whole} visits with several requests`);
});
