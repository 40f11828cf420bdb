/**
 * Flags of Deno that `scripts/compile.ts` builds into the executable. V8 continues a regular expression
 * of a plan that backtracks too much in its linear-time engine.
 */
export const BINARY_FLAGS: readonly string[] = [
  "--v8-flags=--enable-experimental-regexp-engine-on-excessive-backtracks",
];
