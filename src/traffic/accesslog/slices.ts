import { type ByteSource, fileIdentity, shrunkFileError } from "../../base/bytes/byte_source.ts";
import { InputError, RunError, systemMessage } from "../../base/errors.ts";
import { startThread } from "../../base/start_thread.ts";
import type { LogCollector } from "./collect/collector.ts";
import { LogScanner } from "./log_scanner.ts";
import type { TallyData } from "./profile/tally.ts";
import type { TrafficProfile } from "./profile/traffic_profile.ts";
import type { LogFormat } from "./read/log_format.ts";
import type { LogUse, ReadingReference } from "./reading.ts";

/** Size of a slice in bytes. */
export const SLICE_BYTES = 8 << 20;

/** A file that several threads read in slices. Each thread reads one slice at a time. */
export interface SlicedFile {
  readonly path: string;
  /**
   * Result of `fileIdentity` for the opened file, used to detect whether another file has replaced
   * it.
   */
  readonly identity: string;
  /** Size in bytes when reading starts. The file may grow, but must not shrink. */
  readonly size: number;
  /**
   * Number of slices. The last slice extends to the end of the file, even if the file has grown.
   */
  readonly slices: number;
  /** Byte offset of the start of the file, counted across all logs. */
  readonly base: number;
  /** Format, filters and collectors for reading the slices. */
  readonly reading: ReadingReference;
  /** Two i32 counters that the threads share: the number of slices taken, and of slices read. */
  readonly shared: SharedArrayBuffer;
}

/** Result of reading a slice. A line belongs to the slice in which it starts. */
export interface SliceRead {
  readonly slice: number;
  /** Log offset at which the first line starts; `Infinity` if no line starts in the slice. */
  readonly start: number;
  /** Log offset at which the last line ends; `Infinity` if no line starts in the slice. */
  readonly end: number;
  readonly lines: number;
}

/** Result that a worker posts after its last slice. */
export interface WorkerResult {
  readonly tally: TallyData;
  readonly read: readonly SliceRead[];
  readonly dropped: readonly number[];
  readonly collected: readonly unknown[];
}

const HANDED_OUT = 0;
const READ = 1;

