import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import fc, { COSTLY } from "fast-check";
import { startDemo } from "../../../src/demo/server.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import { editedJson, jsonEdits } from "../../builders/json_edits.ts";
import { longSummary } from "../../builders/long_summary.ts";
import { damage, damages } from "../../builders/mutate.ts";
import { BUSY } from "../../builders/summary.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";
import { assertSafeOutput } from "../../support/safe_output.ts";

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
const LINE = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "A"\n';

for (
  const [name, text, message] of [
    ["a.log", LINE, "this is an access log, not a summary; create a plan from it with `rehearse"],
    ["a.har", '{"log": {"entries": []}}', "this is a HAR recording, not a summary; create a plan"],
    ["a.yaml", "scenarios:\n  main: {}\n", "this is a plan, not a summary; run it with `rehearse"],
    ["a.html", "<!doctype html>\n", "this is an HTML page, not a summary; open it in a browser"],
  ]
) {
  Deno.test(`report and merge state the type of a file that is not a summary: ${name}`, async () => {
    using folder = new CliFolder({ [name]: text });
    for (const command of ["report", "merge"]) {
      const { code, stderr } = await folder.run(`${command} ./${name}`);
      assertEquals(code, 1);
      assertStringIncludes(stderr, message);
    }
  });
}

Deno.test("run --html writes a report that contains the plan without its secrets", async () => {
  using folder = new CliFolder({ "plan.yaml": PLAN, "token.txt": "hush-hush\n" });
  const server = startDemo();
  const options = `--base-url ${server.origin} --iterations 3 --html ./report.html`;
  const { code } = await folder.run(`run ./plan.yaml ${options}`).finally(server.stop);
  assertEquals(code, 0);
  const text = folder.read("report.html");
  assertStringIncludes(text, "<h1>browse</h1>");
  assertStringIncludes(text, "iterations: 3");
  assertEquals(text.includes("hush-hush"), false);
});

Deno.test("run --junit --format github reports failed thresholds in both formats", async () => {
  const plan = PLAN.replace(/^secrets.*$/m, 'thresholds: {http_reqs: ["count==3"]}');
  using folder = new CliFolder({ "plan.yaml": plan });
  const server = startDemo();
  const options = `--base-url ${server.origin} --junit ./junit.xml --format github`;
  const world = { env: { GITHUB_STEP_SUMMARY: undefined } };
  const { code, stdout } = await folder.run(`run ./plan.yaml ${options}`, [], world)
    .finally(server.stop);
  assertEquals(code, 99);
  assertStringIncludes(stdout, ",title=Threshold failed::http_reqs: expected count==3, got 2");
  assertStringIncludes(folder.read("junit.xml"), '<failure message="expected count==3, got 2"/>');
});

Deno.test("run rejects two reports that would be written to the same file", async () => {
  using folder = new CliFolder({ "plan.yaml": PLAN.replace(/^secrets.*$/m, "") });
  await Deno.symlink(`${folder.path}/out`, `${folder.path}/link`);
  await Deno.symlink("link", `${folder.path}/chain`);
  for (const other of ["out", "link", "chain", "./out"]) {
    const options = `--base-url http://127.0.0.1:9 --html ./out --junit ./${other}`;
    const { code, stderr } = await folder.run(`run ./plan.yaml ${options}`);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "already uses the file; choose another path");
  }
});

Deno.test("report renders one summary, or compares two summaries", async () => {
  using folder = new CliFolder({ "1.json": BUSY, "2.json": { ...BUSY, seed: 43 } });
  assertEquals((await folder.run("report ./1.json -o ./out.html")).code, 0);
  assertStringIncludes(folder.read("out.html"), "<title>demo shop: rehearse</title>");
  const { code, stdout } = await folder.run("report ./1.json ./2.json");
  assertEquals(code, 0);
  assertStringIncludes(stdout, "<title>demo shop, compared: rehearse</title>");
});

