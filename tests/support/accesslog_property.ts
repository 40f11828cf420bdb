import { assertEquals } from "@std/assert";
import { COMBINED } from "../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../src/traffic/accesslog/log_scanner.ts";
import { serializeProfile } from "../../src/traffic/accesslog/serialize_profile.ts";
import { TrafficProfile } from "../../src/traffic/accesslog/traffic_profile.ts";
import { referenceProfile } from "./accesslog_reference.ts";

/** The profile of a log whose bytes come in chunks of `chunkLength`. */
export function scanned(log: Uint8Array, chunkLength = log.length): TrafficProfile {
  const profile = new TrafficProfile();
  const scanner = new LogScanner(profile.tally, COMBINED);
  profile.beginSource("log");
  scanner.start(0, 0);
  for (let i = 0; i < log.length; i += chunkLength) scanner.scan(log.slice(i, i + chunkLength));
  profile.endSource(log.length, scanner.finish());
  return profile;
}

/** Fails unless the scanner, fed in chunks of `chunkLength`, finds what the reference finds. */
export function assertScannedAsReference(log: Uint8Array, chunkLength?: number): void {
  const text = serializeProfile(scanned(log, chunkLength));
  const expected = referenceProfile(log);
  // A string is compared first: an assertion over a big object takes long even when it holds.
  if (JSON.stringify(JSON.parse(text)) === JSON.stringify(expected)) return;
  assertEquals(JSON.parse(text), expected);
  throw new Error("the members of the profile stand in another order");
}
