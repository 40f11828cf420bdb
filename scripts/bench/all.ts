/**
 * Runs every benchmark. With `--smoke`, only checks that each one works.
 *
 *     deno task bench [--smoke]
 *
 * Needs `deno task build`. Skips other tools that are not installed. docs/BENCHMARKS.md lists the
 * arguments used to measure its results.
 */
const SMOKE: readonly (readonly string[])[] = [
  ["accesslog.ts", "--bytes", "2MB", "--runs", "1"],
  ["log_options.ts", "--bytes", "2MB", "--runs", "1"],
  ["har.ts", "1"],
  ["http.ts", "--smoke"],
  ["engine.ts", "--smoke"],
  ["websocket.ts", "--smoke"],
  ["schedule.ts", "--smoke"],
];
const FULL: readonly (readonly string[])[] = [
  ["start.ts"],
  ["accesslog.ts", "--bytes", "1GiB"],
  ["log_options.ts", "--bytes", "1GiB"],
  ["log_options.ts", "--bytes", "1GiB", "--clients", "1000000", "--only", "every option"],
  ["log_options.ts", "--bytes", "10GiB", "--runs", "1", "--only", "every option"],
  ["log_options.ts", "--bytes", "10GiB", "--runs", "1", "--only", "no option"],
  ["har.ts", "100"],
  ["har.ts", "500"],
  ["http.ts"],
  ["http.ts", "--tls"],
  ["engine.ts"],
  ["engine.ts", "--workers", "2"],
  ["engine.ts", "--tls"],
  ["engine.ts", "--http2"],
  ["engine.ts", "--http2", "--vus", "1", "--streams", "64"],
  ["engine.ts", "--http2", "--vus", "8", "--streams", "8"],
  ["engine.ts", "--idle", "10000"],
  ["websocket.ts"],
  ["websocket.ts", "--idle", "10000"],
  ["schedule.ts"],
];

const failed: string[] = [];
for (const [script, ...args] of Deno.args.includes("--smoke") ? SMOKE : FULL) {
  console.log(`\n## ${[script, ...args].join(" ")}\n`);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "--allow-all", `scripts/bench/${script}`, ...args],
    cwd: new URL("../..", import.meta.url),
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (!success) failed.push(script);
}
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
Deno.exit(failed.length > 0 ? 1 : 0);
