import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import {
  collectIds,
  collectQueries,
} from "../../../../src/traffic/accesslog/collect/request_url.ts";
import {
  COLLECTOR_KINDS,
  type LogCollector,
  type RequestCollector,
} from "../../../../src/traffic/accesslog/collect/collector.ts";
import { EndpointValues } from "../../../../src/traffic/accesslog/collect/endpoint_values.ts";
import { Visits } from "../../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { LogScanner } from "../../../../src/traffic/accesslog/log_scanner.ts";
import { Tally } from "../../../../src/traffic/accesslog/profile/tally.ts";
import { createCollector } from "../../../../src/traffic/accesslog/slices.ts";
import { mixedLog } from "../../../builders/mixed_log.ts";

const SETTINGS = { method: "GET", target: "/users/3/orders/9" };
const every = await Promise.all(
  COLLECTOR_KINDS.map((kind) => createCollector({ kind, settings: SETTINGS })),
);

/**
 * Functions that create each kind of collector, and some collectors whose limits are so small that
 * they keep only samples.
 */
const COLLECTORS: Readonly<Record<string, () => LogCollector>> = {
  ...Object.fromEntries(every.map((one) => [one.kind, () => fresh(one)])),
  "sampled queries": () =>
    new EndpointValues("queries", 5, (request, out) => {
      const { bytes, pathEnd, to } = request.target;
      out.set(bytes.subarray(pathEnd, to));
      return to - pathEnd;
    }),
  "visits with few requests": () => new Visits({ requests: 20 }),
};

function fresh(one: LogCollector): LogCollector {
  if (one.kind === "ids") return collectIds();
  if (one.kind === "queries") return collectQueries();
  const { constructor } = one as unknown as {
    constructor: new (...args: unknown[]) => LogCollector;
  };
  return one.kind === "entry"
    ? new constructor(SETTINGS.method, SETTINGS.target)
    : new constructor();
}

/** Splits lines at the given positions. Returns the text of each part. */
function split(lines: readonly string[], cuts: readonly number[]): string[] {
  const at = cuts.map((cut) => cut % (lines.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((from, i) => lines.slice(from, at[i]).join(""));
}

/** Reads a part of a log that starts at log offset `offset`. */
function scan(text: string, collectors: readonly RequestCollector[], offset = 0): void {
  const scanner = new LogScanner(new Tally(), COMBINED, { filters: [], collectors });
  scanner.start(offset, 0);
  scanner.scan(new TextEncoder().encode(text));
  scanner.finish();
}

const NAMES = Object.keys(COLLECTORS);

function createAll(): LogCollector[] {
  return NAMES.map((name) => COLLECTORS[name]());
}

/** Reads a part of a log and returns what each collector collected, as JSON. */
function collected(text: string): string[] {
  const collectors = createAll();
  scan(text, collectors);
  return asJson(collectors);
}

function asJson(collectors: readonly LogCollector[]): string[] {
  return collectors.map((one) => JSON.stringify(one.toJson()));
}

function assertSame(merged: readonly string[], whole: readonly string[]): void {
  for (const [i, name] of NAMES.entries()) assertEquals(merged[i], whole[i], name);
}

const log = mixedLog(120);
const cuts = fc.array(fc.nat(), { maxLength: 4 });

Deno.test("merging the profiles of a log's parts gives what each collector collects from the whole log", () => {
  fc.assert(
    fc.property(log, cuts, fc.boolean(), (lines, cuts, isRightFirst) => {
      const parts = split(lines, cuts).map((text) => ({
        length: new TextEncoder().encode(text).length,
        json: collected(text),
      }));
      const merge = (from: typeof parts): (typeof parts)[number] => {
        const collectors = createAll();
        let length = 0;
        for (const { json, length: more } of from) {
          for (const [i, one] of collectors.entries()) {
            one.merge(JSON.parse(json[i]), length);
          }
          length += more;
        }
        return { length, json: asJson(collectors) };
      };
      const [first, ...rest] = parts;
      const merged = isRightFirst && rest.length > 0 ? merge([first, merge(rest)]) : merge(parts);
      assertSame(merged.json, collected(lines.join("")));
    }),
    COSTLY,
  );
});

Deno.test("merging slices gives what each collector collects from the whole log, regardless of which thread reads which slice", () => {
  fc.assert(
    fc.property(log, cuts, fc.array(fc.nat(2), { minLength: 6 }), (lines, cuts, threads) => {
      const merged = createAll();
      const own = Array.from({ length: 3 }, createAll);
      let offset = 0;
      for (const [i, text] of split(lines, cuts).entries()) {
        scan(text, own[threads[i]], offset);
        offset += new TextEncoder().encode(text).length;
      }
      for (const thread of [2, 0, 1]) {
        for (const [i, one] of own[thread].entries()) {
          merged[i].merge(structuredClone(one.data?.() ?? one.toJson()), 0);
        }
      }
      assertSame(asJson(merged), collected(lines.join("")));
    }),
    COSTLY,
  );
});

Deno.test("EndpointValues keeps the frequent values of any log and estimates the total number of requests", () => {
  const values = new EndpointValues("queries", 12_000, (request, out) => {
    const { bytes, pathEnd, to } = request.target;
    out.set(bytes.subarray(pathEnd, to));
    return to - pathEnd;
  });
  let seed = 1;
  const next = () => (seed = seed * 48_271 % 2_147_483_647) / 2_147_483_647;
  const lines: string[] = [];
  for (let i = 0; i < 60_000; i++) {
    const time = new Date(Date.UTC(2026, 10, 21) + i * 1_000).toISOString().slice(11, 19);
    const query = next() < 0.3
      ? `frequent=${Math.floor(next() * 10)}`
      : `rare=${Math.floor(next() * 1e9)}`;
    lines.push(`h - - [21/Nov/2026:${time} +0000] "GET /a?${query} HTTP/1.1" 200 1\n`);
  }
  scan(lines.join(""), [values]);
  const [found] = values.forEndpoints(["GET /a"]);
  assert(!values.isExact);
  assert(found.length <= 12_000);
  assertEquals(found.slice(0, 10).every(({ value }) => value.startsWith("?frequent")), true);
  const sum = (rows: typeof found) => rows.reduce((all, { count }) => all + count, 0);
  assertAlmostEquals(sum(found.slice(0, 10)), 18_000, 18_000 * 0.05);
  assertAlmostEquals(sum(found), 60_000, 60_000 * 0.05);
});
