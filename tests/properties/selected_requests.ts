import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { isBot } from "../../src/traffic/accesslog/collect/bots.ts";
import { COLLECTOR_KINDS } from "../../src/traffic/accesslog/collect/collector_kinds.ts";
import type { LogCollector } from "../../src/traffic/accesslog/collect/collector.ts";
import { buildFilters } from "../../src/traffic/accesslog/collect/filters.ts";
import { createCollector } from "../../src/traffic/accesslog/collectors.ts";
import { vhostCombined } from "../../src/traffic/accesslog/formats/vhost_combined.ts";
import { serializeProfile } from "../../src/traffic/accesslog/profile/serialize_profile.ts";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";
import { mixedLog } from "../builders/mixed_log.ts";
import { READ_EACH_LINE, readLines } from "../support/read_lines.ts";

const SETTINGS = { method: "GET", target: "/cart" };
const FILTERS = {
  statuses: ["2xx", "404"],
  methods: ["GET", "POST"],
  noStatic: true,
  include: [/[a-z]/, /^\/\d/],
  exclude: [/9/u, /^\/a/u],
  isBot,
  excludedClients: ["1.2.3.4"],
  since: Date.UTC(2026, 10, 21),
};
/** Filter options. */
export type TestedFilters = Partial<typeof HOST_FILTERS>;

const HOST_FILTERS = { ...FILTERS, hosts: ["shop.example", "api.example:8080"] };

/**
 * Reads a log with collectors and filters. Returns the profile and everything that was collected.
 */
export async function collect(
  log: Uint8Array,
  format: LogFormat,
  kinds: readonly LogCollector["kind"][],
  options: TestedFilters,
  { isEachLineRead = false, chunkLength = log.length }: {
    readonly isEachLineRead?: boolean;
    readonly chunkLength?: number;
  },
): Promise<string[]> {
  const filters = buildFilters(options);
  const collectors = await Promise.all(
    kinds.map((kind) => createCollector({ kind, settings: SETTINGS })),
  );
  const profile = readLines(log, format, {
    chunkLength,
    filters,
    collectors: isEachLineRead ? [...collectors, READ_EACH_LINE] : collectors,
  });
  return [
    serializeProfile(profile, filters),
    ...collectors.map((collector) => JSON.stringify(collector.toJson())),
  ];
}

const subsetOf = (all: object): fc.Arbitrary<TestedFilters> =>
  fc.subarray(Object.entries(all)).map((entries) => Object.fromEntries(entries));
/** Generates a subset of the filter options that apply to all formats. */
export const filters: fc.Arbitrary<TestedFilters> = subsetOf(FILTERS);
/** Generates a subset of all filter options, including `--host`. */
export const hostFilters: fc.Arbitrary<TestedFilters> = subsetOf(HOST_FILTERS);
/** Generates a subset of the kinds of collectors. */
export const kinds: fc.Arbitrary<LogCollector["kind"][]> = fc.subarray([...COLLECTOR_KINDS]);

const hosts = fc.constantFrom(
  "shop.example",
  "shop.example:443",
  "API.example:8080",
  "-",
  "",
  "a@b",
  '"x',
);
/** Format of the lines of `hostLog`. */
export const HOST_FORMAT: LogFormat = vhostCombined.variants[0];

/** Generates logs of at most `maxLines` lines that start with a host, as bytes. */
export function hostLog(maxLines: number): fc.Arbitrary<Uint8Array> {
  const someHosts = fc.array(hosts, { minLength: 1, maxLength: 7 });
  return fc.tuple(mixedLog(maxLines), someHosts).map(([lines, hosts]) =>
    new TextEncoder().encode(
      lines.map((line, i) => `${hosts[i % hosts.length]} ${line}`).join(""),
    )
  );
}

/**
 * Asserts that the filters and the collectors get the same requests from the line counter as from
 * the line reader.
 */
export async function assertSelectedMatchesReader(
  log: Uint8Array,
  format: LogFormat,
  kinds: readonly LogCollector["kind"][],
  options: TestedFilters,
  chunkLength: number,
): Promise<void> {
  const listed = await collect(log, format, kinds, options, { chunkLength });
  const read = await collect(log, format, kinds, options, { isEachLineRead: true });
  assertEquals(listed, read);
}
