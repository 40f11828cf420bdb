import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { Histogram } from "../../../src/base/histogram.ts";
import { encodeHistogram } from "../../../src/base/histogram_codec.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { TrendStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Ending, MergeFlaw } from "../../../src/engine/summary/codes.ts";
import { BUSY } from "../../builders/summary.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const START = Date.parse(BUSY.started_at);

/** Returns the statistics and the encoded histogram of the given durations in milliseconds. */
function times(ms: readonly number[]): { stats: TrendStats; histogram: string } {
  const histogram = new Histogram();
  for (const time of ms) histogram.record(time * 1_000);
  const at = (percent: number) => histogram.percentile(percent) / 1_000;
  const stats = {
    count: ms.length,
    avg: histogram.mean / 1_000,
    min: Math.min(...ms),
    med: at(50),
    max: Math.max(...ms),
    "p(90)": at(90),
    "p(95)": at(95),
    "p(99)": at(99),
    "p(99.9)": at(99.9),
  };
  return { stats, histogram: encodeHistogram(histogram) };
}

/** Changes to the summary of a shard that finished. */
interface ShardChanges extends Partial<Summary> {
  /** Start of the shard, in milliseconds after the default start. */
  readonly late?: number;
}

/** Creates the summary of a shard with `quick` requests of 10 ms and `slow` requests of 1 s. */
function shard(
  name: string,
  quick: number,
  slow: number,
  { late = 0, ...changes }: ShardChanges = {},
): Summary {
  const { stats, histogram } = times([
    ...new Array(quick).fill(10),
    ...new Array(slow).fill(1_000),
  ]);
  const count = quick + slow;
  const { duration_ms } = BUSY;
  const started_at = new Date(START + late).toISOString();
  const ending = changes.ending ?? "finished";
  return {
    ...BUSY,
    started_at,
    shards: [{ shard: name, started_at, duration_ms, ending }],
    passed: null,
    metrics: {
      http_req_duration: stats,
      http_reqs: { count, rate: count / 10 },
      http_req_failed: { value: 0, passes: 0, fails: count },
    },
    thresholds: [{
      metric: "http_req_duration",
      expression: "p(90)<500",
      passed: null,
      value: null,
      aborted: false,
    }],
    endpoints: [],
    scenarios: [],
    timeline: [],
    histograms: { ...BUSY.histograms, metrics: { http_req_duration: histogram } },
    ...changes,
  };
}

/** Merges summaries, keyed by file name. `./` in an option means their folder. */
async function merge(summaries: Record<string, unknown>, options = "") {
  using folder = new CliFolder(summaries);
  const files = Object.keys(summaries).map((name) => `./${name}`).join(" ");
  const outcome = await folder.run(`merge ${files}${options}`);
  const read = (name: string) => folder.names().includes(name) ? folder.read(name) : undefined;
  const written = read("out.json");
  return {
    ...outcome,
    written: written === undefined ? undefined : JSON.parse(written) as Summary,
    html: read("all.html"),
    junit: read("all.xml"),
  };
}

Deno.test("merge evaluates thresholds over the samples of all shards", async () => {
  // The shards have 100 quick and 8 slow requests, and 10 quick and 10 slow requests. In total, 18
  // of 128 are slow, so p90 is slow.
  const a = shard("1/2", 100, 8);
  const b = shard("2/2", 10, 10);
  const failed = await merge({ "a.json": a, "b.json": b }, " -o ./out.json");
  assertEquals(failed.code, 99, failed.stderr);
  assert(failed.stdout.includes("✗ FAILED 1 of 1 threshold"), failed.stdout);
  assertEquals(failed.stderr, "next: `rehearse report ./out.json -o report.html`\n");
  const { metrics, shards, thresholds } = failed.written!;
  assertEquals(shards.map(({ shard }) => shard), ["1/2", "2/2"]);
  assertEquals(metrics.http_reqs, { count: 128, rate: 128 / 10.034 });
  const all = times([...new Array(110).fill(10), ...new Array(18).fill(1_000)]);
  assertEquals(metrics.http_req_duration, all.stats);
  assertEquals(thresholds[0].value, all.stats["p(90)"]);
  const passed = await merge({ "a.json": shard("1/2", 100, 2), "b.json": shard("2/2", 4, 1) });
  assertEquals([passed.code, passed.written], [0, undefined]);
  assertStringIncludes(passed.stdout, "✓ PASSED 1 threshold");
});

