import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli } from "../../support/cli.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { BUSY } from "../../builders/summary.ts";
import { TempFolder } from "../../support/temp_folder.ts";

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
  using temp = new TempFolder();
  const folder = temp.path;
  await test(folder);
}

Deno.test("report and merge state the type of a file that is not a summary", async () => {
  using temp = new TempFolder();
  const folder = temp.path;
  const line = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "A"\n';
  const files: [string, string, string][] = [
    ["a.log", line, "this is an access log, not a summary; create a plan from it with `rehearse"],
    ["a.har", '{"log": {"entries": []}}', "this is a HAR recording, not a summary; create a plan"],
    ["a.yaml", "scenarios:\n  main: {}\n", "this is a plan, not a summary; run it with `rehearse"],
    ["a.html", "<!doctype html>\n", "this is an HTML page, not a summary; open it in a browser"],
  ];
  for (const [name, text, message] of files) {
    await Deno.writeTextFile(join(folder, name), text);
    for (const command of ["report", "merge"]) {
      const { code, stderr } = await runCli([command, join(folder, name)]);
      assertEquals(code, 1);
      assertStringIncludes(stderr, message);
    }
  }
});

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
    const env = { GITHUB_STEP_SUMMARY: undefined };
    const { code, stdout } = await runCli(["run", plan, ...options], { env }).finally(server.stop);
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
    const [same, link, chain] = ["out", "link", "chain"].map((name) => join(folder, name));
    await Deno.symlink(same, link);
    await Deno.symlink("link", chain);
    for (const other of [same, link, chain, `${folder}/./out`]) {
      const options = ["--base-url", "http://127.0.0.1:9", "--html", same, "--junit", other];
      const { code, stderr } = await runCli(["run", plan, ...options]);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        "two report options specify this file; use a different file for each",
      );
    }
  }));

Deno.test("report renders one summary, or compares two summaries", () =>
  inFolder(async (folder) => {
    const [one, two, out] = ["1.json", "2.json", "out.html"].map((name) => join(folder, name));
    await Deno.writeTextFile(one, JSON.stringify(BUSY));
    await Deno.writeTextFile(two, JSON.stringify({ ...BUSY, seed: 43 }));
    assertEquals((await runCli(["report", one, "-o", out])).code, 0);
    assertStringIncludes(await Deno.readTextFile(out), "<title>demo shop: rehearse</title>");
    const { code, stdout } = await runCli(["report", one, two]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, "<title>demo shop, compared: rehearse</title>");
  }));

Deno.test("report --fail-on slower exits with 99 if the second run is worse than the first", () =>
  inFolder(async (folder) => {
    const runs: Record<string, Summary> = {
      usual: longSummary({ seconds: 60, endpoints: 3 }),
      again: longSummary({ seconds: 60, endpoints: 3, seed: 3 }),
      slower: longSummary({ seconds: 60, endpoints: 3, slower: 3 }),
      other: longSummary({ seconds: 60, endpoints: 3, name: (k) => `GET /other/${k}` }),
    };
    const [threshold] = runs.usual.thresholds;
    const extra = { ...threshold, metric: "iterations", expression: "count>1e9" };
    runs.crossed = {
      ...runs.again,
      thresholds: [...runs.usual.thresholds, { ...extra, passed: false }],
    };
    for (const [name, summary] of Object.entries(runs)) {
      await Deno.writeTextFile(join(folder, name), JSON.stringify(summary));
    }
    const gate = (before: string, after: string, ...options: string[]) =>
      runCli(["report", join(folder, before), join(folder, after), ...options]);
    const cases: [before: string, after: string, code: number, stated: RegExp][] = [
      ["usual", "slower", 99, /^worse: .*, 3 endpoints slower, 0 faster, /m],
      [
        "slower",
        "usual",
        0,
        /^better: all requests faster \(p50, .*\), 0 endpoints slower, 3 faster, /m,
      ],
      ["usual", "again", 0, /^within noise: 0 endpoints slower, /m],
      ["usual", "crossed", 99, /^worse: .* 1 threshold newly failing\n$/m],
      ["crossed", "usual", 0, /^within noise: /m],
      ["usual", "other", 1, /^not comparable: .*no endpoint in common\n$/m],
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
    assertStringIncludes(alone.stderr, "--fail-on slower needs two summaries to compare");
  }));

/**
 * Writes runs of the same load. The response times of run `i` are `3 * i` percent longer than those
 * of run 0.
 */
async function writeRuns(folder: string, count: number, changes = {}): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, i) => join(folder, `${i + 1}.json`));
  for (const [i, path] of paths.entries()) {
    const run = longSummary({ seconds: 60, endpoints: 3, slower: 1 + 0.03 * i, seed: i + 1 });
    const last = i === count - 1 ? changes : {};
    await Deno.writeTextFile(path, JSON.stringify({ ...run, ...last }));
  }
  return paths;
}

