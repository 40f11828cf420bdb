/**
 * Tests the properties of the test suite with many inputs. A property also fails if the memory in
 * use grows.
 *
 *     deno task fuzz [--runs N] [--seed N] [PATH...]
 *
 * --runs N  number of inputs of each property (default: 1000; `deno task test` uses 200)
 * --seed N  seed of the inputs; the same seed gives the same inputs (default: 1)
 * PATH      files and folders with properties (default: tests)
 */
import { parseArgs } from "@std/cli/parse-args";

const { _: paths, runs, seed } = parseArgs(Deno.args, {
  string: ["_", "runs", "seed"],
  default: { runs: "1000", seed: "1" },
});
const places = paths.length > 0 ? paths.map(String) : ["tests"];
const { stdout } = await new Deno.Command("git", {
  args: ["grep", "--files-with-matches", "fc.assert(", "--", ...places],
}).output();
const files = new TextDecoder().decode(stdout).trim().split("\n");
console.log(`${runs} inputs of each property in ${files.length} files, seed ${seed}`);
const flags = ["--frozen", "--no-check", "--parallel", "--no-prompt", "--v8-flags=--expose-gc"];
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "-P=test", ...flags, ...files],
  env: { FAST_CHECK_RUNS: runs, FAST_CHECK_SEED: seed },
}).spawn().status;
Deno.exitCode = code;
