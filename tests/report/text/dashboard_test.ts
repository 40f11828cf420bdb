import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { textWidth, UNSAFE } from "../../../src/base/safe_text.ts";
import { dashboard, type LiveState } from "../../../src/report/text/dashboard.ts";
import { Histogram } from "../../../src/base/histogram.ts";
import type { Progress } from "../../../src/engine/progress.ts";
import { style } from "../../../src/report/text/print_blocks.ts";
import { manyThresholds, progressAt, scenarioProgress } from "../../builders/progress.ts";
import { BUSY } from "../../builders/summary.ts";

const STATE: LiveState = {
  name: "demo shop",
  progress: progressAt(12_000),
  recent: BUSY.timeline,
  note: "Ctrl-C ends the run gracefully",
};

function drawn(columns: number, rows: number, state: LiveState = STATE): string[] | undefined {
  return dashboard(state, { columns, rows }, style(false, columns));
}

Deno.test("dashboard shows metrics, thresholds and scenarios in a window of 80 x 24", () => {
  assertEquals(drawn(80, 24)!.map((line) => line.trimEnd()).join("\n"), EXPECTED.slice(1, -1));
});

const EXPECTED = `
 demo shop                                                    12s of 1m30s  13%
 ━━━━━━━━━━────────────────────────────────────────────────────────────────────

          last second     so far                                       last 10s
 Iterations      47/s  of 50/s        500                            ██████████
 Requests        47/s               1,000                            ██████████
 Failed         0.00%               2.00%
 p50              4ms               4.5ms                            ██████████
 p95             20ms                21ms                            ██████████
 p99             48ms                50ms                            ██████████
 VUs               12                                                ██████████
 Dropped            3                   3                                █

 Thresholds
 ✗  http_req_duration{name:POST /login}  p(95)<300       513ms
 ✓  http_req_duration                    p(95)<400      21.6ms
 ✓  http_req_failed                      rate<0.05       2.08%
 ✓  iterations                           count>400         497
 ✓  http_reqs{name:none}                 rate>1     no samples

 Scenarios
 browse  ━━━━━━━━━━━━━━───────────────  3 dropped  500 iterations  12 VUs   50%

 Ctrl-C ends the run gracefully
`;

/**
 * Returns details in which all requests to the named endpoints fail. Every second failure has a
 * message.
 */
function detailsOf(names: readonly string[], count = 500): Progress["details"] {
  const within = { scenario: "browse", group: "", method: "GET" };
  const histogram = new Histogram();
  histogram.record(95_000);
  const counts = { count, failed: count, bytes_sent: 0, bytes_received: 0, statuses: {} };
  return {
    checks: [],
    errors: [],
    groups: [],
    scenarios: [],
    endpoints: names.map((name) => ({ ...within, name, ...counts, histogram: histogram.data() })),
    failures: names.map((name, i) => ({
      ...within,
      name,
      count: count + i,
      ...(i % 2 === 0 ? { status: 503 } : { status: 0, kind: "timeout", message: name }),
    })),
  };
}

Deno.test("dashboard lists the failures and the slowest endpoints in the remaining rows", () => {
  const details = detailsOf(["GET /a", "GET /b", "GET /c"]);
  const progress = progressAt(12_000, { thresholds: [], details });
  const at = (rows: number, columns = 80) => drawn(columns, rows, { ...STATE, progress })!;
  const text = at(45).join("\n");
  assertStringIncludes(
    text,
    [
      " Failures",
      " ✗ 502  503      GET /c",
      " ✗ 501  timeout  GET /b  GET /b",
      " ✗ 500  503      GET /a",
    ].join("\n"),
  );
  assertStringIncludes(
    text,
    " Slowest endpoints\n GET /a  p95 95ms  500 requests  100.00% failed\n",
  );
  // In a small window, failures come before endpoints.
  const small = at(24);
  assert(small.includes(" Failures") && small.length <= 24, small.join("\n"));
  assertEquals(small.some((line) => line.startsWith(" Slowest")), false);
});

Deno.test("dashboard fits any window and contains only safe text", () => {
  const name = fc.string({ unit: ANY_CHARACTER, maxLength: 60 });
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 220 }),
    fc.integer({ min: 1, max: 60 }),
    fc.array(name, { maxLength: 30 }),
    fc.nat(30),
    name,
    fc.nat(),
    (columns, rows, names, thresholds, title, iterations) => {
      const lines = drawn(columns, rows, {
        ...STATE,
        name: title,
        progress: progressAt(12_000, {
          scenarios: names.map((name) =>
            scenarioProgress(name, { iterations, dropped: iterations })
          ),
          thresholds: manyThresholds(thresholds),
          details: detailsOf(names, iterations),
        }),
        note: title,
      });
      assertEquals(lines === undefined, columns < 60 || rows < 6);
      for (const line of lines ?? []) {
        assert(textWidth(line) < columns, JSON.stringify(line));
        assertEquals(line.replace(UNSAFE, ""), line);
      }
      assert((lines?.length ?? 0) <= rows);
    },
  ));
});

