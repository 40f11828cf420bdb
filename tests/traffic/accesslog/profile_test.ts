import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { COMBINED, resolveFormats } from "../../../src/traffic/accesslog/formats/formats.ts";
import {
  parseProfile,
  serializeProfile,
} from "../../../src/traffic/accesslog/profile/parse_profile.ts";
import {
  busiestWindow,
  TrafficProfile,
} from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { readLines } from "../../support/read_lines.ts";

const encoder = new TextEncoder();

function scanLog(log: Uint8Array): TrafficProfile {
  return readLines(log, COMBINED);
}

function line(second: number, path: string): string {
  const at = String(second).padStart(2, "0");
  return `h - - [02/Mar/2026:10:00:${at} +0000] "GET ${path} HTTP/1.1" 200 1\n`;
}

function profileOf(...lines: string[]): TrafficProfile {
  return scanLog(encoder.encode(lines.join("")));
}

Deno.test("parseProfile rejects an invalid profile with an InputError", () => {
  const good = JSON.parse(serializeProfile(profileOf(line(1, "/a/17"), line(1, "/b"), "no\n")));
  const reject = (change: Record<string, unknown>, message: string) =>
    assertThrows(
      () => parseProfile(JSON.stringify({ ...good, ...change }), "p"),
      InputError,
      message,
    );
  assertEquals(parseProfile(JSON.stringify(good), "p").profile.requests, 2);
  reject(
    { schema: "rehearse-profile/3" },
    'at `schema`: Invalid input: expected "rehearse-profile/2"',
  );
  reject({ requests: 3 }, "do not add up");
  reject({ requests: -1 }, "at `requests`: Too small");
  reject({ requests: 1e300 }, "at `requests`");
  reject({ bytes: null }, "at `bytes`");
  reject({ malformed: [] }, "at `malformed`");
  reject({ firstMalformed: undefined }, "`firstMalformed` is missing");
  reject({ otherMalformed: [1] }, "at `otherMalformed[0]`");
  reject({ otherMalformed: [{}] }, "at `otherMalformed[0].reason`");
  reject({ seconds: [[1e15, [2]]] }, "ends after the year 9999");
  reject({ seconds: [[1, [2, -1]]] }, "at `seconds[0][1][1]`");
  reject({ seconds: [[253_402_387_199, [1, 1, 1]]] }, "ends after the year 9999");
  reject({ seconds: { length: 1 } }, "at `seconds`");
  reject({ endpoints: [] }, "`endpoints` do not add up");
  reject({ filters: {} }, "at `filters`");
  reject({ filters: [{ option: "--status", value: 1, dropped: 1 }] }, "at `filters[0].value`");
  reject({ filters: [{ option: "--status", value: "", dropped: -1 }] }, "`filters[0].dropped`");
  reject({ collected: [] }, "at `collected`");
  reject({ collected: { ids: 1 } }, "at `collected.ids`");
  for (
    const key of ["GET", "GET a", "get /", "CONNECT /", "GET /?a", "GET /${env.X}", "GET /\ud800"]
  ) {
    reject({ endpoints: [[key, 2, 0]] }, "not a valid endpoint");
  }
  for (const text of ["", "{", "[]", "null", "1"]) {
    assertThrows(
      () => parseProfile(text, "p"),
      InputError,
      "cannot read p as a traffic profile",
    );
  }
});

Deno.test("a profile stores whether a timestamp without a zone was read as UTC", () => {
  const withoutZone = (log: string, chunkLength?: number) => {
    const bytes = new TextEncoder().encode(log);
    const [format] = resolveFormats('$time_iso8601 "$request" $status');
    const profile = readLines(bytes, format, { chunkLength });
    assertEquals(
      parseProfile(serializeProfile(profile), "p").profile.withoutZone,
      profile.withoutZone,
    );
    const whole = new TrafficProfile();
    whole.append(profile);
    assertEquals(whole.withoutZone, profile.withoutZone);
    return profile.withoutZone;
  };
  const line = (time: string) => `${time} "GET /a HTTP/1.1" 200\n`;
  const zoned = line("2026-11-22T00:50:02Z");
  assertEquals(withoutZone(zoned.repeat(9)), false);
  assertEquals(withoutZone(zoned + line("2026-11-22T00:50:03") + zoned), true);
  assertEquals(withoutZone(line("2026-11-22T00:50:03").repeat(9)), true);
  // A line that is not a request has no effect.
  assertEquals(withoutZone(zoned + '2026-11-22T00:50:03 "x" 200\n'), false);
});

function profileOfSeconds(seconds: readonly number[]): TrafficProfile {
  const profile = new TrafficProfile();
  for (const second of seconds) profile.seconds.add(second, 1);
  return profile;
}

Deno.test("busiestWindow finds a range with as many requests as an exhaustive search does", () => {
  const seconds = fc.array(fc.integer({ min: 1_000, max: 1_200 }), { minLength: 1, maxLength: 60 });
  fc.assert(fc.property(seconds, fc.integer({ min: 1, max: 100 }), (seconds, length) => {
    const within = (from: number) =>
      seconds.filter((second) => second >= from && second < from + length).length;
    const found = busiestWindow(profileOfSeconds(seconds), length)!;
    assertEquals(found.requests, Math.max(...seconds.map(within)));
    assertEquals(found.requests, within(found.from));
    assertEquals(found.to - found.from, length);
  }));
});
