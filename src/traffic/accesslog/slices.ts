import { type ByteSource, fileIdentity, shrunkFileError } from "../../base/bytes/byte_source.ts";
import { InputError, RunError, systemMessage } from "../../base/errors.ts";
import { startThread } from "../../base/start_thread.ts";
import { EntryRequests, Statuses, Timings } from "./collect/request_counts.ts";
import { collectIds, collectQueries } from "./collect/request_url.ts";
import type { CollectorKind, LogCollector } from "./collect/collector.ts";
import type { CountedFilter, FilterOptions } from "./collect/filters.ts";
import { type VisitLimits, Visits } from "./collect/visits.ts";
import { LogScanner } from "./log_scanner.ts";
import type { TallyData, TrafficProfile } from "./profile/traffic_profile.ts";
import type { LogFormat } from "./read/log_format.ts";

/** Filters and collectors for the requests of a log. */
export interface LogUse {
  readonly filters: readonly CountedFilter[];
  /** Options from which the filters were built, so that threads can build equivalent filters. */
  readonly filterOptions?: FilterOptions;
  readonly collectors: readonly LogCollector[];
}

/** Can be sent to another thread. */
export interface ReadingReference {
  readonly format: LogFormat;
  readonly filters: FilterOptions;
  readonly collectors: readonly CollectorReference[];
}

export type CollectorReference = Pick<LogCollector, "kind" | "settings" | "shared">;

const COLLECTORS: Readonly<
  Record<CollectorKind, (settings: unknown, shared?: SharedArrayBuffer) => LogCollector>
> = {
  timings: () => new Timings(),
  ids: collectIds,
  queries: collectQueries,
  visits: (settings, shared) => new Visits(settings as VisitLimits | undefined, shared),
  statuses: () => new Statuses(),
  entry: (settings) => {
    const { method, target } = settings as { readonly method: string; readonly target: string };
    return new EntryRequests(method, target);
  },
};

/** Creates an empty collector. */
export function createCollector({ kind, settings, shared }: CollectorReference): LogCollector {
  return COLLECTORS[kind](settings, shared);
}

export const SLICE_BYTES = 8 << 20;

/** A file that several threads read in slices. Each thread reads one slice at a time. */
export interface SlicedFile {
  readonly path: string;
  /** From `fileIdentity`, to detect that another file replaced it. */
  readonly identity: string;
  /** When reading starts. The file may grow, but must not shrink. */
  readonly size: number;
  /** The last slice extends to the end of the file, even if that has grown. */
  readonly slices: number;
  /** Counted across all logs. */
  readonly base: number;
  readonly reading: ReadingReference;
  /** Two i32: slices taken, and slices read. */
  readonly shared: SharedArrayBuffer;
}

/** A line belongs to the slice in which it starts. */
export interface SliceRead {
  readonly slice: number;
  /** Log offset at which the first line starts; `Infinity` if no line starts in the slice. */
  readonly start: number;
  /** Log offset at which the last line ends; `Infinity` if no line starts in the slice. */
  readonly end: number;
  readonly lines: number;
}

export interface WorkerResult {
  readonly tally: TallyData;
  readonly read: readonly SliceRead[];
  readonly dropped: readonly number[];
  readonly collected: readonly unknown[];
}

const TAKEN = 0;
const READ = 1;

/** Throws an `Error` if another file has replaced it. */
function openSliced({ path, identity }: SlicedFile): Deno.FsFile {
  const file = Deno.openSync(path);
  if (fileIdentity(file.statSync()) === identity) return file;
  file.close();
  throw new Error("another file replaced it while it was being read");
}

/** Scans slices until none are left or `onRead` returns false. Throws an `Error`. */
export function scanSlices(
  sliced: SlicedFile,
  scanner: LogScanner,
  onRead: (done: number) => boolean,
): SliceRead[] {
  using file = openSliced(sliced);
  const counters = new Int32Array(sliced.shared);
  const read: SliceRead[] = [];
  for (let slice; (slice = Atomics.add(counters, TAKEN, 1)) < sliced.slices;) {
    read.push(scanSlice(file, sliced, slice, scanner));
    if (!onRead(Atomics.add(counters, READ, 1) + 1)) break;
  }
  return read;
}