Deno.test("dashboard shows the number of hidden rows and lists failed thresholds first", () => {
  const scenarios = Array.from({ length: 15 }, (_, i) => scenarioProgress(`s${i}`));
  const progress = progressAt(12_000, { scenarios, thresholds: manyThresholds(9) });
  const lines = drawn(80, 24, { ...STATE, progress })!;
  assertEquals(lines.length, 24);
  assertEquals(lines.filter((line) => line.startsWith(" and ")), [" and 6 more", " and 14 more"]);
  assertStringIncludes(lines[14], "✗  http_req_duration{name:GET /2}");
  const all = drawn(200, 50, { ...STATE, progress })!.join("\n");
  assert(!all.includes(" more") && all.includes("✓  http_req_duration{name:GET /7}"), all);
});

Deno.test("dashboard wraps a long note, and states how many of the hidden thresholds failed", () => {
  const note = "Ctrl-C stops the run gracefully  Live view: http://127.0.0.1:6070/ and some words";
  const text = drawn(60, 24, { ...STATE, note })!.slice(-2).map((line) => line.trim()).join(" ");
  assertEquals(text.replace(/\s+/g, " "), note.replace(/\s+/g, " "));
  const thresholds = manyThresholds(90);
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const lines = drawn(80, 24, { ...STATE, progress: progressAt(12_000, { thresholds }) })!;
  const shown = lines.filter((line) => line.startsWith(" ✗")).length;
  assert(shown >= 12, lines.join("\n"));
  assertStringIncludes(lines.join("\n"), ` more, ${failed - shown} of them failed`);
});

Deno.test("dashboard omits open-model metrics for closed models, and response times if there are no requests", () => {
  const last = { ...BUSY.timeline[0], asked: 0, requests: 0 };
  const scenarios = [
    scenarioProgress("a", { executor: "constant-vus", dropped: 0 }),
    scenarioProgress("b", { executor: "constant-vus", state: "waiting", startMs: 30_000, done: 0 }),
    scenarioProgress("c", { executor: "constant-vus", state: "ended", done: 1, dropped: 0 }),
  ];
  const progress = progressAt(5_000, { last, scenarios, requests: 0, failed: 0, thresholds: [] });
  const text = drawn(80, 24, { ...STATE, progress })!.join("\n");
  assert(!/ of \d+\/s|Dropped|Thresholds/.test(text), text);
  assert(/p95 +– +–/.test(text), text);
  assert(/b +─+ +starts at 30s\n/.test(text), text);
  assert(/c +━+ +500 iterations {2}ended +100%\n/.test(text), text);
});

Deno.test("dashboard shows the planned time as a maximum if the run may end earlier", () => {
  const progress = progressAt(9_000, { done: 0.999 });
  assertStringIncludes(drawn(80, 24, { ...STATE, progress })![0], "9s of at most 1m30s  99%");
});

Deno.test("dashboard shows failed thresholds in windows of any height", () => {
  const thresholds = manyThresholds(12);
  const failed = thresholds.filter(({ passed }) => passed === false);
  for (let scenarios = 1; scenarios <= 4; scenarios++) {
    for (let rows = 6; rows <= 60; rows++) {
      const names = Array.from({ length: scenarios }, (_, i) => `scenario ${i}`);
      const lines = drawn(70, rows, {
        ...STATE,
        progress: progressAt(12_000, {
          scenarios: names.map((name) => scenarioProgress(name)),
          thresholds,
        }),
      })!;
      const where = `${rows} rows:\n${lines.join("\n")}`;
      assert(lines.length <= rows, where);
      const shown = lines.filter((line) => line.startsWith(" ✗")).length;
      assert(shown >= 1, where);
      if (rows >= 15) assertEquals(shown, failed.length, where);
      for (const title of [" Thresholds", " Scenarios"]) {
        const at = lines.indexOf(title);
        assert(at < 0 || !/^ and /.test(lines[at + 1]) && lines[at + 1] !== "", where);
      }
      assert(lines.some((line) => line.startsWith(" Iterations")), where);
    }
  }
});
