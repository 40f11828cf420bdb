import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError, systemMessage } from "../../base/errors.ts";
import type { LogScanner } from "./log_scanner.ts";
import type { SliceWorkerResult } from "./worker.ts";
import { createSharedCounters, openSliced, scanSlice, scanSlices, SLICE_BYTES } from "./slices.ts";
import type { SlicedFile, SliceRead } from "./slices.ts";
import type { TrafficProfile } from "./profile/traffic_profile.ts";

/**
 * Minimum size, in bytes, of a file that several threads read. For a smaller file, starting the
 * threads would take longer than reading the file.
 */
export const SLICED_FROM_BYTES = 100 * 1000 * 1000;

/**
 * Reads a large uncompressed file into `profile`. This thread and workers read it in slices.
 * `scanner` must add to the tally of `profile`. `format` is the index of the log format in
 * `FORMATS`. `report` receives the number of bytes read so far. If a worker cannot be started or
 * fails, this thread reads its slices. Throws `InputError` if the file shrinks or is moved, deleted
 * or replaced while it is read.
 */
export async function readSliced(
  source: ByteSource,
  profile: TrafficProfile,
  scanner: LogScanner,
  format: number,
  threads: number,
  report: (stored: number) => void,
): Promise<void> {
  const size = source.size!;
  const sliced = {
    path: source.slicePath!,
    identity: source.identity!,
    size,
    slices: Math.ceil(size / SLICE_BYTES),
    base: profile.bytes,
    format,
    shared: createSharedCounters(),
  };
  const workers = startWorkers(sliced, threads - 1);
  try {
    const read = scanSlices(sliced, scanner, (count) => {
      report(Math.min(count * SLICE_BYTES, size));
      return true;
    });
    for (const result of await Promise.all(workers.map(awaitResult))) {
      if (result === undefined) continue;
      profile.tally.merge(result.tally, 0, 0);
      read.push(...result.read);
    }
    readMissing(sliced, read, scanner);
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

function unreadable({ name }: ByteSource, error: unknown): InputError {
  if (error instanceof InputError) return error;
  const gone = error instanceof Deno.errors.NotFound;
  const reason = gone ? "it was moved or deleted while it was read" : systemMessage(error);
  return new InputError(`could not read ${name}: ${reason}`, { source: name }, { cause: error });
}

function startWorkers(sliced: SlicedFile, count: number): Worker[] {
  const url = new URL("./worker.ts", import.meta.url);
  // Deno would print an error for each worker that has no permission to load the module.
  const mayLoad = url.protocol !== "file:" ||
    Deno.permissions.querySync({ name: "read", path: url }).state === "granted";
  if (!mayLoad) return [];
  return Array.from({ length: count }, () => {
    const worker = new Worker(url, { type: "module" });
    worker.postMessage(sliced);
    return worker;
  });
}

function awaitResult(worker: Worker): Promise<SliceWorkerResult | undefined> {
  return new Promise((resolve) => {
    const end = (result?: SliceWorkerResult) => {
      // Frees the worker's memory before its result is merged.
      worker.terminate();
      resolve(result);
    };
    worker.onmessage = ({ data }) => end(data);
    worker.onmessageerror = () => end();
    worker.onerror = (event) => {
      event.preventDefault();
      end();
    };
  });
}

/** Reads the slices that workers took but whose results they did not report. */
function readMissing(sliced: SlicedFile, read: SliceRead[], scanner: LogScanner): void {
  const known = new Set(read.map(({ slice }) => slice));
  if (known.size === sliced.slices) return;
  using file = openSliced(sliced);
  for (let slice = 0; slice < sliced.slices; slice++) {
    if (!known.has(slice)) read.push(scanSlice(file, sliced, slice, scanner));
  }
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
