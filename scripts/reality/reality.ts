/**
 * Tests converted plans with third-party applications: installs each one, records a session in a
 * browser, converts it, runs it with 2 VUs and 3 iterations each, and compares every response with the
 * recording.
 *
 *     deno run --frozen -A scripts/reality/reality.ts [NAME…] [--keep FOLDER]
 *
 * Needs Debian packages, Chromium and npm. Everything runs on 127.0.0.1 and in a temporary folder that
 * is removed at the end; `--keep` copies the recordings, plans and reports to FOLDER.
 */
import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import { fileChunks } from "../../src/base/bytes/chunks.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";
import type { Application, Started } from "./application.ts";
import { APPLICATIONS } from "./applications.ts";
import { type Outcome, recordedOutcome } from "./outcome.ts";
import { type ObservedCall, runConverted } from "./run_converted.ts";
import { runTool } from "./service.ts";

const USERS = 2;
const ITERATIONS = 3;
const ROOT = new URL("../..", import.meta.url).pathname;
const CONVERT_OPTIONS: readonly (readonly string[])[] = [[], ["--correlate", "all"]];

const { _: names, keep } = parseArgs(Deno.args, { string: ["keep"] });
const selected = APPLICATIONS.filter(({ name }) => names.length === 0 || names.includes(name));
let passed = true;
for (const application of selected) {
  const folder = Deno.makeTempDirSync({ prefix: `reality-${application.name}-` });
  try {
    passed = await testApplication(application, folder) && passed;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
Deno.exit(passed ? 0 : 1);

async function testApplication(application: Application, folder: string): Promise<boolean> {
  const home = join(folder, "application");
  Deno.mkdirSync(home);
  const started = await application.start(home);
  try {
    const har = join(folder, `${application.name}.har`);
    const record = join(ROOT, "scripts/reality/record.ts");
    await runTool("deno", [
      "run",
      "--no-lock",
      "-A",
      record,
      application.name,
      started.origin,
      har,
    ]);
    console.log(`\n## ${application.name}`);
    const results: Result[] = [];
    for (const options of CONVERT_OPTIONS) {
      results.push(await testOptions(application, har, options, started));
    }
    if (keep !== undefined) keepFiles(folder, keep);
    return results.every(({ predicted }) => predicted) && results.at(-1)!.passed;
  } finally {
    await started.stop();
  }
}

/** The result of one conversion. */
interface Result {
  /**
   * True if every response matches the recorded one and the application contains all created items.
   */
  readonly passed: boolean;
  /** True if `verify` predicted this result. */
  readonly predicted: boolean;
}

/** Converts with `options`, verifies and runs the plan. */
async function testOptions(
  { perUser = ["", ""] }: Application,
  har: string,
  options: readonly string[],
  started: Started,
): Promise<Result> {
  const path = har.replace(".har", options.length === 0 ? ".json-only.yaml" : ".yaml");
  const converted = await rehearse(["convert", har, "-o", path, "--checks", "status", ...options]);
  const load = ["--vus", String(USERS), "--iterations", String(ITERATIONS)];
  const verified = await rehearse(["verify", path, "--har", har, ...load]);
  const { plan } = await loadPlan(Deno.readTextFileSync(path).replaceAll(...perUser));
  const before = await started.counts();
  const recorded = await recordedOutcomes(har);
  const calls = await runConverted(plan!, { vus: USERS, iterations: ITERATIONS }, recorded);
  const after = await started.counts();
  console.log(`\n### convert ${options.join(" ")}\n`);
  console.log(converted.errors.trim().split("\n").at(-1));
  console.log(`verify: exit code ${verified.code}: ${verified.output.trim().split("\n")[0]}\n`);
  printTable(calls, recorded.length, before, after);
  const sent = USERS * ITERATIONS;
  const passed = countMatching(calls) === sent * recorded.length &&
    Object.entries(after).every(([what, count]) => count - before[what] === sent);
  return { passed, predicted: passed === (verified.code === 0) };
}

async function recordedOutcomes(har: string): Promise<Outcome[]> {
  using file = Deno.openSync(har);
  const { exchanges } = await readHar(fileChunks(file), har);
  return keptCalls(exchanges, undefined).exchanges.map(recordedOutcome);
}

function printTable(
  calls: readonly ObservedCall[],
  recorded: number,
  before: Record<string, number>,
  after: Record<string, number>,
): void {
  const first = calls.filter(({ iteration }) => iteration === 0);
  const later = calls.filter(({ iteration }) => iteration > 0);
  const share = (some: readonly ObservedCall[], all: number) =>
    `${countMatching(some)} of ${all} (${(countMatching(some) / all * 100).toFixed(1)}%)`;
  console.log("| responses that match the recording | |\n|---|---|");
  console.log(`| first iterations | ${share(first, USERS * recorded)} |`);
  console.log(`| later iterations | ${share(later, USERS * (ITERATIONS - 1) * recorded)} |`);
  for (const [what, count] of Object.entries(after)) {
    console.log(`| ${what}, created by the run | ${count - before[what]} |`);
  }
  console.log(`| calls not sent | ${USERS * ITERATIONS * recorded - calls.length} |`);
  const differences = Map.groupBy(
    calls.filter((one) => one.difference !== undefined),
    ({ call, difference }) => `call ${call + 1}: ${difference}`,
  );
  for (const [what, times] of differences) console.log(`- ${what} (${times.length} times)`);
}

function countMatching(calls: readonly ObservedCall[]): number {
  return calls.filter(({ difference }) => difference === undefined).length;
}

/** Runs the tool of this checkout and returns its exit code and output. */
async function rehearse(
  args: readonly string[],
): Promise<{ code: number; output: string; errors: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "-A", join(ROOT, "main.ts"), ...args],
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: text(stdout), errors: text(stderr) };
}

function keepFiles(folder: string, target: string): void {
  Deno.mkdirSync(target, { recursive: true });
  for (const { name, isFile } of Deno.readDirSync(folder)) {
    if (isFile) Deno.copyFileSync(join(folder, name), join(target, name));
  }
}
