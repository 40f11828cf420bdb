import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli } from "../../support/cli.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { BUSY } from "../../builders/summary.ts";

const PLAN = `
name: browse
secrets: {token: {file: token.txt}}
scenarios:
  main:
    executor: per-vu-iterations
    vus: 1
    iterations: 2
    flow:
      - request: {url: /api/products, headers: {x-key: hush-hush}}
`;

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("run --html writes a report that contains the plan without its secrets", () =>
  inFolder(async (folder) => {
    const plan = join(folder, "plan.yaml");
    const html = join(folder, "report.html");
    await Deno.writeTextFile(plan, PLAN);
    await Deno.writeTextFile(join(folder, "token.txt"), "hush-hush\n");
    const server = startDemo();
    const options = ["--base-url", server.origin, "--iterations", "3", "--html", html];
    const { code } = await runCli(["run", plan, ...options]).finally(server.stop);
    assertEquals(code, 0);
    const text = await Deno.readTextFile(html);
    assertStringIncludes(text, "<h1>browse</h1>");
    assertStringIncludes(text, "iterations: 3");
    assertEquals(text.includes("hush-hush"), false);
  }));

Deno.test("run --junit --format github reports failed thresholds in both formats", () =>
  inFolder(async (folder) => {
    const plan = join(folder, "plan.yaml");
    const junit = join(folder, "junit.xml");
    const withThreshold = PLAN.replace(/^secrets.*$/m, 'thresholds: {http_reqs: ["count==3"]}');
    await Deno.writeTextFile(plan, withThreshold);
    const server = startDemo();
    const options = ["--base-url", server.origin, "--junit", junit, "--format", "github"];
    const { code, stdout } = await runCli(["run", plan, ...options]).finally(server.stop);
    assertEquals(code, 99);
    assertStringIncludes(stdout, ",title=Threshold failed::http_reqs: expected count==3, got 2");
    assertStringIncludes(
      await Deno.readTextFile(junit),
      '<failure message="expected count==3, got 2"/>',
    );
  }));

Deno.test("run rejects two reports that would be written to the same file", () =>
  inFolder(async (folder) => {
    const plan = join(folder, "plan.yaml");
    await Deno.writeTextFile(plan, PLAN.replace(/^secrets.*$/m, ""));
    const same = join(folder, "out");
    const options = ["--base-url", "http://127.0.0.1:9", "--html", same, "--summary-export", same];
    const { code, stderr } = await runCli(["run", plan, ...options]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "another report option names this file; choose another path");
  }));

Deno.test("report renders one summary, or compares two summaries", () =>
  inFolder(async (folder) => {
    const [one, two, out] = ["1.json", "2.json", "out.html"].map((name) => join(folder, name));
    await Deno.writeTextFile(one, JSON.stringify(BUSY));
    await Deno.writeTextFile(two, JSON.stringify(BUSY));
    assertEquals((await runCli(["report", one, "-o", out])).code, 0);
    assertStringIncludes(await Deno.readTextFile(out), "<title>demo shop: rehearse</title>");
    const { code, stdout } = await runCli(["report", one, two]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "<title>demo shop, compared: rehearse</title>");
  }));

Deno.test("report reads a summary of schema version 1", () =>
  inFolder(async (folder) => {
    const path = join(folder, "old.json");
    const { plan_hash: _1, data_seed: _2, accepted: _3, shards: _4, ...rest } = BUSY;
    const timeline = BUSY.timeline.map(({ scheduled, ...point }) => ({
      ...point,
      asked: scheduled,
    }));
    const kept = { ...rest, timeline };
    const page = async (shares: string[]) => {
      await Deno.writeTextFile(path, JSON.stringify({ ...kept, schema: 1, shares }));
      const { code, stdout, stderr } = await runCli(["report", path]);
      assertEquals([code, stderr], [0, ""]);
      return stdout;
    };
    assertStringIncludes(await page(["1/1"]), "1 of 5 thresholds failed");
    // Version 1 evaluated thresholds on each shard.
    assertStringIncludes(await page(["1/2"]), "5 thresholds not evaluated");
    await Deno.writeTextFile(path, JSON.stringify({ ...kept, schema: 1 }));
    const { code, stderr } = await runCli(["report", path]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "`shares` is missing");
  }));

