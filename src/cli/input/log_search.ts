import { firstLines } from "../../traffic/accesslog/detect/first_lines.ts";
import type { LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import type { LogRequest } from "../../traffic/accesslog/read/log_request.ts";
import { RequestReader } from "../../traffic/accesslog/read/request_reader.ts";

/** Number of bytes to read at an offset of a log to find the time of a request there. */
const PART_BYTES = 16 * 1024;
/** Maximum time, in ms, by which a line can be earlier than a line before it. */
const DISORDER_MS = 2_000;
/**
 * Maximum number of bytes to read in one search. If the part of the log with the matching times is
 * larger, the rest of this part is not searched.
 */
const MAX_SEARCHED_BYTES = 8 << 20;

/** An uncompressed log file. */
export interface LogFile {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly format: LogFormat;
}

/**
 * Finds lines in a log file by their time, with a binary search. This reads only a few parts of the
 * file, but requires that the lines are in chronological order.
 */
export class LogSearch {
  readonly #log: LogFile;
  #lastMs: number | undefined;

  /** Prepares to search `log`. The file is open only during a search. */
  constructor(log: LogFile) {
    this.#log = log;
  }

  /**
   * Returns the number of lines at the start of `lines` that also occur in the log, in the same
   * order and without other lines in between. Counts equal lines once. Returns 0 if a line differs
   * before either `lines` or the log ends. `timeMs` is the time of the first line, in Unix
   * milliseconds. Line endings may differ. Lines are parsed into `request`, which several searches
   * can share. Throws if the file cannot be read.
   */
  countCommonLines(lines: Uint8Array, timeMs: number, request: LogRequest): number {
    if (timeMs > (this.#lastMs ?? timeMs) + DISORDER_MS) return 0;
    using file = Deno.openSync(this.#log.path);
    // Not kept, because a reader of JSON lines can have buffers of several MiB.
    const reader = new RequestReader(this.#log.format, request);
    // The first lines can describe the layout of the others.
    this.#times(file, 0, reader);
    const tail = Math.max(0, this.#log.size - PART_BYTES);
    this.#lastMs ??= this.#times(file, tail, reader).at(-1) ?? -1;
    if (timeMs > this.#lastMs + DISORDER_MS) return 0;
    const from = this.#offsetOf(file, timeMs - DISORDER_MS, reader);
    const to = this.#offsetOf(file, timeMs + DISORDER_MS, reader) + PART_BYTES + lines.length;
    const text = "\n" + decode(read(file, from, Math.min(to - from, MAX_SEARCHED_BYTES)));
    const wanted = decode(lines);
    const first = `\n${wanted.slice(0, wanted.indexOf("\n") + 1)}`;
    for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
      const common = wanted.slice(0, text.length - at - 1);
      if (text.startsWith(common, at + 1)) return new Set(common.split("\n").slice(0, -1)).size;
    }
    return 0;
  }

  /**
   * Returns an offset at most `PART_BYTES` before the first request at or after `timeMs` (Unix
   * milliseconds). Returns 0 if the times at some offset cannot be read.
   */
  #offsetOf(file: Deno.FsFile, timeMs: number, reader: RequestReader): number {
    let [from, to] = [0, this.#log.size];
    while (to - from > PART_BYTES) {
      const middle = Math.floor((from + to) / 2);
      const [time] = this.#times(file, middle, reader);
      if (time === undefined) return 0;
      if (time < timeMs) from = middle;
      else to = middle;
    }
    return from;
  }

  /**
   * Returns the times, in Unix milliseconds, of the requests that start in the part of the file at
   * `offset`.
   */
  #times(file: Deno.FsFile, offset: number, reader: RequestReader): number[] {
    const { bytes, lines } = firstLines(read(file, offset, PART_BYTES));
    const view = new DataView(bytes.buffer);
    const isWhole = (i: number) => (offset === 0 || i > 0) && i < lines.length - 1;
    return lines.filter((_, i) => isWhole(i)).flatMap(({ start, end }) =>
      reader.read(bytes, view, start, end) === undefined ? [reader.request.timeMs] : []
    );
  }
}

/** Reads `length` bytes of a file at `offset`, or fewer if the file ends before that. */
function read(file: Deno.FsFile, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.seekSync(offset, Deno.SeekMode.Start);
  let to = 0;
  for (let count; to < length && (count = file.readSync(bytes.subarray(to)) ?? 0) > 0;) to += count;
  return bytes.subarray(0, to);
}

/** Decodes lines to text with one character per byte, and with LF line endings. */
function decode(lines: Uint8Array): string {
  return new TextDecoder("latin1").decode(lines).replaceAll("\r\n", "\n");
}