Deno.test("report of several runs compares with the first run, and prints each run's response time", () =>
  inFolder(async (folder) => {
    const paths = await writeRuns(folder, 6);
    const page = join(folder, "trend.html");
    const { code, stderr } = await runCli(["report", ...paths, "--fail-on", "slower", "-o", page]);
    assertEquals(code, 99);
    assertMatch(stderr, /^ {2} {2}6 {2}6\.json +27\.7ms /m);
    assertMatch(stderr, /^- compared with the previous run, .*5\.json: within noise: /m);
    assertMatch(stderr, /^- compared with the first run, .*1\.json: worse: /m);
    assertMatch(stderr, /^worse\n/m);
    assertStringIncludes(await Deno.readTextFile(page), ", 6 runs: rehearse</title>");
    // Consecutive runs do not differ, so only the comparison with the first run fails the job.
    const pair = await runCli(["report", paths[4], paths[5], "--fail-on", "slower"]);
    assertEquals(pair.code, 0);
  }));

Deno.test("report --fail-on failed exits with 99 if the last run failed, and with 1 if its result is unknown", () =>
  inFolder(async (folder) => {
    const cases: [changes: Partial<Summary>, code: number, stated: RegExp][] = [
      [{ passed: true }, 0, /^passed: .*2\.json: all thresholds passed\n$/m],
      [{ passed: false }, 99, /^failed: .*2\.json: finished\n$/m],
      [
        { passed: false, failure: "no request got a response" },
        99,
        /^failed: .*2\.json: no request got a response\n$/m,
      ],
      [{ passed: null, thresholds: [] }, 1, /2\.json: it has no thresholds\n$/m],
      [{ passed: null, ending: "interrupted" }, 1, /2\.json: interrupted\n$/m],
    ];
    for (const [changes, code, stated] of cases) {
      const paths = await writeRuns(folder, 2, changes);
      const both = await runCli(["report", ...paths, "--fail-on", "failed"]);
      assertEquals(both.code, code, both.stderr);
      assertMatch(both.stderr, stated);
      assertEquals((await runCli(["report", paths[1], "--fail-on", "failed"])).code, code);
    }
  }));

Deno.test("report --format json and text write the comparison to standard output or a file", () =>
  inFolder(async (folder) => {
    const paths = await writeRuns(folder, 3);
    const json = await runCli(["report", ...paths, "--format", "json"]);
    assertEquals(json.code, 0);
    const found = JSON.parse(json.stdout);
    assertEquals([found.comparison, found.verdict, found.runs.length], [2, "worse", 3]);
    assertEquals(found.comparisons.map(({ before }: { before: string }) => before), [
      paths[1],
      paths[0],
    ]);
    assertEquals(found.history[0].values.length, 3);
    const text = await runCli(["report", ...paths, "--format", "text"]);
    assertEquals(text.stderr, "");
    assertMatch(text.stdout, /^Runs$/m);
    const out = join(folder, "out.txt");
    const named = await runCli(["report", ...paths, "--format", "text", "-o", out]);
    assertEquals(await Deno.readTextFile(out), text.stdout);
    assertMatch(named.stderr, /^worse\n$/m);
    assertEquals(named.stdout, "");
  }));

