import { fileIdentity, shrunkFileError } from "../../base/bytes/byte_source.ts";
import type { LogScanner } from "./log_scanner.ts";
import type { ReadingReference } from "./reading.ts";

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
  /** Index of the slice. */
  readonly slice: number;
  /** Log offset at which the first line starts; `Infinity` if no line starts in the slice. */
  readonly start: number;
  /** Log offset at which the last line ends; `Infinity` if no line starts in the slice. */
  readonly end: number;
  /** Number of lines in the slice. */
  readonly lines: number;
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