const USUAL = longSummary({ seconds: 60, endpoints: 3 });
const AGAIN = longSummary({ seconds: 60, endpoints: 3, seed: 3 });
const CROSSED = { ...USUAL.thresholds[0], metric: "iterations", expression: "count>1e9" };
const RUNS: Record<string, Summary> = {
  usual: USUAL,
  again: AGAIN,
  slower: longSummary({ seconds: 60, endpoints: 3, slower: 3 }),
  other: longSummary({ seconds: 60, endpoints: 3, name: (k) => `GET /other/${k}` }),
  crossed: { ...AGAIN, thresholds: [...USUAL.thresholds, { ...CROSSED, passed: false }] },
};

for (
  const [files, exit, stated] of [
    ["./usual ./slower", 99, /^worse: .*, 3 endpoints slower, 0 faster, /m],
    [
      "./slower ./usual",
      0,
      /^better: all requests faster \(p50, .*\), 0 endpoints slower, 3 faster, /m,
    ],
    ["./usual ./again", 0, /^within noise: 0 endpoints slower, /m],
    ["./usual ./crossed", 99, /^worse: .* 1 threshold newly failing\n$/m],
    ["./crossed ./usual", 0, /^within noise: /m],
    ["./usual ./other", 1, /^not comparable: .*no endpoint in common\n$/m],
  ] as const
) {
  Deno.test(`report --fail-on slower exits with ${exit} for ${files}`, async () => {
    using folder = new CliFolder(RUNS);
    const gated = await folder.run(`report ${files} --fail-on slower`);
    assertEquals(gated.code, exit, gated.stderr);
    assertMatch(gated.stderr, stated);
    assertStringIncludes(gated.stdout, "<title>");
    const shown = await folder.run(`report ${files}`);
    assertEquals([shown.code, shown.stderr], [0, gated.stderr]);
  });
}

/**
 * Returns a folder with runs of the same load, and their paths in a command. The response times of
 * run `i` are `3 * i` percent longer than those of run 0. `changes` apply to the last run.
 */
function runsFolder(count: number, changes = {}): { folder: CliFolder; runs: string } {
  const files = Array.from({ length: count }, (_, i): [string, Summary] => {
    const run = longSummary({ seconds: 60, endpoints: 3, slower: 1 + 0.03 * i, seed: i + 1 });
    return [`${i + 1}.json`, { ...run, ...i === count - 1 ? changes : {} }];
  });
  const runs = files.map(([name]) => `./${name}`).join(" ");
  return { folder: new CliFolder(Object.fromEntries(files)), runs };
}

Deno.test("report of several runs compares with the first run", async () => {
  const { folder, runs } = runsFolder(6);
  using _folder = folder;
  const { code, stderr } = await folder.run(`report ${runs} --fail-on slower -o ./trend.html`);
  assertEquals(code, 99);
  assertMatch(stderr, /^worse: all requests slower/m);
  assertStringIncludes(folder.read("trend.html"), ", 6 runs: rehearse</title>");
  // Consecutive runs do not differ, so only the comparison with the first run fails the job.
  assertEquals((await folder.run("report ./5.json ./6.json --fail-on slower")).code, 0);
});

const DEAD = "no request got a response";

for (
  const [changes, exit, stated] of [
    [{ passed: true }, 0, /^passed: .*2\.json: all thresholds passed\n$/m],
    [{ passed: false }, 99, /^failed: .*2\.json: finished\n$/m],
    [{ passed: false, failure: DEAD }, 99, /^failed: .*2\.json: no request got a response\n$/m],
    [{ passed: null, thresholds: [] }, 1, /2\.json: it has no thresholds\n$/m],
    [{ passed: null, ending: "interrupted" }, 1, /2\.json: interrupted\n$/m],
  ] as const
) {
  Deno.test(`report --fail-on failed exits with ${exit} if the last run has ${JSON.stringify(changes)}`, async () => {
    const { folder, runs } = runsFolder(2, changes);
    using _folder = folder;
    const both = await folder.run(`report ${runs} --fail-on failed`);
    assertEquals(both.code, exit, both.stderr);
    assertMatch(both.stderr, stated);
    assertEquals((await folder.run("report ./2.json --fail-on failed")).code, exit);
  });
}

