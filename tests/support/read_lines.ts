import type {
  RequestCollector,
  RequestUse,
} from "../../src/traffic/accesslog/collect/collector.ts";
import { LogScanner } from "../../src/traffic/accesslog/log_scanner.ts";
import { TrafficProfile } from "../../src/traffic/accesslog/profile/traffic_profile.ts";
import type { LogFormat } from "../../src/traffic/accesslog/read/log_format.ts";

/**
 * Collector that does nothing. Its presence disables `LineCounter`, so `RequestReader` reads each
 * line.
 */
export const READ_EACH_LINE: RequestCollector = { add: () => {} };

/**
 * Reads a log in the given format in chunks of `chunkLength` bytes and returns its profile.
 */
export function readLines(
  log: Uint8Array,
  format: LogFormat,
  { chunkLength = log.length, filters = [], collectors = [] }:
    & Partial<RequestUse>
    & { readonly chunkLength?: number } = {},
): TrafficProfile {
  const profile = new TrafficProfile();
  const scanner = new LogScanner(profile, format, { filters, collectors });
  profile.beginSource("log");
  scanner.start(0, 0);
  for (let i = 0; i < log.length; i += chunkLength) scanner.scan(log.slice(i, i + chunkLength));
  profile.endSource(log.length, scanner.finish());
  return profile;
}
