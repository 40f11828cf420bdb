import { assert } from "@std/assert";
import type { Outcome } from "./cli.ts";

// Tabs are no danger, but nothing of ours prints one.
// deno-lint-ignore no-control-regex
const RAW = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;

/** Fails unless a command that was given hostile input ended in words of its own, without a raw byte. */
export function assertSafeOutput({ code, stdout, stderr }: Outcome): void {
  assert(!RAW.test(stdout + stderr), `a raw control character got through: ${stdout}${stderr}`);
  assert(!/rehearse itself failed|\n\s+at /.test(stderr), stderr);
  assert(code === 0 || stderr !== "", `it failed with ${code} and told nothing`);
}
