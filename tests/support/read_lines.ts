import type { LogFormat } from "../../src/traffic/accesslog/formats/log_format.ts";
import type {
  RequestCollector,
  RequestUse,
} from "../../src/traffic/accesslog/lines/request_use.ts";
import { LogScanner } from "../../src/traffic/accesslog/log_scanner.ts";
import { TrafficProfile } from "../../src/traffic/accesslog/traffic_profile.ts";

/** Has each line looked at by itself, so that the counter of lines is not used. */
export const LOOKS_ON: RequestCollector = { add: () => {} };

/** The profile of a log in any format, whose bytes come in chunks of `chunkLength`. */
export function readLines(
  log: Uint8Array,
  format: LogFormat,
  { chunkLength = log.length, filters = [], collectors = [] }:
    & Partial<RequestUse>
    & { readonly chunkLength?: number } = {},
): TrafficProfile {
  const profile = new TrafficProfile();
  const scanner = new LogScanner(profile.tally, format, { filters, collectors });
  profile.beginSource("log");
  scanner.start(0, 0);
  for (let i = 0; i < log.length; i += chunkLength) scanner.scan(log.slice(i, i + chunkLength));
  profile.endSource(log.length, scanner.finish());
  return profile;
}
