import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { detectFormat } from "../../../../src/traffic/accesslog/detect/detect_format.ts";
import { OtherFormats } from "../../../../src/traffic/accesslog/detect/other_formats.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/combined.ts";
import { NAMED_FORMATS } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { parseProfile } from "../../../../src/traffic/accesslog/profile/parse_profile.ts";
import { serializeProfile } from "../../../../src/traffic/accesslog/profile/serialize_profile.ts";
import { TrafficProfile } from "../../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { readLines } from "../../../support/read_lines.ts";

const { combined, gcp, iis, haproxy } = NAMED_FORMATS;
const text = (lines: readonly string[]) => new TextEncoder().encode(lines.join("\n"));

/** Returns the exact number of malformed lines that match each known format. */
function alike(profile: TrafficProfile): Record<string, number> {
  const { formats, isExact } = profile.malformedAlike;
  assertEquals(isExact, true);
  return Object.fromEntries(formats);
}

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
  assertEquals(alike(profile), { gcp: 3, haproxy: 1, iis: 1 });
});

Deno.test("a malformed line that matches another known format is counted under the name of that format", () => {
  for (const [name, { sample }] of Object.entries(NAMED_FORMATS)) {
    for (const line of [sample, JSON.stringify({ log: `${sample}\n`, stream: "stdout" })]) {
      const profile = readLines(text([combined.sample, line]), COMBINED);
      const isMalformed = profile.malformed > 0 && !sample.startsWith("#");
      assertEquals(Object.values(alike(profile)), isMalformed ? [1] : [], `${name}: ${line}`);
    }
  }
});

Deno.test("incomplete lines, and malformed requests in the log's own format, are not matched against other formats", () => {
  const handshake = combined.sample.replace(/"GET[^"]*"/, '"\\x16\\x03\\x01\\xA5\\x01"');
  const log = text([combined.sample, handshake, combined.sample.slice(0, 40)]);
  const profile = readLines(log, COMBINED, { findsFormats: false });
  assertEquals([profile.malformed, profile.tally.alike.needsFormats], [2, false]);
  assertEquals(alike(profile), {});
});

Deno.test("a profile keeps the number of lines in other formats, and merging adds them up", () => {
  const profile = readLines(text([combined.sample, gcp.sample, gcp.sample]), COMBINED);
  assertEquals(alike(parseProfile(serializeProfile(profile), "p").profile), {
    gcp: 2,
  });
  const both = new TrafficProfile();
  both.append(profile);
  both.append(profile);
  assertEquals(alike(both), { gcp: 4 });
});

Deno.test("merging profiles in any order sums the line counts of other formats, even of formats that were not recognized before", () => {
  const log = text([combined.sample, gcp.sample, gcp.sample, "no request at all"]);
  const known = () => parseProfile(serializeProfile(readLines(log, COMBINED)), "p").profile;
  const unknown = () => readLines(log, COMBINED, { findsFormats: false });
  assertThrows(() => unknown().malformedAlike, Error, "have not been determined yet");
  for (const parts of [[known(), unknown()], [unknown(), known()], [unknown(), unknown()]]) {
    const merged = new TrafficProfile();
    for (const part of parts) merged.append(part);
    merged.tally.alike.findFormats(new OtherFormats());
    assertEquals(alike(merged), { gcp: 4 });
  }
});

Deno.test("lines in a known format are still recognized after many lines in unknown formats", () => {
  const noise = Array.from({ length: 500 }, (_, i) => `[error] ${i}: something failed`);
  const profile = readLines(text([combined.sample, gcp.sample, ...noise, gcp.sample]), COMBINED);
  assertEquals(alike(profile), { gcp: 2 });
});

Deno.test("detectFormat tests the last line of a whole log even if it does not end with a line feed", () => {
  const log = text([gcp.sample, combined.sample, combined.sample]);
  assertEquals(detectFormat(log, undefined, true)?.name, "combined");
  const two = text(["a line of text", combined.sample]);
  assertEquals(detectFormat(two, undefined, true)?.name, "combined");
  assertEquals(detectFormat(two), undefined);
});

Deno.test("the numbers of lines in other formats are the same regardless of how the log is split", () => {
  const lines = Array.from(
    { length: 6_000 },
    (_, i) =>
      i % 5 === 0
        ? gcp.sample.replace(/("requestUrl": ?"[^"?]*)/, `$1/${i}`)
        : i % 5 === 1
        ? "the same text"
        : `[error] ${i}: something failed`,
  );
  const whole = readLines(text(lines), COMBINED);
  const { formats, isExact } = whole.malformedAlike;
  assertEquals([formats.length, isExact], [1, false]);
  // 1,200 lines; the sample contains at least 250 of the distinct lines.
  assertAlmostEquals(formats[0][1], 1_200, 300);
  for (const parts of [2, 7, 60]) {
    const merged = new TrafficProfile();
    for (let part = 0; part < parts; part++) {
      const some = lines.slice(part * lines.length / parts, (part + 1) * lines.length / parts);
      const shard = readLines(text([...some, ""]), COMBINED);
      merged.append(parseProfile(serializeProfile(shard), "p").profile);
    }
    assertEquals(alikeText(merged), alikeText(whole));
  }
});

Deno.test("a line in another format is recognized regardless of the lines before it", () => {
  const samples = Object.values(NAMED_FORMATS).map(({ sample }) => sample);
  const formats = (lines: readonly string[]) => alike(readLines(text(lines), COMBINED));
  assertEquals(formats(samples), formats(samples.toReversed()));
  assertEquals(formats(["#Fields: time cs-method", iis.sample]), { iis: 1 });
});

/** Returns the member `otherFormats` of a serialized profile. */
function alikeText(profile: TrafficProfile): string {
  return /"otherFormats":(\{.*?\}),?\n/.exec(serializeProfile(profile))![1];
}
