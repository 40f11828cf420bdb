/**
 * Proves converted plans with applications that nobody here wrote: sets each up, records a journey in a
 * browser, converts it, and plays it by 2 users, 3 times each, comparing every answer with the recording.
 *
 *     deno run --frozen -A scripts/reality/reality.ts [NAME…] [--keep FOLDER]
 *
 * Needs Debian's packages and Chromium, and npm. Everything runs on 127.0.0.1 and in a temporary folder,
 * which is removed, but for the recordings, plans and reports that `--keep` copies.
 */
import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";
import { fileChunks } from "../../src/base/bytes/file_chunks.ts";
import { keptCalls } from "../../src/convert/har/kept_calls.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { readHar } from "../../src/traffic/har/read.ts";
import type { Application, Started } from "./application.ts";
import { APPLICATIONS } from "./applications.ts";
import { type Outcome, recordedOutcome } from "./outcome.ts";
import { play, type Played } from "./play.ts";
import { runTool } from "./service.ts";

const USERS = 2;
const ITERATIONS = 3;
const ROOT = new URL("../..", import.meta.url).pathname;
const WAYS: readonly (readonly string[])[] = [[], ["--correlate", "all"]];

const { _: names, keep } = parseArgs(Deno.args, { string: ["keep"] });
const asked = APPLICATIONS.filter(({ name }) => names.length === 0 || names.includes(name));
let proved = true;
for (const application of asked) {
  const folder = Deno.makeTempDirSync({ prefix: `reality-${application.name}-` });
  try {
    proved = await prove(application, folder) && proved;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
Deno.exit(proved ? 0 : 1);

async function prove(application: Application, folder: string): Promise<boolean> {
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
    const proofs: Proof[] = [];
    for (const way of WAYS) proofs.push(await proveWay(application, har, way, started));
    if (keep !== undefined) keepFiles(folder, keep);
    return proofs.every(({ foretold }) => foretold) && proofs.at(-1)!.held;
  } finally {
    await started.stop();
  }
}

/** What a conversion came to. */
interface Proof {
  /** Every answer was as recorded, and all that was written stands. */
  readonly held: boolean;
  /** `verify` said so beforehand. */
  readonly foretold: boolean;
}

/** Converts, verifies and plays. */
async function proveWay(
  { perUser = ["", ""] }: Application,
  har: string,
  way: readonly string[],
  started: Started,
): Promise<Proof> {
  const path = har.replace(".har", way.length === 0 ? ".json-only.yaml" : ".yaml");
  const converted = await rehearse(["convert", har, "-o", path, "--checks", "status", ...way]);
  const load = ["--vus", String(USERS), "--iterations", String(ITERATIONS)];
  const verified = await rehearse(["verify", path, "--har", har, ...load]);
  const { plan } = await loadPlan(Deno.readTextFileSync(path).replaceAll(...perUser));
  const before = await started.standing();
  const recorded = await recordedOutcomes(har);
  const played = await play(plan!, { vus: USERS, iterations: ITERATIONS }, recorded);
  const after = await started.standing();
  console.log(`\n### convert ${way.join(" ")}\n`);
  console.log(converted.errors.trim().split("\n").at(-1));
  console.log(`verify exits ${verified.code}: ${verified.output.trim().split("\n")[0]}\n`);
  printTable(played, recorded.length, before, after);
  const sent = USERS * ITERATIONS;
  const held = accepted(played) === sent * recorded.length &&
    Object.entries(after).every(([what, count]) => count - before[what] === sent);
  return { held, foretold: held === (verified.code === 0) };
}

async function recordedOutcomes(har: string): Promise<Outcome[]> {
  using file = Deno.openSync(har);
  const { exchanges } = await readHar(fileChunks(file), har);
  return keptCalls(exchanges, undefined).exchanges.map(recordedOutcome);
}

function printTable(
  played: readonly Played[],
  calls: number,
  before: Record<string, number>,
  after: Record<string, number>,
): void {
  const first = played.filter(({ iteration }) => iteration === 0);
  const later = played.filter(({ iteration }) => iteration > 0);
  const share = (some: readonly Played[], all: number) =>
    `${accepted(some)} of ${all} (${(accepted(some) / all * 100).toFixed(1)} %)`;
  console.log("| calls answered as recorded | |\n|---|---|");
  console.log(`| first iterations | ${share(first, USERS * calls)} |`);
  console.log(`| later iterations | ${share(later, USERS * (ITERATIONS - 1) * calls)} |`);
  for (const [what, count] of Object.entries(after)) {
    console.log(`| ${what}, more than before | ${count - before[what]} |`);
  }
  console.log(`| calls never sent | ${USERS * ITERATIONS * calls - played.length} |`);
  const told = Map.groupBy(
    played.filter((one) => one.difference !== undefined),
    ({ call, difference }) => `call ${call + 1}: ${difference}`,
  );
  for (const [what, times] of told) console.log(`- ${what} (${times.length} times)`);
}

function accepted(played: readonly Played[]): number {
  return played.filter(({ difference }) => difference === undefined).length;
}

/** Runs this checkout's tool to its end, whatever it ends in. */
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
