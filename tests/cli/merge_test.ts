import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Histogram } from "../../src/base/histogram.ts";
import { encodeHistogram } from "../../src/base/histogram_encoding.ts";
import type { Summary, TrendFigures } from "../../src/engine/summary.ts";
import { runCli } from "../support/cli.ts";
import { BUSY } from "../support/summary.ts";

/** The figures and the histogram of times in ms. */
function times(ms: readonly number[]): { figures: TrendFigures; histogram: string } {
  const histogram = new Histogram();
  for (const time of ms) histogram.record(time * 1_000);
  const at = (percent: number) => histogram.percentile(percent) / 1_000;
  const figures = {
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
  return { figures, histogram: encodeHistogram(histogram) };
}

/** A share with so many quick requests and so many slow ones. */
function share(name: string, quick: number, slow: number): Summary {
  const { figures, histogram } = times([
    ...new Array(quick).fill(10),
    ...new Array(slow).fill(1_000),
  ]);
  const count = quick + slow;
  return {
    ...BUSY,
    shares: [name],
    passed: true,
    metrics: {
      http_req_duration: figures,
      http_reqs: { count, rate: count / 10 },
      http_req_failed: { value: 0, passes: 0, fails: count },
    },
    thresholds: [{
      metric: "http_req_duration",
      expression: "p(90)<500",
      passed: true,
      value: figures["p(90)"],
      aborted: false,
    }],
    endpoints: [],
    scenarios: [],
    timeline: [],
    histograms: { metrics: { http_req_duration: histogram }, endpoints: [], scenarios: [] },
  };
}

async function merge(summaries: Record<string, unknown>, ...options: string[]) {
  const folder = await Deno.makeTempDir();
  try {
    const paths = Object.keys(summaries).map((name) => join(folder, name));
    for (const [i, value] of Object.values(summaries).entries()) {
      await Deno.writeTextFile(
        paths[i],
        typeof value === "string" ? value : JSON.stringify(value),
      );
    }
    const out = join(folder, "out.json");
    const typed = options.map((option) => option.replace("$OUT", out));
    const outcome = await runCli(["merge", ...paths, ...typed]);
    const written = await Deno.readTextFile(out).then(JSON.parse, () => undefined);
    const stderr = outcome.stderr.replaceAll(`${folder}/`, "");
    return { ...outcome, stderr, written: written as Summary | undefined };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("two shares that each held their thresholds can fail them together, and the other way round", async () => {
  // 100 quick ones with 8 slow, 10 quick with 10 slow: 18 of 128 are slow, p(90) is slow.
  const a = share("1/2", 100, 8);
  const b = share("2/2", 10, 10);
  const failed = await merge({ "a.json": a, "b.json": b }, "-o", "$OUT");
  assertEquals(failed.code, 99, failed.stderr);
  assert(failed.stdout.includes("✗ FAILED 1 of 1 threshold"), failed.stdout);
  assertEquals(failed.stderr, "");
  const { metrics, shares, thresholds } = failed.written!;
  assertEquals(shares, ["1/2", "2/2"]);
  assertEquals(metrics.http_reqs, { count: 128, rate: 128 / 10.034 });
  const all = times([...new Array(110).fill(10), ...new Array(18).fill(1_000)]);
  assertEquals(metrics.http_req_duration, all.figures);
  assertEquals(thresholds[0].value, all.figures["p(90)"]);
  const passed = await merge({ "a.json": share("1/2", 100, 2), "b.json": share("2/2", 4, 1) });
  assertEquals([passed.code, passed.written], [0, undefined]);
});

Deno.test("a part of the shares is merged with a warning", async () => {
  const { code, stderr } = await merge({
    "a.json": share("1/3", 9, 0),
    "b.json": share("3/3", 9, 0),
  });
  assertEquals([code, stderr], [0, "warning: not of the whole run: 2/3 missing\n"]);
  const mixed = await merge({ "a.json": share("1/3", 9, 0), "b.json": share("2/2", 9, 0) });
  assertEquals(mixed.stderr, "warning: the shares are of different splits of the plan\n");
});

Deno.test("what does not belong together, or is no summary, is refused", async () => {
  const good = share("1/2", 1, 0);
  const cases: [Record<string, unknown>, string][] = [
    [{ "a.json": good, "b.json": good }, "b.json: holds share 1/2, as a.json does"],
    [
      { "a.json": good, "b.json": { ...good, name: "other", shares: ["2/2"] } },
      "b.json: of another plan than a.json",
    ],
    [{ "a.json": "{" }, "a.json: not a summary: it is no JSON object"],
    [{ "a.json": {} }, "a.json: not a summary: it has no schema version"],
    [{ "a.json": { schema: 2 } }, "its schema version is 2, and 1 is known"],
    [{ "a.json": { ...good, timeline: undefined } }, "it has no timeline"],
    [{ "a.json": { ...good, metrics: undefined } }, "it has no metrics"],
    [
      {
        "a.json": {
          ...good,
          histograms: { ...good.histograms, metrics: { http_req_duration: "x" } },
        },
      },
      "a.json: cannot be merged: ",
    ],
  ];
  for (const [files, message] of cases) {
    const { code, stderr } = await merge(files);
    assertEquals(code, 1, stderr);
    assert(stderr.includes(message), `${message}\n${stderr}`);
  }
  assertEquals((await runCli(["merge"])).code, 2);
});
