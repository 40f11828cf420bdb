import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { startDemo } from "../../../src/demo/server.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import type { CounterStats } from "../../../src/engine/summary/flow_stats.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

/** Runs one URL with `options` and returns the summary. */
async function load(path: string, ...options: string[]): Promise<Summary> {
  const server = startDemo({ port: 0, catchAll: true });
  using folder = new CliFolder();
  try {
    const file = join(folder.path, "summary.json");
    const url = path.replace("ORIGIN", new URL(server.origin).host);
    const { code, stderr } = await runCli(["run", url, ...options, "--summary-export", file]);
    assertEquals(code, 0, stderr);
    return JSON.parse(await Deno.readTextFile(file));
  } finally {
    await server.stop();
  }
}

function requests({ metrics }: Summary): number {
  return (metrics.http_reqs as CounterStats).count;
}

Deno.test("run with a URL sends the given number of requests to it", async () => {
  const summary = await load(
    "http://ORIGIN/a?q=${secrets.X}#part",
    "--iterations",
    "7",
    "--vus",
    "2",
  );
  assertEquals(requests(summary), 7);
  const [{ name, statuses }] = summary.endpoints;
  assertEquals([name, statuses], ["GET /a", { "200": 7 }]);
  assertEquals(summary.scenarios[0].max_vus, 2);
  assertMatch(summary.environment!.plan, /^http:\/\/127\.0\.0\.1:\d+\/a\?q=\$\{secrets\.X\}#part$/);
});

Deno.test("run with a URL starts the given number of requests per second", async () => {
  const summary = await load("http://ORIGIN/", "--rate", "100", "--duration", "100ms");
  const [{ executor, iterations, dropped }] = summary.scenarios;
  assertEquals([executor, iterations + dropped], ["constant-arrival-rate", 10]);
  assertEquals(summary.environment!.options, ["--duration 100ms", "--rate 100"]);
});

Deno.test("the summary of a run with a URL hides the password in the URL", async () => {
  const summary = await load("http://me:pass%20word@ORIGIN/", "--iterations", "1");
  assertEquals(/pass(%20| )word/.test(JSON.stringify(summary)), false);
});

Deno.test("the summary of a run with a URL hides credentials in the URL's query string", async () => {
  const url = "http://ORIGIN/a?access%5Ftoken=Zx81-first&key=2&page=3";
  const summary = await load(url, "--iterations", "1");
  assertEquals(JSON.stringify(summary).includes("Zx81"), false);
  const shown = /^http:\/\/127\.0\.0\.1:\d+\/a\?access%5Ftoken=\*{8}&key=2&page=3$/;
  assertMatch(summary.environment!.plan, shown);
  assertMatch(summary.name!, shown);
});

Deno.test("run with a URL rejects invalid URLs and options that have no effect", async () => {
  const cases: [args: string[], message: string][] = [
    [["http://"], "error: http:// is not a valid URL"],
    [["http://me:secret@a b/"], "error: http://me:******@a b/ is not a valid URL"],
    [
      ["http://a/", "--base-url", "http://b"],
      "--base-url works only for a plan, but the input is a URL",
    ],
    [["http://a/", "--rate-scale", "2"], "--rate-scale works only for a plan, but the input is"],
    [
      ["http://a/", "--rate", "2", "--iterations", "2"],
      "--rate cannot be combined with --iterations: use --duration",
    ],
    [["http://a/", "--rate", "0"], "--rate cannot be 0"],
    [["http://a/", "--duration", "x"], "--duration cannot be x"],
    [
      ["plan.yaml", "--rate", "2"],
      "--rate works only for a URL, but the input is a plan; use --rate-scale",
    ],
    [
      ["plan.yaml", "--rate", "2", "--iterations", "2"],
      "--rate works only for a URL, but the input is a plan; use --rate-scale",
    ],
    [
      ["http://a/", "http://b/"],
      "expected one plan (- for standard input) or URL to run, but got 2",
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCli(["run", ...args]);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, message);
  }
});

Deno.test("run --once all runs every choice of a random step", async () => {
  const server = startDemo({ port: 0, catchAll: true });
  const plan = await Deno.makeTempFile({ suffix: ".yaml" });
  const choices = ["/a", "/b", "/c"].map((url) => `{steps: [{request: {url: ${url}}}]}`).join(", ");
  await Deno.writeTextFile(
    plan,
    `scenarios: {main: {executor: constant-vus, vus: 9, duration: 1h, flow: [{random: {choices: [${choices}]}}]}}`,
  );
  try {
    const shown = async (...once: string[]) => {
      const { stdout } = await runCli(["run", plan, "--base-url", server.origin, ...once]);
      return [...stdout.matchAll(/^#\d+ GET \S+(\/\w)$/gm)].map(([, path]) => path);
    };
    assertEquals(await shown("--once", "all"), ["/a", "/b", "/c"]);
    assertEquals((await shown("--once")).length, 1);
  } finally {
    await server.stop();
    await Deno.remove(plan);
  }
});
