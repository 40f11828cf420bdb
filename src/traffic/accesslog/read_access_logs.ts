import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { AccessLogScanner } from "./scanner.ts";
import { readSliced, SLICED_FROM_BYTES } from "./sliced_reader.ts";
import { TrafficProfile } from "./traffic_profile.ts";

/** How far reading has come. */
export interface ReadProgress {
  /** Bytes taken from the inputs as they are stored. */
  readonly done: number;
  /** Bytes of all inputs as they are stored; absent when one of them does not know its length. */
  readonly total?: number;
}

/** How to read. */
export interface ReadOptions {
  /** Called now and then, at least once for every 8 MiB. */
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Threads that may be used for big plain files; as many as there are processors, at most 8. */
  readonly threads?: number;
}

/**
 * Reads access logs, one behind the other as one log, into their profile, and closes them. Lines that
 * are no request are counted, never an error. Throws InputError when an input cannot be read to its
 * end, or the limits of what is kept are passed.
 */
export async function readAccessLogs(
  sources: readonly ByteSource[],
  { onProgress = () => {}, threads = Math.min(8, navigator.hardwareConcurrency) }: ReadOptions = {},
): Promise<TrafficProfile> {
  const profile = new TrafficProfile();
  const scanner = new AccessLogScanner(profile.tally);
  const sizes = sources.map(({ size }) => size);
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + size!, 0);
  let before = 0;
  for (const source of sources) {
    const report = (stored: number) => onProgress({ done: before + stored, total });
    profile.beginSource(source.name);
    const isBig = threads > 1 && source.slicePath !== undefined &&
      source.size! >= SLICED_FROM_BYTES;
    if (isBig) await readSliced(source, profile, scanner, threads, report);
    else await readStream(source, profile, scanner, report);
    before += source.stored;
  }
  return profile;
}

const TICK_BYTES = 8 << 20;

async function readStream(
  source: ByteSource,
  profile: TrafficProfile,
  scanner: AccessLogScanner,
  report: (stored: number) => void,
): Promise<void> {
  scanner.start(profile.bytes, profile.lines);
  let offset = profile.bytes;
  let tick = 0;
  for await (const chunk of source.chunks()) {
    scanner.scan(chunk);
    offset += chunk.length;
    if (source.stored < tick) continue;
    report(source.stored);
    tick = source.stored + TICK_BYTES;
  }
  profile.endSource(offset, scanner.finish());
}
