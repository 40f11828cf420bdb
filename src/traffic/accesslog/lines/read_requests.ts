import type { ByteSource } from "../../../base/bytes/byte_source.ts";
import type { LogFormat } from "../formats/log_format.ts";
import type { ReadProgress } from "../read_access_logs.ts";
import { TrafficProfile } from "../traffic_profile.ts";
import { RequestReader } from "./request_reader.ts";
import { RequestScanner, type RequestUse } from "./request_scanner.ts";

const TICK_BYTES = 8 << 20;

/**
 * Reads logs, each in a format of its own, one behind the other as one log into their profile, and
 * closes them: slower than `readAccessLogs`, and every request that is kept can be looked at. Throws
 * InputError as that does.
 */
export async function readRequests(
  sources: readonly { readonly source: ByteSource; readonly format: LogFormat }[],
  use: RequestUse,
  onProgress: (progress: ReadProgress) => void = () => {},
): Promise<TrafficProfile> {
  const profile = new TrafficProfile();
  const sizes = sources.map(({ source }) => source.size);
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + size!, 0);
  let done = 0;
  for (const { source, format } of sources) {
    profile.beginSource(source.name);
    const scanner = new RequestScanner(profile.tally, new RequestReader(format), use);
    scanner.start(profile.bytes, profile.lines);
    let offset = profile.bytes;
    let tick = 0;
    for await (const chunk of source.chunks()) {
      scanner.scan(chunk);
      offset += chunk.length;
      if (source.stored < tick) continue;
      onProgress({ done: done + source.stored, total });
      tick = source.stored + TICK_BYTES;
    }
    profile.endSource(offset, scanner.finish());
    done += source.stored;
  }
  return profile;
}
