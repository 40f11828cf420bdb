import { assert, assertEquals, assertThrows } from "@std/assert";
import { Visits } from "../../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { InvalidProfile } from "../../../../src/traffic/accesslog/profile/tally.ts";
import { logLine } from "../../../builders/log_line.ts";
import { readLines } from "../../../support/read_lines.ts";

const START = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;

function read(lines: readonly string[], visits = new Visits()): Visits {
  readLines(new TextEncoder().encode(lines.join("")), COMBINED, { collectors: [visits] });
  return visits;
}

/** Returns the URLs of each visit. */
function urls(visits: Visits): string[][] {
  return visits.list().map(({ requests }) => requests.map(({ url }) => visits.url(url)));
}

Deno.test("Visits ends a visit after 30 idle minutes, and separates clients and user agents", () => {
  const visits = read([
    logLine({ at: START, client: "10.0.0.1", path: "/a" }),
    logLine({ at: START + 1_000, client: "10.0.0.2", path: "/b" }),
    logLine({ at: START + 30 * MINUTE, client: "10.0.0.1", path: "/a?x=1" }),
    logLine({ at: START + 60 * MINUTE + 1_000, client: "10.0.0.1", path: "/c" }),
    logLine({ at: START + 60 * MINUTE + 2_000, client: "10.0.0.1", agent: "other", path: "/d" }),
  ]);
  assertEquals(urls(visits), [["/a", "/a?x=1"], ["/b"], ["/c"], ["/d"]]);
  assertEquals(visits.oneIn, 1);
});

Deno.test("Visits orders the requests by time, and requests of one second as in the log", () => {
  const visits = read([
    logLine({ at: START + 5_000, path: "/second" }),
    logLine({ at: START + 5_000, path: "/third" }),
    logLine({ at: START, path: "/first" }),
  ]);
  assertEquals(urls(visits), [["/first", "/second", "/third"]]);
});

Deno.test("Visits percent-encodes what cannot be in a URL, and keeps the rest as recorded", () => {
  const visits = read([logLine({ at: START, path: "/a%2Fb//c;v=1?q=\\xe4 {x}&r=a,b#c" })]);
  const [[url]] = urls(visits);
  assert(/^\/a%2Fb\/\/c;v=1\?q=[!-~]*$/.test(url), url);
});

Deno.test("a full Visits collector keeps whole visits of a sample of visitors", () => {
  const lines = Array.from({ length: 400 }, (_, i) => [
    logLine({ at: START + i * 1_000, client: `10.0.${i >> 6}.${i % 64}`, path: `/${i}` }),
    logLine({ at: START + i * 1_000, client: `10.0.${i >> 6}.${i % 64}`, path: "/next" }),
  ]).flat();
  const whole = new Set(urls(read(lines)).map((visit) => visit.join(" ")));
  const sampled = read(lines, new Visits({ requests: 300 }));
  assertEquals(whole.size, 400);
  assert(sampled.oneIn === 4 || sampled.oneIn === 8, `1 in ${sampled.oneIn}`);
  const found = urls(sampled);
  assert(found.length > 30 && found.length <= 150, `${found.length} visits`);
  for (const visit of found) assert(whole.has(visit.join(" ")));
});

Deno.test("Visits rejects a profile whose record of visits is inconsistent", () => {
  const json = read([logLine({ at: START }), logLine({ at: START, path: "/b" })])
    .toJson() as Record<string, unknown>;
  new Visits().merge(json, 0);
  const floats = (...values: number[]) =>
    new Uint8Array(Float64Array.from(values).buffer).toBase64();
  const numbers = new Uint8Array(Uint32Array.from([0, 2]).buffer).toBase64();
  for (
    const change of [
      { visitors: floats(1) },
      { visitors: floats(1, -1) },
      { times: floats(1, NaN) },
      { offsets: floats(1, 0.5) },
      { offsets: "AAAA" },
      { offsets: "*" },
      { numbers },
      { urls: [["GET /a b", "GET /a"], ["GET /b", "GET /b"]] },
      { urls: [["GET //\u001b", "GET /a"], ["GET /b", "GET /b"]] },
      { urls: [["GET /a"], ["GET /b"]] },
      { level: 16 },
    ]
  ) assertThrows(() => new Visits().merge({ ...json, ...change }, 0), InvalidProfile);
});
