import { CHUNK_BYTES } from "../../base/bytes/chunks.ts";
import { shrank } from "../../base/bytes/file_chunks.ts";
import { fileIdentity } from "../../base/bytes/file_identity.ts";
import type { LogScanner } from "./log_scanner.ts";

/** How much of a file is handed out at a time. */
export const SLICE_BYTES = 8 << 20;

/** A file that several threads read, a slice each at a time. */
export interface SlicedFile {
  readonly path: string;
  /** Of the file that was opened: another may have its path by now. */
  readonly identity: string;
  /** Bytes that it had then: it may grow, but not end before. */
  readonly size: number;
  /** How many slices there are; the last one goes on to wherever the file ends by then. */
  readonly slices: number;
  /** Where the file starts in the log. */
  readonly base: number;
  /** How its lines are written: a place in `FORMATS`. */
  readonly format: number;
  /** Two numbers: the slices handed out, the slices read. */
  readonly shared: SharedArrayBuffer;
}

/** A slice that was read: the lines that start in it. */
export interface SliceRead {
  readonly slice: number;
  /** Where in the log its first line starts and its last one ends; both `Infinity` if it has none. */
  readonly start: number;
  /** See `start`. */
  readonly end: number;
  readonly lines: number;
}

const HANDED_OUT = 0;
const READ = 1;

/** Room for what the threads share. */
export function sharedCounters(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/** Opens the file once more. Throws an Error when it is no longer the one at its path. */
export function openSliced({ path, identity }: SlicedFile): Deno.FsFile {
  const file = Deno.openSync(path);
  if (fileIdentity(file.statSync()) === identity) return file;
  file.close();
  throw new Error("another file took its place while it was read");
}

/**
 * Takes slices until none is left, and has each scanned; `afterEach` hears how many are read by all,
 * and says whether to go on. Throws an Error when the file was replaced or has shrunk.
 */
export function scanSlices(
  sliced: SlicedFile,
  scanner: LogScanner,
  afterEach: (read: number) => boolean,
): SliceRead[] {
  using file = openSliced(sliced);
  const counters = new Int32Array(sliced.shared);
  const done: SliceRead[] = [];
  for (let slice; (slice = Atomics.add(counters, HANDED_OUT, 1)) < sliced.slices;) {
    done.push(scanSlice(file, sliced, slice, scanner));
    if (!afterEach(Atomics.add(counters, READ, 1) + 1)) break;
  }
  return done;
}

/** Has one slice scanned. Throws an Error when the file has shrunk. */
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
  const end = readRange(file, from, to, (chunk) => scanner.scan(chunk));
  if (end < (to === Infinity ? size : to)) throw shrank(size, end);
  return { slice, start: base + from, end: base + end, lines: scanner.endLine() };
}

const buffer = new Uint8Array(CHUNK_BYTES);

/** Reads from byte `from` to `to` or the file's end; gives where it stopped. */
function readRange(
  file: Deno.FsFile,
  from: number,
  to: number,
  sink: (chunk: Uint8Array) => void,
): number {
  file.seekSync(from, Deno.SeekMode.Start);
  let at = from;
  while (at < to) {
    const count = file.readSync(buffer.subarray(0, Math.min(buffer.length, to - at)));
    if (count === null) break;
    sink(buffer.subarray(0, count));
    at += count;
  }
  return at;
}

/**
 * Where the first line starts that starts at byte `at` or later; `Infinity` when none does. Throws an
 * Error when the file ends before `size`.
 */
function lineStart(file: Deno.FsFile, at: number, size: number): number {
  if (at === 0) return 0;
  file.seekSync(at - 1, Deno.SeekMode.Start);
  const probe = buffer.subarray(0, 4096);
  let start = at - 1;
  for (let count; (count = file.readSync(probe)) !== null; start += count) {
    const lf = probe.subarray(0, count).indexOf(0x0a);
    if (lf >= 0) return start + lf + 1;
  }
  if (start < size) throw shrank(size, start);
  return Infinity;
}
