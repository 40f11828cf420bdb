import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";
import { serializeProfile } from "../../src/traffic/accesslog/profile/serialize_profile.ts";
import { READ_EACH_LINE, readLines } from "../support/read_lines.ts";
import { shapedLine } from "../builders/shaped_lines.ts";

/** Generates logs of at most `maxLines` lines in the given format, as bytes. */
export function shapedLog(format: LogFormat, maxLines: number): fc.Arbitrary<Uint8Array> {
  return fc.array(shapedLine(format), { maxLength: maxLines, size: "max" })
    .map((lines) => new TextEncoder().encode(lines.join("")));
}

/** Asserts that the line counter and the line reader produce the same profile. */
export function assertCounterMatchesReader(
  log: Uint8Array,
  format: LogFormat,
  chunkLength: number,
): void {
  const counted = serializeProfile(readLines(log, format, { chunkLength }));
  const read = serializeProfile(readLines(log, format, { collectors: [READ_EACH_LINE] }));
  if (counted === read) return;
  assertEquals(JSON.parse(counted), JSON.parse(read));
  throw new Error("the members of the profiles are in a different order");
}
