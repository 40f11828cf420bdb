import { assertEquals, assertThrows } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { COMBINED, resolveFormats } from "../../../src/traffic/accesslog/formats/formats.ts";
import {
  looksLikeProfile,
  parseProfile,
  serializeProfile,
} from "../../../src/traffic/accesslog/profile/parse_profile.ts";
import {
  busiestWindow,
  TrafficProfile,
} from "../../../src/traffic/accesslog/profile/traffic_profile.ts";
import { logArbitrary } from "../../builders/accesslog_lines.ts";
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

Deno.test("appending the profiles of a log's parts gives a profile that serializes like that of the whole log", () => {
  fc.assert(
    fc.property(logArbitrary, fc.nat(), fc.nat(), fc.boolean(), (log, i, j, rightFirst) => {
      const [a, b] = [i, j].map((at) => log.indexOf(0x0a, at % (log.length + 1)) + 1)
        .sort((x, y) => x - y);
      const [first, second, third] = [log.slice(0, a), log.slice(a, b), log.slice(b)]
        .map((part) => parseProfile(serializeProfile(scanLog(part)), "part").profile);
      if (rightFirst) second.append(third);
      first.append(second);
      if (!rightFirst) first.append(third);
      assertEquals(serializeProfile(first), serializeProfile(scanLog(log)));
    }),
    COSTLY,
  );
});

Deno.test("TrafficProfile.span() returns an inclusive range of seconds and the first second with the most requests", () => {
  const profile = profileOf(line(9, "/"), line(3, "/"), line(5, "/"), line(5, "/"), line(9, "/"));
  const second = Date.UTC(2026, 2, 2, 10) / 1_000;
  assertEquals(profile.span(), {
    first: second + 3,
    last: second + 9,
    seconds: 7,
    peak: 2,
    peakSecond: second + 5,
  });
  assertEquals(profileOf(line(1, "/")).span()?.seconds, 1);
  assertEquals(new TrafficProfile().span(), undefined);
});

Deno.test("TrafficProfile.rates() returns the mean rate in each of several parts of the span", () => {
  const profile = profileOf(line(0, "/"), line(0, "/"), line(1, "/"), line(3, "/"));
  assertEquals(profile.rates(2), [1.5, 0.5]);
  assertEquals(profile.rates(4), [2, 1, 0, 1]);
  assertEquals(profile.rates(1), [1]);
  assertEquals(new TrafficProfile().rates(3), [0, 0, 0]);
});

Deno.test("TrafficProfile.rates() divides by the number of whole seconds in each part, so that no rate exceeds the peak", () => {
  const profile = profileOf(...Array.from({ length: 10 }, (_, second) => line(second, "/")));
  assertEquals(profile.rates(4), [1, 1, 1, 1]);
  assertEquals(profile.rates(3), [1, 1, 1]);
  assertEquals(profile.rates(20).filter((rate) => rate > 0), new Array(10).fill(1));
});

Deno.test("TrafficProfile.top() sorts endpoints by number of requests, then by first occurrence", () => {
  const profile = profileOf(...["/c", "/a", "/b", "/b", "/a", "/d"].map((path) => line(1, path)));
  const routes = (count: number) => profile.top(count).map(({ route, count }) => route + count);
  assertEquals(routes(Infinity), ["/a2", "/b2", "/c1", "/d1"]);
  assertEquals(routes(3), ["/a2", "/b2", "/c1"]);
  assertEquals(routes(0), []);
});

Deno.test("TrafficProfile counts many distinct endpoints", () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => line(i % 60, `/page-${i % 5_000}`));
  const profile = profileOf(...lines);
  assertEquals(profile.endpoints, 5_000);
  assertEquals(profile.top(Infinity).every(({ count }) => count === 4), true);
  assertEquals(profile.top(2).map(({ route }) => route), ["/page-0", "/page-1"]);
  for (const count of [1, 100, 2_000]) {
    assertEquals(profile.top(count), profile.top(Infinity).slice(0, count));
  }
});

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

Deno.test("looksLikeProfile recognizes a profile by its first bytes", () => {
  assertEquals(
    looksLikeProfile(encoder.encode(serializeProfile(new TrafficProfile())).subarray(0, 60)),
    true,
  );
  assertEquals(looksLikeProfile(encoder.encode('{"log":{"version":"1.2"')), false);
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

Deno.test("busiestWindow returns the range with the most requests, or the first of several such ranges", () => {
  assertEquals(busiestWindow(profileOfSeconds([]), 10), undefined);
  assertEquals(busiestWindow(profileOfSeconds([100]), 10), { from: 100, to: 110, requests: 1 });
  assertEquals(busiestWindow(profileOfSeconds([100, 109, 110, 300, 301]), 10), {
    from: 100,
    to: 110,
    requests: 2,
  });
});

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
