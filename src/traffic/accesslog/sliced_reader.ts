import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError, RunError, systemMessage } from "../../base/errors.ts";
import { startThread } from "../../base/start_thread.ts";
import type { LogCollector } from "./collect/collector.ts";
import { LogScanner } from "./log_scanner.ts";
import type { TrafficProfile } from "./profile/traffic_profile.ts";
import type { LogFormat } from "./read/log_format.ts";
import type { LogUse, ReadingReference } from "./reading.ts";
import {
  createSharedCounters,
  openSliced,
  scanSlice,
  SLICE_BYTES,
  SliceCounters,
  type SlicedFile,
  type SliceRead,
} from "./slices.ts";
import type { WorkerResult } from "./worker.ts";

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
    const scanner = new LogScanner(this.#profile.tally, format, use);
    const read = this.#scanSlices(scanner);
    const collectors = use.collectors as readonly LogCollector[];
    for (const result of await this.#results) {
      if (result === undefined) continue;
      this.#profile.tally.merge(result.tally, 0, 0);
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
      const worker = startThread("log", LOG_THREAD, reject);
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
    const scanner = new LogScanner(this.#profile.tally, format, use);
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
