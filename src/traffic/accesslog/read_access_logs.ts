import { LF } from "../../base/ascii.ts";
import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
import { mayStartThread } from "../../base/start_thread.ts";
import { COMBINED, detectFormat } from "./formats/formats.ts";
import { LogScanner } from "./log_scanner.ts";
import { TrafficProfile } from "./profile/traffic_profile.ts";
import type { LogFormat } from "./read/log_format.ts";
import { type LogUse, readSliced } from "./slices.ts";

/** For a smaller file, starting threads would take longer. */
const SLICED_FROM_BYTES = 100 * 1000 * 1000;

const LOG_THREAD: URL | string = new URL("./worker.ts", import.meta.url);

export interface ReadProgress {
  /** Number of bytes read so far from the inputs, before decompression. */
  readonly done: number;
  /** Absent if the size of any input is unknown. */
  readonly total?: number;
}

/** A log and the format of its lines. */
export interface LogSource {
  readonly source: ByteSource;
  /** Called immediately before the log is read. Default: the combined or common format. */
  readonly format?: () => Promise<LogFormat>;
}

export interface ReadOptions {
  /** Default: requests are only counted. */
  readonly use?: LogUse;
  /** Called after about every 8 MiB of input (before decompression). */
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Threads for a large uncompressed file. By default, the processors, at most 8. */
  readonly threads?: number;
  readonly onOneThread?: () => void;
  /** Profile to add to, such as that of an earlier part. Default: an empty one. */
  readonly profile?: TrafficProfile;
}

/** Reads logs in order, each in its format, and closes them. Throws `InputError`. */
export async function readAccessLogs(
  logs: readonly LogSource[],
  {
    use = { filters: [], collectors: [] },
    onProgress = () => {},
    threads = Math.min(8, navigator.hardwareConcurrency),
    onOneThread = () => {},
    profile = new TrafficProfile(),
  }: ReadOptions = {},
): Promise<TrafficProfile> {
  const scanners = new Map<LogFormat, LogScanner>();
  const sizes = logs.map(({ source }) => source.size);
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + size!, 0);
  let before = 0;
  for (const { source, format: formatOf } of logs) {
    const format = await formatOf?.() ?? COMBINED;
    const report = (stored: number) => onProgress({ done: before + stored, total });
    profile.beginSource(source.name);
    const isSliced = threads > 1 && source.slicePath !== undefined &&
      source.size! >= SLICED_FROM_BYTES && !hasDirectives(format);
    if (isSliced && mayStartThread(LOG_THREAD)) {
      await readSliced(source, profile, { format, use, thread: LOG_THREAD, threads, report });
    } else {
      if (isSliced) onOneThread();
      const known = hasDirectives(format) ? undefined : scanners.get(format);
      const scanner = known ?? new LogScanner(profile, format, use);
      scanners.set(format, scanner);
      await readStream(source, profile, scanner, report);
    }
    before += source.stored;
  }
  // A line that a different format could read is the best hint on why it was malformed.
  const { firstByReason } = profile;
  for (const line of Object.values(firstByReason)) {
    const format = detectFormat(new TextEncoder().encode(line.text), undefined, true)?.name;
    if (format !== undefined) firstByReason[line.reason] = { ...line, format };
  }
  return profile;
}

/** Such as a `#Fields:` line. */
function hasDirectives({ lines }: LogFormat): boolean {
  return "columns" in lines;
}

/** Bytes before the first line break of an input of unknown size. */
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
  // A regular file has an end, but a device such as /dev/zero may not.
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
