/** V8 flags of the executable and of the npm package. */
const V8_FLAGS: readonly string[] = [
  // V8 switches to its linear-time engine if a regular expression in a plan backtracks too much.
  "--enable-experimental-regexp-engine-on-excessive-backtracks",
  // bench, both: `convert` of a HAR of 100 MB, peak memory 192 instead of 260 MB, CPU time not
  // higher; `run` of 60,000 requests, CPU time not higher
  "--max-semi-space-size=4",
  "--heap-growing-percent=40",
];

/** Deno flags that `scripts/compile.ts` builds into the executable. */
export const BINARY_FLAGS: readonly string[] = [`--v8-flags=${V8_FLAGS.join(",")}`];

/** Platforms for which Deno publishes a base executable, which `deno compile` downloads. */
export const TARGETS: readonly string[] = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
];

/**
 * Platforms with the C library musl, such as Alpine Linux, for which Deno 2.9.6 publishes no base
 * executable. `scripts/compile.ts` requires the path of a base executable in DENORT_BIN.
 */
export const MUSL_TARGETS: readonly string[] = [
  "x86_64-unknown-linux-musl",
  "aarch64-unknown-linux-musl",
];

/**
 * Returns the platform to pass to `deno compile` in order to build for `target`. For a musl
 * platform, which `deno compile` does not accept, this is the glibc platform. DENORT_BIN then
 * replaces the base executable.
 */
export function compileTarget(target: string): string {
  return target.replace(/-musl$/, "-gnu");
}

/**
 * Returns the file name, in `release/`, of the executable for a platform. The Dockerfile relies on
 * it.
 */
export function binaryName(version: string, target: string): string {
  return `rehearse-${version}-${target}${target.includes("windows") ? ".exe" : ""}`;
}
