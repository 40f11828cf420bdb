import { InputError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { COMBINED, FORMATS } from "./formats/formats.ts";
import type { LogFormat } from "./formats/log_format.ts";
import { COUNT_ONLY, needsEachRequest, type RequestUse } from "./lines/request_use.ts";
import { LogScanner } from "./log_scanner.ts";
import { readSliced, SLICED_FROM_BYTES } from "./sliced_reader.ts";
import { TrafficProfile } from "./traffic_profile.ts";

/** How far reading has come. */
export interface ReadProgress {
  /** Bytes taken from the inputs as they are stored. */
  readonly done: number;
  /** Bytes of all inputs as they are stored; absent when one of them does not know its length. */
  readonly total?: number;
}

/** A log and how its lines are written. */
export interface LogSource {
  readonly source: ByteSource;
  /** Asked when its turn comes; the common or the combined format when absent. */
  readonly format?: () => Promise<LogFormat>;
}

/** How to read. */
export interface ReadOptions {
  /** What becomes of the requests; they are counted, and that is all, when absent. */
  readonly use?: RequestUse;
  /** Called now and then, at least once for every 8 MiB. */
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Threads that may be used for big plain files; as many as there are processors, at most 8. */
  readonly threads?: number;
}

/**
 * Reads access logs, each in a format of its own, one behind the other as one log into their profile,
 * and closes them. Lines that are no request are counted, never an error. Throws InputError when an
 * input cannot be read to its end, or the limits of what is kept are passed.
 */
export async function readAccessLogs(
  logs: readonly LogSource[],
  {
    use = COUNT_ONLY,
    onProgress = () => {},
    threads = Math.min(8, navigator.hardwareConcurrency),
  }: ReadOptions = {},
): Promise<TrafficProfile> {
  const profile = new TrafficProfile();
  const scanners = new Map<LogFormat, LogScanner>();
  const sizes = logs.map(({ source }) => source.size);
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + size!, 0);
  let before = 0;
  for (const { source, format: formatOf } of logs) {
    const format = await formatOf?.() ?? COMBINED;
    const report = (stored: number) => onProgress({ done: before + stored, total });
    const known = format.hasDirectives ? undefined : scanners.get(format);
    const scanner = known ?? new LogScanner(profile.tally, format, use);
    scanners.set(format, scanner);
    profile.beginSource(source.name);
    if (!needsEachRequest(use) && threads > 1 && canBeSliced(source, format)) {
      await readSliced(source, profile, scanner, FORMATS.indexOf(format), threads, report);
    } else await readStream(source, profile, scanner, report);
    before += source.stored;
  }
  return profile;
}

/** Whether it is big, and its lines are read alike wherever in the log they stand. */
function canBeSliced({ slicePath, size }: ByteSource, format: LogFormat): boolean {
  return slicePath !== undefined && size! >= SLICED_FROM_BYTES && FORMATS.includes(format) &&
    !format.hasDirectives;
}

const LF = 0x0a;
/** Most bytes that an input without a known end may have before its first line break. */
const MAX_BYTES_BEFORE_LINE = 64 << 20;
const TICK_BYTES = 8 << 20;

async function readStream(
  source: ByteSource,
  profile: TrafficProfile,
  scanner: LogScanner,
  report: (stored: number) => void,
): Promise<void> {
  scanner.start(profile.bytes, profile.lines);
  let offset = profile.bytes;
  let tick = 0;
  // A regular file has an end; a device such as /dev/zero may have none.
  let hasLines = source.size !== undefined;
  for await (const chunk of source.chunks()) {
    hasLines ||= chunk.includes(LF);
    if (!hasLines && source.stored > MAX_BYTES_BEFORE_LINE) {
      throw new InputError(
        `not an access log: its first ${MAX_BYTES_BEFORE_LINE >> 20} MiB have no line break`,
        { source: source.name },
      );
    }
    scanner.scan(chunk);
    offset += chunk.length;
    if (source.stored < tick) continue;
    report(source.stored);
    tick = source.stored + TICK_BYTES;
  }
  profile.endSource(offset, scanner.finish());
}
