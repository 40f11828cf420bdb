import { assert } from "@std/assert";
import type { Outcome } from "./cli.ts";

// Includes tabs, which are harmless, because the tool never prints one.
// deno-lint-ignore no-control-regex
const RAW = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;

/**
 * Asserts that a command with hostile input printed no raw control characters and no stack trace,
 * and that it printed a message if it failed.
 */
export function assertSafeOutput({ code, stdout, stderr }: Outcome): void {
  assert(!RAW.test(stdout + stderr), `a raw control character got through: ${stdout}${stderr}`);
  assert(!/error: internal error|\n\s+at /.test(stderr), stderr);
  assert(code === 0 || stderr !== "", `it failed with ${code} without a message`);
}