Deno.test("merge exits as `run` does if outputs lost data", async () => {
  const lossy = { lossy_outputs: [{ name: "json a", written: 1, dropped: 2 }] };
  const of = async (changes: ShardChanges, slow = 1) => {
    const summaries = { "a.json": shard("1/2", 90, slow, changes), "b.json": shard("2/2", 90, 1) };
    return (await merge(summaries)).code;
  };
  assertEquals(await of({}), 0);
  assertEquals(await of(lossy), 1);
  assertEquals(await of(lossy, 90), 99);
});

Deno.test("merge rejects an incomplete run unless --allow accepts its flaws", async () => {
  const two = shard("2/2", 9, 0);
  const withTwo = (changes: ShardChanges) => (
    { "a.json": shard("1/2", 9, 0, changes), "b.json": two }
  );
  const cases: [MergeFlaw, Record<string, Summary>, reason: string, code: number][] = [
    ["missing", { "a.json": shard("1/3", 9, 0), "b.json": shard("3/3", 9, 0) }, "shard 2/3", 0],
    ["interrupted", withTwo({ ending: "interrupted" }), "shard 1/2", 0],
    // An aborted run fails, as with `run`.
    ["aborted", withTwo({ ending: "threshold" }), "shard 1/2", 99],
    ["shifted", withTwo({ late: 3_100 }), "", 0],
  ];
  for (const [flaw, files, shards, code] of cases) {
    const reason = flaw === "shifted"
      ? "the shards started 3.1s apart, so they did not run at the same time"
      : `${flaw}: ${shards}`;
    const refused = await merge(files, " -o ./out.json");
    assertEquals([refused.code, refused.written, refused.stdout], [1, undefined, ""]);
    const start = "error: cannot merge: the summaries do not form one complete run: ";
    assertStringIncludes(refused.stderr, start);
    assertStringIncludes(refused.stderr, reason);
    assertStringIncludes(refused.stderr, `add \`--allow ${flaw}\`\n`);
    const other = flaw === "missing" ? "shifted" : "missing";
    assertEquals((await merge(files, ` --allow ${other}`)).code, 1);
    const merged = await merge(files, ` --allow ${flaw} -o ./out.json`);
    assertEquals(merged.code, code, merged.stderr);
    assert(merged.stderr.startsWith("warning: incomplete run: "), merged.stderr);
    assertStringIncludes(merged.stderr, reason);
    assertEquals(merged.stdout.includes("PASSED"), false);
    const { passed, accepted } = merged.written!;
    assertEquals([passed, accepted.map(({ flaw }) => flaw)], [code === 99 ? false : null, [flaw]]);
  }
});

Deno.test("merge reports all reasons for rejecting the summaries in one message", async () => {
  const { code, stderr } = await merge({
    "a.json": shard("1/4", 9, 0, { ending: "interrupted" }),
    "b.json": shard("3/4", 9, 0, { late: 2_000 }),
  });
  assertEquals(code, 1);
  assertEquals(
    stderr,
    "error: cannot merge: the summaries do not form one complete run: missing: shards 2/4, 4/4; interrupted: shard 1/4; " +
      "the shards started 2s apart, so they did not run at the same time; to merge them anyway, " +
      "add `--allow missing --allow interrupted --allow shifted`\n",
  );
});

