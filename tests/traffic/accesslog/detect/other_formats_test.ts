import { assertEquals } from "@std/assert";
import { detectFormat } from "../../../../src/traffic/accesslog/detect/detect_format.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import { NAMED_FORMATS } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { parseProfile } from "../../../../src/traffic/accesslog/profile/parse_profile.ts";
import { serializeProfile } from "../../../../src/traffic/accesslog/profile/serialize_profile.ts";
import { TrafficProfile } from "../../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { readLines } from "../../../support/read_lines.ts";

const { combined, gcp, iis, haproxy } = NAMED_FORMATS;
const text = (lines: readonly string[]) => new TextEncoder().encode(lines.join("\n"));

Deno.test("lines in another known format are counted under the name of that format", () => {
  const log = text([
    combined.sample,
    ...Array<string>(3).fill(gcp.sample),
    iis.sample,
    `2026-11-21T10:00:00.310Z stdout F ${haproxy.sample}`,
    combined.sample.slice(0, 60),
    "no request at all",
    combined.sample,
  ]);
  const profile = readLines(log, COMBINED);
  assertEquals(profile.requests, 2);
  assertEquals(profile.malformed, 7);
  assertEquals({ ...profile.malformedAlike }, { gcp: 3, haproxy: 1, iis: 1 });
});

Deno.test("a profile keeps the number of lines in other formats, and merging adds them up", () => {
  const profile = readLines(text([combined.sample, gcp.sample, gcp.sample]), COMBINED);
  assertEquals({ ...parseProfile(serializeProfile(profile), "p").profile.malformedAlike }, {
    gcp: 2,
  });
  const both = new TrafficProfile();
  both.append(profile);
  both.append(profile);
  assertEquals({ ...both.malformedAlike }, { gcp: 4 });
});

Deno.test("formats are still recognized after many lines of other text", () => {
  const noise = Array.from({ length: 500 }, (_, i) => `[error] ${i}: something failed`);
  const profile = readLines(text([combined.sample, gcp.sample, ...noise, gcp.sample]), COMBINED);
  assertEquals({ ...profile.malformedAlike }, { gcp: 2 });
});

Deno.test("detectFormat tests the last line of a whole log even without a line feed", () => {
  const log = text([gcp.sample, combined.sample, combined.sample]);
  assertEquals(detectFormat(log, undefined, true)?.name, "combined");
  const two = text(["a line of text", combined.sample]);
  assertEquals(detectFormat(two, undefined, true)?.name, "combined");
  assertEquals(detectFormat(two), undefined);
});