Deno.test("report reads a stored summary of schema version 2", async () => {
  const path = fromFileUrl(new URL("../../../testdata/report/summary_v2.json", import.meta.url));
  const { code, stdout, stderr } = await runCli(["report", path]);
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(stdout, "<title>access log replay: rehearse</title>");
});

Deno.test("report --fail-on slower exits with 99 if the second run is worse", () =>
  inFolder(async (folder) => {
    const runs: Record<string, Summary> = {
      usual: longSummary({ seconds: 60, endpoints: 3 }),
      slower: longSummary({ seconds: 60, endpoints: 3, slower: 3 }),
      other: longSummary({ seconds: 60, endpoints: 3, name: (k) => `GET /other/${k}` }),
    };
    const [threshold] = runs.usual.thresholds;
    const extra = { ...threshold, metric: "iterations", expression: "count>1e9" };
    runs.crossed = {
      ...runs.usual,
      thresholds: [...runs.usual.thresholds, { ...extra, passed: false }],
    };
    for (const [name, summary] of Object.entries(runs)) {
      await Deno.writeTextFile(join(folder, name), JSON.stringify(summary));
    }
    const gate = (before: string, after: string, ...options: string[]) =>
      runCli(["report", join(folder, before), join(folder, after), ...options]);
    const cases: [before: string, after: string, code: number, stated: RegExp][] = [
      ["usual", "slower", 99, /^worse: 3 endpoints slower, 0 faster, /],
      ["slower", "usual", 0, /^better: 0 endpoints slower, 3 faster, /],
      ["usual", "usual", 0, /^within noise: 0 endpoints slower, /],
      ["usual", "crossed", 99, /^worse: .* 1 threshold newly failing\n$/],
      ["crossed", "crossed", 0, /^within noise: /],
      ["usual", "other", 1, /^not comparable: .*no endpoint in common\n$/],
    ];
    for (const [before, after, code, stated] of cases) {
      const gated = await gate(before, after, "--fail-on", "slower");
      assertEquals(gated.code, code, `${before} ${after}: ${gated.stderr}`);
      assertMatch(gated.stderr, stated);
      assertStringIncludes(gated.stdout, "<title>");
      const shown = await gate(before, after);
      assertEquals([shown.code, shown.stderr], [0, gated.stderr]);
    }
    const alone = await runCli(["report", join(folder, "usual"), "--fail-on", "slower"]);
    assertEquals(alone.code, 2);
    assertStringIncludes(alone.stderr, "--fail-on needs two summaries to compare");
  }));

Deno.test("report warns if a compared run is incomplete", () =>
  inFolder(async (folder) => {
    const path = join(folder, "one.json");
    const shards = [{ ...BUSY.shards[0], shard: "1/2" }];
    await Deno.writeTextFile(path, JSON.stringify({ ...BUSY, shards }));
    const { stderr } = await runCli(["report", path, path]);
    assertStringIncludes(stderr, "is incomplete: shard 1/2 only");
  }));

Deno.test("report rejects invalid arguments and files", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.json");
    await Deno.writeTextFile(path, JSON.stringify(BUSY));
    const wrong: [string[], number, string][] = [
      [[], 2, "expected one summary, or two to compare, but got 0"],
      [[path, path, path], 2, "but got 3"],
      [[path, path, "--plan", path], 2, "--plan works with one summary only"],
      [[path, "-o", path], 2, "already uses the file"],
      [[join(folder, "none.json")], 1, "none.json"],
    ];
    for (const [args, exit, message] of wrong) {
      const { code, stderr } = await runCli(["report", ...args]);
      assertEquals(code, exit);
      assertStringIncludes(stderr, message);
    }
  }));

Deno.test({
  name: "report names the missing permission flag even if a symbolic link leads to the checkout",
  ignore: Deno.build.os === "windows", // Creating a link on Windows requires a privilege.
  fn: () =>
    inFolder(async (folder) => {
      await Deno.writeTextFile(join(folder, "run.json"), JSON.stringify(BUSY));
      await Deno.symlink(fromFileUrl(new URL("../../../", import.meta.url)), join(folder, "link"));
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--allow-read=run.json", "link/main.ts", "report", "run.json"],
        cwd: folder,
        env: { NO_COLOR: "1" },
      }).output();
      assertEquals(code, 1);
      const text = new TextDecoder().decode(stderr);
      assertMatch(
        text,
        /^error: cannot read \S+: the permission is missing; add `--allow-read=\S+` to/,
      );
    }),
});
