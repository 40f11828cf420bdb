import { assertEquals } from "@std/assert";
import { COMBINED } from "../../src/traffic/accesslog/formats/combined.ts";
import { LogScanner } from "../../src/traffic/accesslog/log_scanner.ts";
import { serializeProfile } from "../../src/traffic/accesslog/profile/serialize_profile.ts";
import { TrafficProfile } from "../../src/traffic/accesslog/profile/traffic_profile.ts";
import { referenceProfile } from "../oracles/accesslog_reference.ts";

/** Scans a log in chunks of `chunkLength` bytes and returns its profile. */
export function scanLog(log: Uint8Array, chunkLength = log.length): TrafficProfile {
  const profile = new TrafficProfile();
  const scanner = new LogScanner(profile.tally, COMBINED);
  profile.beginSource("log");
  scanner.start(0, 0);
  for (let i = 0; i < log.length; i += chunkLength) scanner.scan(log.slice(i, i + chunkLength));
  profile.endSource(log.length, scanner.finish());
  return profile;
}

/**
 * Asserts that the scanner, given chunks of `chunkLength` bytes, agrees with the reference parser.
 */
export function assertMatchesReference(log: Uint8Array, chunkLength?: number): void {
  const found = JSON.parse(serializeProfile(scanLog(log, chunkLength)));
  const expected = referenceProfile(log);
  // Compare strings first, because assertEquals is slow for large objects even if they are equal.
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  assertEquals(found, expected);
  throw new Error("the members of the profile are in a different order");
}