function scanSlice(
  file: Deno.FsFile,
  { base, size, slices }: SlicedFile,
  slice: number,
  scanner: LogScanner,
): SliceRead {
  const from = lineStart(file, slice * SLICE_BYTES, size);
  const to = slice + 1 < slices ? lineStart(file, (slice + 1) * SLICE_BYTES, size) : Infinity;
  if (from >= to) return { slice, start: Infinity, end: Infinity, lines: 0 };
  scanner.start(base + from, 0);
  const { buffer } = scanner;
  file.seekSync(from, Deno.SeekMode.Start);
  let end = from;
  while (end < to) {
    const count = file.readSync(buffer.subarray(0, Math.min(buffer.length, to - end)));
    if (count === null) break;
    scanner.scan(buffer.subarray(0, count));
    end += count;
  }
  if (end < (to === Infinity ? size : to)) throw shrunkFileError(size, end);
  return { slice, start: base + from, end: base + end, lines: scanner.endLine() };
}

/** The first line at or after `at`, or `Infinity`. Throws an `Error` if the file has shrunk. */
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

export interface SlicedReading {
  readonly format: LogFormat;
  readonly use: LogUse;
  readonly thread: URL | string;
  readonly threads: number;
  /** Called with the bytes that all threads have read so far. */
  readonly report: (stored: number) => void;
}

/** This thread also reads the slices of workers that fail. Throws `InputError`. */
export async function readSliced(
  source: ByteSource,
  profile: TrafficProfile,
  { format, use, thread, threads, report }: SlicedReading,
): Promise<void> {
  const size = source.size!;
  const sliced: SlicedFile = {
    path: source.slicePath!,
    identity: source.identity!,
    size,
    slices: Math.ceil(size / SLICE_BYTES),
    base: profile.bytes,
    reading: {
      format,
      filters: use.filterOptions ?? {},
      collectors: use.collectors.map(({ kind, settings, shared }) => ({ kind, settings, shared })),
    },
    shared: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
  };
  const workers: Worker[] = [];
  try {
    const started = Array.from(
      { length: threads - 1 },
      () => startWorker(thread, sliced, (worker) => workers.push(worker)),
    );
    const results = Promise.all(started);
    results.catch(() => {}); // The error is thrown below.
    const scanner = new LogScanner(profile, format, use);
    const read = scanSlices(sliced, scanner, (done) => {
      report(Math.min(done * SLICE_BYTES, size));
      return true;
    });
    for (const result of await results) {
      if (result === undefined) continue;
      profile.merge(result.tally, 0, 0);
      use.collectors.forEach((collector, i) => collector.merge(result.collected[i], 0));
      use.filters.forEach((filter, i) => filter.dropped += result.dropped[i]);
      read.push(...result.read);
    }
    scanMissing(sliced, read, scanner);
    scanner.finish();
    finishLines(profile, read);
    report(size);
  } catch (error) {
    throw unreadable(source, error);
  } finally {
    for (const worker of workers) worker.terminate();
    source[Symbol.dispose]();
  }
}

/** Resolves to undefined if the worker could not read a slice. */
function startWorker(
  thread: URL | string,
  sliced: SlicedFile,
  onStart: (worker: Worker) => void,
): Promise<WorkerResult | undefined> {
  return new Promise((resolve, reject) => {
    const worker = startThread("log", thread, reject);
    onStart(worker);
    const end = (result?: WorkerResult) => {
      // Frees the worker's memory before its result is merged.
      worker.terminate();
      resolve(result);
    };
    worker.onmessage = ({ data }: MessageEvent<WorkerResult | undefined>) => end(data);
    worker.onmessageerror = () => end();
    worker.postMessage(sliced);
  });
}

function scanMissing(sliced: SlicedFile, read: SliceRead[], scanner: LogScanner): void {
  const known = new Set(read.map(({ slice }) => slice));
  if (known.size === sliced.slices) return;
  using file = openSliced(sliced);
  for (let slice = 0; slice < sliced.slices; slice++) {
    if (!known.has(slice)) read.push(scanSlice(file, sliced, slice, scanner));
  }
}

function unreadable({ name }: ByteSource, error: unknown): Error {
  if (error instanceof InputError || error instanceof RunError) return error;
  const gone = error instanceof Deno.errors.NotFound;
  const reason = gone ? "it was moved or deleted while it was being read" : systemMessage(error);
  return new InputError(`cannot read ${name}: ${reason}`, { source: name }, { cause: error });
}

/** Converts line numbers from positions in a slice to positions in the log. */
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
