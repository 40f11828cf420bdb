import type { LogFormat } from "../../src/traffic/accesslog/formats/log_format.ts";
import { RequestReader } from "../../src/traffic/accesslog/lines/request_reader.ts";
import {
  RequestScanner,
  type RequestUse,
} from "../../src/traffic/accesslog/lines/request_scanner.ts";
import { TrafficProfile } from "../../src/traffic/accesslog/traffic_profile.ts";

/** The profile of a log in any format, whose bytes come in chunks of `chunkLength`. */
export function readLines(
  log: Uint8Array,
  format: LogFormat,
  { chunkLength = log.length, filters = [], collectors = [] }:
    & Partial<RequestUse>
    & { readonly chunkLength?: number } = {},
): TrafficProfile {
  const profile = new TrafficProfile();
  const use = { filters, collectors };
  const scanner = new RequestScanner(profile.tally, new RequestReader(format), use);
  profile.beginSource("log");
  scanner.start(0, 0);
  for (let i = 0; i < log.length; i += chunkLength) scanner.scan(log.slice(i, i + chunkLength));
  profile.endSource(log.length, scanner.finish());
  return profile;
}