Deno.test("report --format github appends the report to the file specified by GITHUB_STEP_SUMMARY", () =>
  inFolder(async (folder) => {
    const paths = await writeRuns(folder, 2, { name: "::error::x\n::error::owned" });
    const summary = join(folder, "step.md");
    const run = (file: string | undefined, ...options: string[]) =>
      runCli(["report", ...paths, "--format", "github", ...options], {
        env: { GITHUB_STEP_SUMMARY: file },
      });
    await Deno.writeTextFile(summary, "earlier step");
    const inJob = await run(summary);
    assertEquals(inJob.code, 0);
    assertMatch(inJob.stdout, /^::notice title=Comparison%3A within noise::0 endpoints slower/);
    const written = await Deno.readTextFile(summary);
    assertMatch(written, /^earlier step\n## ➖ No change beyond noise: /);
    const local = await run(undefined);
    assertStringIncludes(local.stdout, written.slice("earlier step\n".length));
    assertStringIncludes(local.stdout, "::notice title=");
    assertEquals((await run("")).stdout, local.stdout);
    const commands = local.stdout.split("\n").filter((line) => /^\s*::/.test(line));
    assertEquals(commands.every((line) => /^::(notice|warning) title=/.test(line)), true);
    const out = join(folder, "out.md");
    assertStringIncludes((await run(summary, "-o", out)).stdout, "::notice");
    assertStringIncludes(await Deno.readTextFile(out), "## ➖");
    const failed = await run(join(folder, "none", "step.md"));
    assertEquals(failed.code, 1);
    assertStringIncludes(failed.stderr, "step.md, the file specified by GITHUB_STEP_SUMMARY: ");
  }));

Deno.test("run --format github appends the summary to the file specified by GITHUB_STEP_SUMMARY", () =>
  inFolder(async (folder) => {
    const server = startDemo();
    const plan = join(folder, "plan.yaml");
    await Deno.writeTextFile(
      plan,
      `name: "</pre><img src=x> & @team"
scenarios:
  s: {executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{request: {url: /api/products}}]}
thresholds: {http_reqs: ["count>5"]}
`,
    );
    const file = join(folder, "step.md");
    await Deno.writeTextFile(file, "earlier step");
    const run = (file: string, ...options: string[]) =>
      runCli(["run", plan, "--base-url", server.origin, ...options], {
        env: { GITHUB_STEP_SUMMARY: file },
      });
    try {
      assertEquals((await run(file, "--quiet")).code, 99);
      assertEquals(await Deno.readTextFile(file), "earlier step", "no --format github");
      const { code, stdout } = await run(file, "--quiet", "--format", "github");
      assertEquals(code, 99);
      assertStringIncludes(stdout, "::error ");
      const written = await Deno.readTextFile(file);
      assertMatch(written, /^earlier step\n<pre>\n[^<>]*FAILED[^<>]*<\/pre>\n$/);
      assertStringIncludes(written, "&lt;/pre&gt;&lt;img src=x&gt; &amp; @team");
      assertEquals(/^\s*::/m.test(written), false);
      const failed = await run(join(folder, "none", "step.md"), "--format", "github");
      assertEquals(failed.code, 1);
      assertStringIncludes(failed.stderr, "step.md, the file specified by GITHUB_STEP_SUMMARY: ");
    } finally {
      await server.stop();
    }
  }));

Deno.test("report warns if a compared run is incomplete", () =>
  inFolder(async (folder) => {
    const path = join(folder, "one.json");
    const whole = join(folder, "whole.json");
    const shards = [{ ...BUSY.shards[0], shard: "1/2" }];
    await Deno.writeTextFile(path, JSON.stringify({ ...BUSY, shards }));
    await Deno.writeTextFile(whole, JSON.stringify(BUSY));
    const { code, stderr } = await runCli(["report", whole, path, "--fail-on", "slower"]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "is incomplete: shard 1/2 only");
    assertStringIncludes(stderr, "\nnot comparable: the later run is incomplete, ");
  }));

Deno.test("report rejects invalid arguments and files", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.json");
    await Deno.writeTextFile(path, JSON.stringify(BUSY));
    const [other, list, text, empty] = ["3.json", "[].json", "x", "0"].map((name) =>
      join(folder, name)
    );
    await Deno.writeTextFile(other, JSON.stringify({ ...BUSY, schema: 3 }));
    await Deno.writeTextFile(list, "[]\r\n");
    await Deno.writeTextFile(text, "hello: 1\n");
    await Deno.writeTextFile(empty, "");
    const wrong: [string[], number, string][] = [
      [[], 2, "expected one summary, or several to compare"],
      [[path, path], 2, "a.json was given twice: list the summary of each run once"],
      [[path, "b.json", join(folder, ".", "a.json")], 2, "was given twice"],
      [["-", path, "-"], 2, "(-) was given twice"],
      [[path, "b.json", "--plan", path], 2, "--plan works with one summary only, but 2 were given"],
      [[path, "--format", "markdown"], 2, "--format markdown needs two summaries to compare"],
      [[path, "--format", "json"], 2, "one was given; a summary is JSON already"],
      [[path, "--format", "csv"], 2, "for the data of one run, read its summary, which is JSON"],
      [[path, "b.json", "--format", "xml"], 2, "--format cannot be xml"],
      [[path, "b.json", "--fail-on", "faster"], 2, "--fail-on cannot be faster"],
      [[path, other], 1, "its schema version is 3"],
      [[path, list], 1, "not a summary: it has no schema version"],
      [[path, text], 1, "not a summary: it is not a JSON object"],
      [[path, empty], 1, "not a summary"],
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
  name: "report states the missing permission flag even if a symbolic link leads to the checkout",
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

Deno.test("report does not print HTML on a terminal: it compares runs as text, and rejects a single run", () =>
  inFolder(async (folder) => {
    const files = ["before.json", "after.json"].map((name) => join(folder, name));
    for (const file of files) await Deno.writeTextFile(file, JSON.stringify(BUSY));
    const compared = await runCli(["report", ...files], { columns: 100 });
    assertEquals(compared.stdout.includes("<!doctype"), false);
    assertMatch(compared.stdout, /Failed requests/);
    const single = await runCli(["report", files[0]], { columns: 100 });
    assertEquals([single.code, single.stdout], [2, ""]);
    assertStringIncludes(single.stderr, "add `-o report.html`");
    const page = await runCli(["report", files[0]]);
    assertStringIncludes(page.stdout, "<!doctype html>");
  }));