Deno.test("report --format json and text write the comparison to standard output or a file", async () => {
  const { folder, runs } = runsFolder(3);
  using _folder = folder;
  const json = await folder.run(`report ${runs} --format json`);
  assertEquals(json.code, 0);
  const found = JSON.parse(json.stdout);
  assertEquals([found.comparison, found.verdict, found.runs.length], [4, "worse", 3]);
  assertEquals(found.history[0].values.length, 3);
  const text = await folder.run(`report ${runs} --format text`);
  assertEquals(text.stderr, "");
  assertMatch(text.stdout, /^Runs$/m);
  const named = await folder.run(`report ${runs} --format text -o ./out.txt`);
  assertEquals(folder.read("out.txt").replaceAll(folder.path, "."), text.stdout);
  assertMatch(named.stderr, /^worse: /m);
  assertEquals(named.stdout, "");
});

Deno.test("report --format github appends the report to the file specified by GITHUB_STEP_SUMMARY", async () => {
  const { folder, runs } = runsFolder(2, { name: "::error::x\n::error::owned" });
  using _folder = folder;
  const run = (file: string | undefined, options = "") =>
    folder.run(`report ${runs} --format github${options}`, [], {
      env: { GITHUB_STEP_SUMMARY: file },
    });
  const summary = folder.write("step.md", "earlier step");
  const inJob = await run(summary);
  assertEquals(inJob.code, 0);
  assertMatch(inJob.stdout, /^::notice title=Comparison%3A within noise::0 endpoints slower/);
  const written = folder.read("step.md").replaceAll(folder.path, ".");
  assertMatch(written, /^earlier step\n## ➖ No change beyond noise\n/);
  const local = await run(undefined);
  assertStringIncludes(local.stdout, written.slice("earlier step\n".length));
  assertStringIncludes(local.stdout, "::notice title=");
  assertEquals((await run("")).stdout, local.stdout);
  const commands = local.stdout.split("\n").filter((line) => /^\s*::/.test(line));
  assertEquals(commands.every((line) => /^::(notice|warning) title=/.test(line)), true);
  assertStringIncludes((await run(summary, " -o ./out.md")).stdout, "::notice");
  assertStringIncludes(folder.read("out.md"), "## ➖");
  const failed = await run(`${folder.path}/none/step.md`);
  assertEquals(failed.code, 1);
  assertStringIncludes(failed.stderr, "step.md, the file specified by GITHUB_STEP_SUMMARY: ");
});

Deno.test("run --format github appends the summary to the file specified by GITHUB_STEP_SUMMARY", async () => {
  using folder = new CliFolder({
    "plan.yaml": `name: "</pre><img src=x> & @team"
scenarios:
  s: {executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{request: {url: /api/products}}]}
thresholds: {http_reqs: ["count>5"]}
`,
  });
  const server = startDemo();
  const file = folder.write("step.md", "earlier step");
  const run = (file: string, options: string) =>
    folder.run(`run ./plan.yaml --base-url ${server.origin} ${options}`, [], {
      env: { GITHUB_STEP_SUMMARY: file },
    });
  assertEquals((await run(file, "--quiet")).code, 99);
  assertEquals(folder.read("step.md"), "earlier step", "no --format github");
  const { code, stdout } = await run(file, "--quiet --format github");
  assertEquals(code, 99);
  assertStringIncludes(stdout, "::error ");
  const written = folder.read("step.md");
  assertMatch(written, /^earlier step\n<pre>\n[^<>]*FAILED[^<>]*<\/pre>\n$/);
  assertStringIncludes(written, "&lt;/pre&gt;&lt;img src=x&gt; &amp; @team");
  assertEquals(/^\s*::/m.test(written), false);
  const failed = await run(`${folder.path}/none/step.md`, "--format github");
  assertEquals(failed.code, 1);
  assertStringIncludes(failed.stderr, "step.md, the file specified by GITHUB_STEP_SUMMARY: ");
  await server.stop();
});

Deno.test("report warns if a compared run is incomplete", async () => {
  const shards = [{ ...BUSY.shards[0], shard: "1/2" }];
  using folder = new CliFolder({ "one.json": { ...BUSY, shards }, "whole.json": BUSY });
  const { code, stderr } = await folder.run("report ./whole.json ./one.json --fail-on slower");
  assertEquals(code, 1);
  assertStringIncludes(stderr, "is incomplete: shard 1/2 only");
  assertStringIncludes(stderr, "\nnot comparable: the later run is incomplete, ");
});

const FILES = { "a.json": BUSY, "2.json": { ...BUSY, schema: 2 }, list: "[]\r\n", text: "a: 1\n" };

for (
  const [line, exit, message] of [
    ["report", 2, "expected one summary, or several to compare"],
    ["report ./a.json ./a.json", 2, "a.json was given twice: list the summary of each run once"],
    ["report ./a.json b.json ././a.json", 2, "was given twice"],
    ["report - ./a.json -", 2, "(-) was given twice"],
    ["report ./a.json --format markdown", 2, "--format markdown needs two summaries to compare"],
    ["report ./a.json --format json", 2, "one was given; a summary is JSON already"],
    ["report ./a.json --format csv", 2, "for the data of one run, read its summary, which is JSON"],
    ["report ./a.json b.json --format xml", 2, "--format cannot be xml"],
    ["report ./a.json b.json --fail-on faster", 2, "--fail-on cannot be faster"],
    ["report ./a.json --fail-on slower", 2, "--fail-on slower needs two summaries to compare"],
    ["report ./a.json ./2.json", 1, "its schema version is 2"],
    ["report ./a.json ./list", 1, "not a summary: it has no schema version"],
    ["report ./a.json ./text", 1, "not a summary: it is not a JSON object"],
    ["report ./a.json ./empty", 1, "not a summary"],
    ["report ./a.json -o ./a.json", 2, "already uses the file"],
    ["report ./none.json", 1, "none.json"],
  ] as const
) {
  Deno.test(`\`${line}\` is an error: ${message}`, async () => {
    using folder = new CliFolder({ ...FILES, empty: "" });
    const { code, stderr } = await folder.run(line);
    assertEquals(code, exit);
    assertStringIncludes(stderr, message);
  });
}

Deno.test({
  name: "report states the missing permission flag even if a symbolic link leads to the checkout",
  ignore: Deno.build.os === "windows", // Creating a link on Windows requires a privilege.
  async fn() {
    using folder = new CliFolder({ "run.json": BUSY });
    await Deno.symlink(fromFileUrl(new URL("../../../", import.meta.url)), `${folder.path}/link`);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--allow-read=run.json", "link/main.ts", "report", "run.json"],
      cwd: folder.path,
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 1);
    assertMatch(
      new TextDecoder().decode(stderr),
      /^error: cannot read \S+: the permission is missing; add `--allow-read=\S+` to/,
    );
  },
});

