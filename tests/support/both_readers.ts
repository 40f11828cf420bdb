import { assertEquals } from "@std/assert";
import type { LogCollector } from "../../src/traffic/accesslog/collect/collector.ts";
import { buildFilters } from "../../src/traffic/accesslog/collect/filters.ts";
import { serializeProfile } from "../../src/traffic/accesslog/profile/parse_profile.ts";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";
import { createCollector } from "../../src/traffic/accesslog/slices.ts";
import { READ_EACH_LINE, readLines } from "./read_lines.ts";

/** The limit of visits is low, so that most logs exceed it. */
const SETTINGS = { method: "GET", target: "/cart", requests: 20 };

/** What to collect from which requests of a log (default: only counts, of all requests). */
export interface Selection {
  readonly kinds?: readonly LogCollector["kind"][];
  readonly options?: Parameters<typeof buildFilters>[0];
}

/**
 * Asserts that the profile, the filters and the collectors get the same requests from the line
 * counter as from the line reader.
 */
export async function assertCounterMatchesReader(
  log: Uint8Array,
  format: LogFormat,
  selection: Selection = {},
  chunkLength: number = log.length,
): Promise<void> {
  const counted = await collect(log, format, selection, chunkLength, false);
  assertEquals(counted, await collect(log, format, selection, log.length, true));
}

async function collect(
  log: Uint8Array,
  format: LogFormat,
  { kinds = [], options = {} }: Selection,
  chunkLength: number,
  isEachLineRead: boolean,
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