const GOOD = shard("1/2", 1, 0);
const TWO = shard("2/2", 1, 0);
const REJECTED: readonly [summaries: unknown[], message: string][] = [
  [[GOOD, GOOD], "a.json and ./b.json both contain shard 1/2"],
  [[GOOD, { ...TWO, plan_hash: "0".repeat(64) }], "b.json and ./a.json are from different plans"],
  [[GOOD, shard("2/3", 1, 0)], "b.json is one of 3 shards, but ./a.json is one of 2"],
  [
    [{ ...GOOD, data_seed: 1 }, { ...TWO, data_seed: 2 }],
    "b.json and ./a.json shuffled the data differently",
  ],
  [["{"], "a.json: not a summary: it is not a JSON object"],
  [["{]"], "a.json: not a summary: it is not a JSON object"],
  [[{}], "a.json: not a summary: it has no schema version"],
  [[{ schema: 2 }], "its schema version is 2, but this version of rehearse reads version 3"],
  [[{ ...GOOD, timeline: undefined }], "`timeline` is missing"],
  [[{ ...GOOD, metrics: undefined }], "`metrics` is missing"],
  [
    [{
      ...GOOD,
      shards: [{ ...GOOD.shards[0], shard: "1/1" }],
      histograms: { ...GOOD.histograms, metrics: { http_req_duration: "x" } },
    }],
    "a.json: cannot be merged: ",
  ],
];

for (const [summaries, message] of REJECTED) {
  Deno.test(`merge rejects summaries, whatever \`--allow\` accepts: ${message}`, async () => {
    const files = Object.fromEntries(summaries.map((one, i) => [`${"ab"[i]}.json`, one]));
    const all = " --allow missing --allow interrupted --allow aborted --allow shifted";
    const { code, stderr } = await merge(files, all);
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, message);
  });
}

Deno.test("merge rejects a file that is specified twice, no file, and an unknown flaw", async () => {
  using folder = new CliFolder({ "a.json": shard("1/1", 1, 0) });
  const { code, stderr } = await folder.run("merge ./a.json ./a.json");
  assertEquals(code, 1);
  assertStringIncludes(stderr, "both contain shard 1/1");
  assertEquals((await folder.run("merge")).code, 2);
  assertEquals((await folder.run("merge ./a.json --allow nothing")).code, 2);
});

Deno.test("merge --allow marks the reports of an incomplete run as incomplete", async () => {
  const options = " --allow missing --html ./all.html --junit ./all.xml";
  const { code, html, junit } = await merge({ "a.json": shard("1/2", 9, 0) }, options);
  assertEquals(code, 0);
  assertStringIncludes(html!, "Incomplete</strong>");
  assertStringIncludes(junit!, "complete: missing: shard 2/2");
});

const changes = fc.record({
  index: fc.nat(2),
  ending: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Ending>("finished") },
    fc.constantFrom<Ending>("interrupted", "threshold", "assertion"),
  ),
  late: fc.oneof({ weight: 6, arbitrary: fc.nat(1_000) }, fc.integer({ min: 1_001, max: 9_000 })),
  plan: fc.oneof({ weight: 6, arbitrary: fc.constant("a") }, fc.constant("b")),
  order: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, fc.constantFrom(2, null)),
  slow: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(4)),
});

Deno.test("merge exits with 0 only if all shards finished and all thresholds pass", async () => {
  let passes = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(changes, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (of, given, isWhole) => {
        const made = given.map((change, i) => ({
          ...change,
          index: isWhole ? i % of : change.index % of,
        }));
        const files = made.map(({ index, ending, late, plan, order, slow }, i) => {
          const changes = { ending, late, plan_hash: plan, data_seed: order };
          return [`${i}.json`, shard(`${index + 1}/${of}`, 9, slow, changes)];
        });
        const { code } = await merge(Object.fromEntries(files));
        const indexes = made.map(({ index }) => index).sort().join();
        const lates = made.map(({ late }) => late);
        const isOneRun = indexes === [0, 1, 2].slice(0, of).join() &&
          made.every(({ ending }) => ending === "finished") &&
          Math.max(...lates) - Math.min(...lates) <= 1_000 &&
          made.every(({ plan }) => plan === made[0].plan) &&
          made.every(({ order }) => order === made[0].order);
        const slow = made.reduce((sum, { slow }) => sum + slow, 0);
        const holds = 10 * slow <= 9 * made.length + slow;
        if (code === 0) passes++;
        assertEquals(code, isOneRun ? holds ? 0 : 99 : 1);
      },
    ),
  );
  assert(passes > 10, `${passes} of the sets were one run that passed`);
});