/** Creates the counters that the threads share. */
export function createSharedCounters(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Opens the file at `path`. Throws an `Error` if another file has replaced it. */
export function openSliced({ path, identity }: SlicedFile): Deno.FsFile {
  const file = Deno.openSync(path);
  if (fileIdentity(file.statSync()) === identity) return file;
  file.close();
  throw new Error("another file replaced it while it was being read");
}

/**
 * Assigns slices to threads, and counts the slices that were read. All threads share the counters.
 */
export class SliceCounters {
  readonly #counters: Int32Array;
  readonly #slices: number;

  /** Creates the counters of a file. */
  constructor({ shared, slices }: SlicedFile) {
    this.#counters = new Int32Array(shared);
    this.#slices = slices;
  }

  /** Takes the next slice. Returns its index, or undefined if no slices are left. */
  take(): number | undefined {
    const slice = Atomics.add(this.#counters, HANDED_OUT, 1);
    return slice < this.#slices ? slice : undefined;
  }

  /**
   * Counts a slice that was read. Returns the number of slices that all threads have read so far.
   */
  countRead(): number {
    return Atomics.add(this.#counters, READ, 1) + 1;
  }
}

/** Scans the slice with index `slice`. Throws an `Error` if the file has shrunk. */
export function scanSlice(
  file: Deno.FsFile,
  { base, size, slices }: SlicedFile,
  slice: number,
  scanner: LogScanner,
): SliceRead {
  const from = lineStart(file, slice * SLICE_BYTES, size);
  const to = slice + 1 < slices ? lineStart(file, (slice + 1) * SLICE_BYTES, size) : Infinity;
  if (from >= to) return { slice, start: Infinity, end: Infinity, lines: 0 };
  scanner.start(base + from, 0);
  const end = readRange(file, from, to, scanner);
  if (end < (to === Infinity ? size : to)) throw shrunkFileError(size, end);
  return { slice, start: base + from, end: base + end, lines: scanner.endLine() };
}

/**
 * Passes the bytes `[from, to)` of the file to `scanner` in chunks. If the file ends before `to`,
 * passes fewer bytes. Returns the file offset where it stopped.
 */
function readRange(
  file: Deno.FsFile,
  from: number,
  to: number,
  scanner: LogScanner,
): number {
  const { buffer } = scanner;
  file.seekSync(from, Deno.SeekMode.Start);
  let at = from;
  while (at < to) {
    const count = file.readSync(buffer.subarray(0, Math.min(buffer.length, to - at)));
    if (count === null) break;
    scanner.scan(buffer.subarray(0, count));
    at += count;
  }
  return at;
}

/**
 * Returns the offset of the first line that starts at or after byte `at`, or `Infinity` if there is
 * no such line. Throws an `Error` if the file has fewer than `size` bytes.
 */
function lineStart(file: Deno.FsFile, at: number, size: number): number {
  if (at === 0) return 0;
  file.seekSync(at - 1, Deno.SeekMode.Start);
  const probe = new Uint8Array(4096);
  let start = at - 1;
  for (let count; (count = file.readSync(probe)) !== null; start += count) {
    const lf = probe.subarray(0, count).indexOf(0x0a);
    if (lf >= 0) return start + lf + 1;
  }
  if (start < size) throw shrunkFileError(size, start);
  return Infinity;
}

/** Parameters for reading a file in slices. */
export interface SlicedReading {
  readonly format: LogFormat;
  /** Filters and collectors. Workers create equivalent ones from `reference`. */
  readonly use: LogUse;
  /** Format, filters and collectors, in a form that can be sent to the workers. */
  readonly reference: ReadingReference;
  /** Entry module of the other threads. */
  readonly thread: URL | string;
  /** Number of threads, including this one. */
  readonly threads: number;
  /** Called with the number of bytes that all threads have read so far. */
  readonly report: (stored: number) => void;
}

/**
 * Reads a large uncompressed file into `profile`. This thread and several workers read it in
 * slices. This thread also reads the slices that a worker could not read. Throws `InputError` if
 * the file shrinks or is moved, deleted or replaced while it is being read, and `RunError` if a
 * worker cannot be started.
 */
export async function readSliced(
  source: ByteSource,
  profile: TrafficProfile,
  reading: SlicedReading,
): Promise<void> {
  const size = source.size!;
  const sliced = {
    path: source.slicePath!,
    identity: source.identity!,
    size,
    slices: Math.ceil(size / SLICE_BYTES),
    base: profile.bytes,
    reading: reading.reference,
    shared: createSharedCounters(),
  };
  const reader = new SlicedReader(sliced, profile, reading);
  try {
    reader.startWorkers();
    const read = await reader.read();
    finishLines(profile, read);
    reading.report(size);
  } catch (error) {
    throw unreadable(source, error);
  } finally {
    reader.terminateWorkers();
    source[Symbol.dispose]();
  }
}

class SlicedReader {
  readonly #sliced: SlicedFile;
  readonly #profile: TrafficProfile;
  readonly #reading: SlicedReading;
  readonly #counters: SliceCounters;
  readonly #workers: Worker[] = [];
  #results: Promise<(WorkerResult | undefined)[]> = Promise.resolve([]);

  constructor(sliced: SlicedFile, profile: TrafficProfile, reading: SlicedReading) {
    this.#sliced = sliced;
    this.#profile = profile;
    this.#reading = reading;
    this.#counters = new SliceCounters(sliced);
  }

  startWorkers(): void {
    const workers = Array.from({ length: this.#reading.threads - 1 }, () => this.#startWorker());
    this.#results = Promise.all(workers);
    this.#results.catch(() => {}); // `read` reports the error.
  }

  terminateWorkers(): void {
    for (const worker of this.#workers) worker.terminate();
  }

  async read(): Promise<SliceRead[]> {
    const { format, use } = this.#reading;
    const scanner = new LogScanner(this.#profile, format, use);
    const read = this.#scanSlices(scanner);
    const collectors = use.collectors as readonly LogCollector[];
    for (const result of await this.#results) {
      if (result === undefined) continue;
      this.#profile.merge(result.tally, 0, 0);
      collectors.forEach((collector, i) => collector.merge(result.collected[i], 0));
      use.filters.forEach((filter, i) => filter.dropped += result.dropped[i]);
      read.push(...result.read);
    }
    scanner.finish();
    this.#readMissing(read);
    return read;
  }

  /** Takes and scans slices until no slices are left. */
  #scanSlices(scanner: LogScanner): SliceRead[] {
    using file = openSliced(this.#sliced);
    const read: SliceRead[] = [];
    for (let slice; (slice = this.#counters.take()) !== undefined;) {
      read.push(scanSlice(file, this.#sliced, slice, scanner));
      const count = this.#counters.countRead();
      this.#reading.report(Math.min(count * SLICE_BYTES, this.#sliced.size));
    }
    return read;
  }

  /** Resolves to undefined if the worker could not read a slice. */
  #startWorker(): Promise<WorkerResult | undefined> {
    return new Promise((resolve, reject) => {
      const worker = startThread("log", this.#reading.thread, reject);
      this.#workers.push(worker);
      const end = (result?: WorkerResult) => {
        // Frees the worker's memory before its result is merged.
        worker.terminate();
        resolve(result);
      };
      worker.onmessage = ({ data }: MessageEvent<WorkerResult | undefined>) => end(data);
      worker.onmessageerror = () => end();
      worker.postMessage(this.#sliced);
    });
  }

  /** Reads the slices that workers took but whose results they did not report. */
  #readMissing(read: SliceRead[]): void {
    const known = new Set(read.map(({ slice }) => slice));
    if (known.size === this.#sliced.slices) return;
    using file = openSliced(this.#sliced);
    const { format, use } = this.#reading;
    const scanner = new LogScanner(this.#profile, format, use);
    for (let slice = 0; slice < this.#sliced.slices; slice++) {
      if (!known.has(slice)) read.push(scanSlice(file, this.#sliced, slice, scanner));
    }
    scanner.finish();
  }
}

function unreadable({ name }: ByteSource, error: unknown): Error {
  if (error instanceof InputError || error instanceof RunError) return error;
  const gone = error instanceof Deno.errors.NotFound;
  const reason = gone ? "it was moved or deleted while it was being read" : systemMessage(error);
  return new InputError(`cannot read ${name}: ${reason}`, { source: name }, { cause: error });
}

/**
 * Adds up the line counts of the slices. Converts the line numbers of malformed lines from
 * positions in a slice to positions in the log.
 */
function finishLines(profile: TrafficProfile, read: SliceRead[]): void {
  const { firstByReason } = profile;
  const found = Object.values(firstByReason);
  let { bytes, lines } = profile;
  for (const { start, end, lines: count } of read.sort((a, b) => a.slice - b.slice)) {
    if (start === Infinity) continue;
    for (const line of found) {
      if (line.offset < start || line.offset >= end) continue;
      firstByReason[line.reason] = { ...line, line: line.line + lines };
    }
    lines += count;
    bytes = end;
  }
  profile.endSource(bytes, lines);
}
