import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { mixedLog } from "../../builders/mixed_log.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const [log] = fc.sample(mixedLog(900, 900), { numRuns: 1, seed: 8 });
// The warning about malformed lines contains the file name, which differs.
const lines = log.filter((line) => !line.startsWith("not"));
const PARTS = [lines.slice(0, 200), lines.slice(200, 500), lines.slice(500)];
const EACH = ["--ids", "--query", "--journeys", "--thresholds"];
const OPTIONS: Readonly<Record<string, { data?: readonly string[]; filters?: readonly string[] }>> =
  {
    "no option": {},
    "--ids": { data: ["--ids", "ids.csv"] },
    "--query": { data: ["--query", "keep"] },
    "--journeys": { data: ["--journeys"] },
    "--thresholds": { data: ["--thresholds"] },
    "--html": { data: ["--html", "page.html"] },
    filters: {
      filters: [
        ...["--status", "2xx,302", "--method", "GET", "--no-bots", "--no-static", "--exclude", "8"],
      ],
    },
    "every option": {
      data: [
        ...["--ids", "ids.csv", "--query", "keep", "--journeys", "--shape", "exact"],
        ...["--thresholds", "--html", "page.html"],
      ],
      filters: ["--status", "2xx", "--since", "2026-11-21"],
    },
  };

async function withParts(test: (run: Run, folder: string) => Promise<void>): Promise<void> {
  using folder = new CliFolder();
  folder.write("whole.log", lines.join(""));
  for (const [i, part] of PARTS.entries()) {
    folder.write(`${i}.log`, part.join(""));
  }
  await test((args) => runIn(folder.path, args), folder.path);
}

type Run = (args: readonly string[]) => Promise<{ code: number; stdout: string; stderr: string }>;

/**
 * Runs `convert` with its file arguments resolved in `folder`. Removes the lines `plan:` and
 * `traffic:` from standard error.
 */
async function runIn(folder: string, args: readonly string[]): ReturnType<Run> {
  const isPath = (arg: string) => /^[\w.]+\.(?:log|json|csv|html|yaml)$/.test(arg);
  const paths = args.map((arg) => isPath(arg) ? join(folder, arg) : arg);
  const { code, stdout, stderr } = await runCli(["convert", ...paths]);
  // The lines about the traffic and the plan include a sample of the log, which profiles do not
  // contain.
  return { code, stdout, stderr: stderr.replace(/^(?:traffic|plan): .*\n/gm, "") };
}

/**
 * Reads the files that a conversion wrote, deletes them, and returns their contents, keyed by name.
 */
async function outputs(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (
    const name of [
      ...["plan.yaml", "plan.yaml.arrivals", "plan.yaml.visits", "ids.csv", "page.html"],
      "all.json",
    ]
  ) {
    try {
      found[name] = await Deno.readTextFile(join(folder, name));
      await Deno.remove(join(folder, name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return found;
}

for (const [name, { data = [], filters = [] }] of Object.entries(OPTIONS)) {
  Deno.test(`merged profiles with ${name} produce the same outputs as the whole log`, () =>
    withParts(async (run, folder) => {
      const all = ["-o", "plan.yaml", "--profile", "all.json"];
      const whole = await run(["whole.log", ...data, ...filters, ...all]);
      assertEquals(whole.code, 0, whole.stderr);
      const expected = await outputs(folder);
      for (const i of PARTS.keys()) {
        const part = await run([
          `${i}.log`,
          ...data,
          ...filters,
          "--profile",
          `${i}.json`,
          "-o",
          "plan.yaml",
        ]);
        assertEquals(part.code, 0, part.stderr);
        await outputs(folder);
      }
      const merged = await run(["0.json", "1.json", "2.json", ...data, ...all]);
      assertEquals(merged, whole);
      assertEquals(await outputs(folder), expected);
      const mixed = await run(["0.json", "1.log", "2.json", ...data, ...filters, ...all]);
      assertEquals(mixed, whole);
      assertEquals(await outputs(folder), expected);
    }));
}

Deno.test("a merged profile contains only the kinds of data that all of its inputs contain", () =>
  withParts(async (run, folder) => {
    const data = ["--ids", "ids.csv", "--journeys", "-o", "plan.yaml"];
    await run(["0.log", ...data, "--query", "keep", "--profile", "0.json"]);
    await run(["1.log", ...data, "--profile", "1.json"]);
    const { code, stderr } = await run(["0.json", "1.json", "--profile", "all.json"]);
    assertEquals(code, 0, stderr);
    const { collected } = JSON.parse((await outputs(folder))["all.json"]);
    assertEquals(Object.keys(collected), ["ids", "visits"]);
  }));

Deno.test("convert rejects a profile without the data that an option needs, and the error names the option", () =>
  withParts(async (run) => {
    await run(["0.log", "--profile", "0.json"]);
    const values: Record<string, string[]> = { "--ids": ["ids.csv"], "--query": ["keep"] };
    for (const option of EACH) {
      const { code, stderr } = await run([
        "0.json",
        option,
        ...(values[option] ?? []),
        "-o",
        "plan.yaml",
      ]);
      assertEquals(code, 2);
      assertStringIncludes(
        stderr,
        `is a traffic profile without the data that ${option} needs: give`,
      );
    }
  }));

Deno.test("convert rejects profiles with different filters, and lists the filters", () =>
  withParts(async (run) => {
    await run(["0.log", "--status", "2xx", "--profile", "0.json"]);
    await run(["1.log", "--status", "404", "--profile", "1.json"]);
    const { code, stderr } = await run(["0.json", "1.json"]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "(--status 404 instead of --status 2xx): give the same filters");
    const other = await run(["0.json", "--no-bots"]);
    assertEquals(other.code, 2);
    assertStringIncludes(other.stderr, "(--status 2xx instead of --no-bots): give");
  }));

Deno.test("convert rejects a profile whose collected data is invalid", () =>
  withParts(async (run, folder) => {
    await run(["0.log", "--ids", "ids.csv", "--profile", "0.json"]);
    const profile = JSON.parse(await Deno.readTextFile(join(folder, "0.json")));
    profile.collected.ids.data.endpoints[0][1][0][2] = -1;
    await Deno.writeTextFile(join(folder, "1.json"), JSON.stringify(profile));
    const { code, stderr } = await run(["1.json", "--ids", "ids.csv"]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "as a traffic profile: the record of collected values at ");
    assertStringIncludes(stderr, "`endpoints[0][1][0][2]`: Too small");
  }));
