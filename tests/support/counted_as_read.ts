import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { LogFormat } from "../../src/traffic/accesslog/formats/log_format.ts";
import { serializeProfile } from "../../src/traffic/accesslog/serialize_profile.ts";
import { LOOKS_ON, readLines } from "./read_lines.ts";
import { shapedLine } from "./shaped_lines.ts";

/** Logs of up to `maxLines` lines of a format, in bytes. */
export function shapedLog(format: LogFormat, maxLines: number): fc.Arbitrary<Uint8Array> {
  return fc.array(shapedLine(format), { maxLength: maxLines, size: "max" })
    .map((lines) => new TextEncoder().encode(lines.join("")));
}

/** Fails unless lines that are counted at once give what they give when read one by one. */
export function assertCountedAsRead(log: Uint8Array, format: LogFormat, chunkLength: number): void {
  const counted = serializeProfile(readLines(log, format, { chunkLength }));
  const read = serializeProfile(readLines(log, format, { collectors: [LOOKS_ON] }));
  if (counted === read) return;
  assertEquals(JSON.parse(counted), JSON.parse(read));
  throw new Error("the members of the profiles stand in another order");
}
