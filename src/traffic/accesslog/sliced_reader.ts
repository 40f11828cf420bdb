import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError, RunError, systemMessage } from "../../base/errors.ts";
import { startThread } from "../../base/start_thread.ts";
import type { LogCollector } from "./collect/collector.ts";
import { LogScanner } from "./log_scanner.ts";
import type { TrafficProfile } from "./profile/traffic_profile.ts";
import type { LogFormat } from "./read/log_format.ts";
import {
  type LogUse,
  readingOfThread,
  type ReadingReference,
  splitByOrder,
  type ThreadReading,
} from "./reading.ts";
import { SliceMerger } from "./slice_merger.ts";
import {
  createSharedCounters,
  openSliced,
  scanSlice,
  SLICE_BYTES,
  SliceCounters,
  type SlicedFile,
  type SliceRead,
} from "./slices.ts";
import type { WorkerMessage, WorkerResult } from "./worker.ts";

/** Entry module of the threads that read slices. */
export const LOG_THREAD: URL | string = new URL("./worker.ts", import.meta.url);

/** Parameters for reading a file in slices. */
export interface SlicedReading {
  readonly format: LogFormat;
  /** Filters and collectors. Workers create equivalent ones from `reference`. */
  readonly use: LogUse;
  /** Format, filters and collectors, in a form that can be sent to the workers. */
  readonly reference: ReadingReference;
  /** Number of threads, including this one. */
  readonly threads: number;
  /** Called with the number of bytes that all threads have read so far. */
  readonly report: (stored: number) => void;
}

/**
 * Reads a large uncompressed file into `profile`. This thread and several workers read it in
 * slices. This thread also reads the slices that a worker could not read. Throws `InputError` if the
 * file shrinks or is moved, deleted or replaced while it is being read, and `RunError` if a worker
 * cannot be started.
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

/**
 * Interval, in milliseconds, at which a thread checks whether its next slice is still too far ahead
 * (see `SliceCounters.isAhead`).
 */
const WAIT_MS = 2;

class SlicedReader {
  readonly #sliced: SlicedFile;
  readonly #profile: TrafficProfile;
  readonly #reading: SlicedReading;
  readonly #collectors: readonly LogCollector[];
  readonly #unordered: readonly LogCollector[];
  readonly #counters: SliceCounters;
  readonly #merger: SliceMerger | undefined;
  readonly #workers: Worker[] = [];
  #results: Promise<(WorkerResult | undefined)[]> = Promise.resolve([]);

  constructor(sliced: SlicedFile, profile: TrafficProfile, reading: SlicedReading) {
    this.#sliced = sliced;
    this.#profile = profile;
    this.#reading = reading;
    this.#collectors = reading.use.collectors as readonly LogCollector[];
    const { unordered, ordered } = splitByOrder(this.#collectors);
    this.#unordered = unordered;
    this.#counters = new SliceCounters(sliced);
    this.#merger = ordered.length === 0 ? undefined : new SliceMerger(ordered, this.#counters);
  }

  startWorkers(): void {
    const threads = Array.from({ length: this.#reading.threads - 1 }, (_, i) => i + 1);
    this.#results = Promise.all(threads.map((thread) => this.#startWorker(thread)));
    this.#results.catch(() => {}); // `read` reports the error.
  }

  terminateWorkers(): void {
    for (const worker of this.#workers) worker.terminate();
  }

  async read(): Promise<SliceRead[]> {
    const own = this.#thread();
    const scanner = new LogScanner(this.#profile.tally, own.format, own.use);
    const read = await this.#scanSlices(scanner, own);
    for (const result of await this.#results) {
      if (result === undefined) continue;
      this.#profile.tally.merge(result.tally, 0, 0);
      this.#unordered.forEach((collector, i) => collector.merge(result.collected[i], 0));
      this.#reading.use.filters.forEach((filter, i) => filter.dropped += result.dropped[i]);
      read.push(...result.read);
    }
    scanner.finish();
    this.#readMissing(read);
    return read;
  }

  #thread(): ThreadReading {
    const { format, use: { filters } } = this.#reading;
    return readingOfThread(format, filters, this.#collectors);
  }

  /** Takes and scans slices until no slices are left. */
  async #scanSlices(scanner: LogScanner, { recorders }: ThreadReading): Promise<SliceRead[]> {
    using file = openSliced(this.#sliced);
    const read: SliceRead[] = [];
    for (let slice; (slice = this.#counters.take()) !== undefined;) {
      if (this.#merger !== undefined) await this.#waitForMerge(slice);
      read.push(scanSlice(file, this.#sliced, slice, scanner));
      this.#merger?.add(slice, 0, recorders.map((recorder) => recorder.take()));
      const count = this.#counters.countRead();
      this.#reading.report(Math.min(count * SLICE_BYTES, this.#sliced.size));
    }
    return read;
  }

  /**
   * Lets the event loop deliver the records of other threads. If `slice` is too far ahead of the
   * merged slices (see `SliceCounters.isAhead`), waits until it no longer is.
   */
  async #waitForMerge(slice: number): Promise<void> {
    await nextTurn(0);
    while (this.#counters.isAhead(slice)) await nextTurn(WAIT_MS);
  }

  /** Resolves to undefined if the worker could not read a slice. */
  #startWorker(thread: number): Promise<WorkerResult | undefined> {
    return new Promise((resolve, reject) => {
      const worker = startThread("log", LOG_THREAD, (error) => {
        this.#counters.setMerged(this.#sliced.slices);
        reject(error);
      });
      this.#workers.push(worker);
      const end = (result?: WorkerResult) => {
        // Frees the worker's memory before its result is merged.
        worker.terminate();
        // No thread may wait for slices that this worker did not finish.
        if (result === undefined) this.#counters.setMerged(this.#sliced.slices);
        resolve(result);
      };
      worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
        if (data === undefined || "tally" in data) end(data);
        else this.#merger!.add(data.slice, thread, data.records);
      };
      worker.onmessageerror = () => end();
      worker.postMessage(this.#sliced);
    });
  }

  /** Reads the slices that workers took but whose results they did not report. */
  #readMissing(read: SliceRead[]): void {
    const known = new Set(read.map(({ slice }) => slice));
    if (known.size === this.#sliced.slices) return;
    using file = openSliced(this.#sliced);
    for (let slice = 0; slice < this.#sliced.slices; slice++) {
      if (known.has(slice)) continue;
      // A worker may have recorded the slice before it failed, so each slice has its own recorders.
      const own = this.#thread();
      const scanner = new LogScanner(this.#profile.tally, own.format, own.use);
      read.push(scanSlice(file, this.#sliced, slice, scanner));
      scanner.finish();
      if (this.#merger?.has(slice) === false) {
        this.#merger.add(slice, 0, own.recorders.map((recorder) => recorder.take()));
      }
    }
  }
}

function nextTurn(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
  const { firstMalformed } = profile.tally;
  const found = Object.values(firstMalformed);
  let { bytes, lines } = profile;
  for (const { start, end, lines: count } of read.sort((a, b) => a.slice - b.slice)) {
    if (start === Infinity) continue;
    for (const line of found) {
      if (line.offset < start || line.offset >= end) continue;
      firstMalformed[line.reason] = { ...line, line: line.line + lines };
    }
    lines += count;
    bytes = end;
  }
  profile.endSource(bytes, lines);
}
