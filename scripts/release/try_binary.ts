/**
 * Checks that a binary of a release works on this system: it prints its version, converts a log to
 * a plan with the URL of this version's schema, and runs the plan on two threads. Throws an Error
 * if a check fails.
 *
 *     deno run -A --frozen scripts/release/try_binary.ts PROGRAM [ARG …]
 *
 * PROGRAM and its arguments run the binary.
 */
import { assert, assertStringIncludes } from "@std/assert";
import { PLAN_SCHEMA_URL, VERSION } from "../../src/base/release.ts";
import { startDemo } from "../../src/demo/server.ts";
import { runProgram } from "../toolchain/report.ts";

const LOG = "testdata/logs/apache_combined_10k.log";
const folder = await Deno.makeTempDir();
const demo = startDemo({ port: 0, catchAll: true });
const plan = `${folder}/plan.yaml`;
const load = ["--workers", "2", "--vus", "20", "--rate-scale", "1500"];
try {
  assertStringIncludes(await run("--version"), VERSION);
  await run("convert", LOG, "--duration", "2s", "-o", plan);
  assertStringIncludes(await Deno.readTextFile(plan), `$schema=${PLAN_SCHEMA_URL}\n`);
  await run("run", plan, "--base-url", demo.origin, ...load, "--html", `${folder}/report.html`);
  assert(demo.stats().requests > 0);
} finally {
  await demo.stop();
  await Deno.remove(folder, { recursive: true });
}
console.log(`${Deno.args.join(" ")} works`);

/** Runs the binary, and returns its standard output. */
async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram([...Deno.args, ...args]);
  assert(code === 0, `${args.join(" ")} exited with ${code}\n${stdout}${stderr}`);
  return stdout;
}