Deno.test("report does not print HTML on a terminal: it compares runs as text, and rejects a single run", async () => {
  using folder = new CliFolder({ "before.json": BUSY, "after.json": BUSY });
  const terminal = { columns: 100 };
  const compared = await folder.run("report ./before.json ./after.json", [], terminal);
  assertEquals(compared.stdout.includes("<!doctype"), false);
  assertMatch(compared.stdout, /Failed requests/);
  const single = await folder.run("report ./before.json", [], terminal);
  assertEquals([single.code, single.stdout], [2, ""]);
  assertStringIncludes(single.stderr, "add `-o report.html`");
  const page = await folder.run("report ./before.json");
  assertStringIncludes(page.stdout, "<!doctype html>");
});

const text = JSON.stringify(BUSY);
const bytes = new TextEncoder().encode(text);

/** Generates summaries with invalid members, and bytes that are not a summary. */
const hostileSummary: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  {
    weight: 3,
    arbitrary: jsonEdits.map((edits) => new TextEncoder().encode(editedJson(text, edits))),
  },
  { weight: 1, arbitrary: damages.map((damages) => damage(bytes, damages).slice()) },
);

Deno.test("merge and report read any summary, or print why they cannot", () =>
  fc.assert(
    fc.asyncProperty(hostileSummary, async (stdin) => {
      for (const command of ["merge", "report"]) {
        const ended = await runCli([command, "-"], { stdin });
        assertSafeOutput(ended);
        assert([0, 1, 99].includes(ended.code), `${ended.code}`);
      }
    }),
    COSTLY,
  ));
