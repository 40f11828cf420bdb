/**
 * Flags of Deno that `scripts/compile.ts` builds into the executable. V8 continues a regular expression
 * of a plan that backtracks too much in its linear-time engine.
 */
export const BINARY_FLAGS: readonly string[] = [
  "--v8-flags=--enable-experimental-regexp-engine-on-excessive-backtracks",
];

/**
 * Paths of the modules of worker threads. The executable includes them explicitly: the code starts
 * workers by URL, so the module graph of `main.ts` does not contain them.
 */
export const WORKERS: readonly string[] = [
  "src/traffic/accesslog/worker.ts",
  "src/engine/clock/alarm_worker.ts",
  "src/engine/workers/shard_worker.ts",
];
