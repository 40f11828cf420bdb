import { CR, HASH, LF } from "../../base/ascii.ts";
import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { repeatedContent } from "../../convert/accesslog/reading_notes.ts";
import type { LogNote } from "../../convert/notes/note.ts";
import { firstLines } from "../../traffic/accesslog/detect/first_lines.ts";
import type { LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import { LogRequest } from "../../traffic/accesslog/read/log_request.ts";
import { RequestReader } from "../../traffic/accesslog/read/request_reader.ts";
import { LogSearch } from "./log_search.ts";

/** Number of bytes to compare at the beginning of each of the first 1,000 inputs. */
const COMPARED_BYTES = 16 * 1024;
/** Maximum number of inputs for which the first `COMPARED_BYTES` bytes are kept in memory. */
const MAX_COMPARED = 1_000;
/** Number of bytes to compare at the beginning of each input after the first 1,000. */
const LEAST_COMPARED_BYTES = 1024;
/**
 * Minimum number of lines that two inputs must have in common at the beginning before one input
 * counts as a continuation of the other. A single common line can be a coincidence, such as a
 * health check of two servers in the same second.
 */
const LEAST_LINES = 2;
/**
 * Minimum number of different lines at the start of an input that must occur within another input
 * before they count as a copy. Two servers can write the same line many times in the same second.
 */
const LEAST_LINES_WITHIN = 10;
/** Maximum number of searches for the first lines of an input within another input. */
const MAX_SEARCHES = 1_000;

/** Number of bytes and lines in one or more inputs, after decompression. */
export interface Extent {
  readonly bytes: number;
  readonly lines: number;
}

/** An input that has been read or is being read. */
interface ReadInput {
  readonly name: string;
  /** Beginning of the content, without comment lines at the start. All line ends are LF. */
  readonly head: Uint8Array;
  /** True if the first line ends with CR LF. */
  readonly hasCrlf: boolean;
  /** Number of bytes and lines in the preceding inputs, after decompression. */
  readonly before: Extent;
  /** Time of the first request in Unix milliseconds; absent if `head` contains none. */
  readonly firstMs?: number;
  /** Searches the input; absent if the input is not an uncompressed log file. */
  readonly search?: LogSearch;
}

/**
 * Finds inputs that are copies of other inputs, such as a log and its compressed copy. Compares the
 * beginnings and the lengths of inputs, and searches each input for the first lines of the others.
 * This takes no measurable time, because it searches by timestamp.
 */
export class RepeatedContent {
  readonly #inputs: ReadInput[] = [];
  /** Object into which the lines of all inputs are parsed. */
  readonly #request = new LogRequest();

  /**
   * Adds the next input. `head` is the beginning of its decompressed content. The third parameter
   * is the number of bytes and lines in the preceding inputs, after decompression. `format` is the
   * format of the log; absent if the input is not a log.
   */
  add(
    { name, slicePath, size }: Pick<ByteSource, "name" | "slicePath" | "size">,
    head: Uint8Array,
    { bytes, lines }: Extent,
    format?: LogFormat,
  ): void {
    const length = this.#inputs.length < MAX_COMPARED ? COMPARED_BYTES : LEAST_COMPARED_BYTES;
    const start = skipComments(head).slice(0, length);
    const firstMs = format && firstTime(head, format, this.#request);
    this.#inputs.push({
      name,
      head: start.filter((byte, i) => byte !== CR || start[i + 1] !== LF),
      hasCrlf: start[start.indexOf(LF) - 1] === CR,
      before: { bytes, lines },
      ...(firstMs !== undefined && { firstMs }),
      ...(format !== undefined && slicePath !== undefined && size !== undefined &&
        { search: new LogSearch({ path: slicePath, size, format }) }),
    });
  }

  /**
   * Returns a warning for each input that repeats an earlier one, or whose first lines occur within
   * another one. The parameter is the number of bytes and lines in all inputs, after decompression.
   */
  notes({ bytes, lines }: Extent): LogNote[] {
    const lengths = this.#inputs.map(({ before, hasCrlf }, i) => {
      const next = this.#inputs[i + 1]?.before ?? { bytes, lines };
      return next.bytes - before.bytes - (hasCrlf ? next.lines - before.lines : 0);
    });
    // Copies have the same first line, so compare only inputs with equal first lines.
    const byLine = new Map<string, number[]>();
    let searches = 0;
    return this.#inputs.flatMap((input, i) => {
      const { name, head } = input;
      const line = firstLine(head);
      if (line === "") return [];
      const known = byLine.get(line);
      if (known === undefined) byLine.set(line, [i]);
      const others = known ?? [];
      const copied = others.find((k) =>
        lengths[k] === lengths[i] && startsWith(head, this.#inputs[k].head)
      );
      const first = copied ?? others.find((k) => isContinued(head, this.#inputs[k].head));
      known?.push(i);
      if (first !== undefined) {
        const kind = copied === undefined ? "start" : "copy";
        return [repeatedContent(name, this.#inputs[first].name, kind)];
      }
      const outer = this.#inputs.find((other) =>
        canContain(other, input) && searches++ < MAX_SEARCHES &&
        isWithin(input, other, this.#request)
      );
      return outer === undefined ? [] : [repeatedContent(name, outer.name, "within")];
    });
  }
}

/**
 * Prefilter: reports whether `other` may contain the first lines of the second input, but not at
 * the start of `other`.
 */
function canContain(other: ReadInput, { head, firstMs }: ReadInput): boolean {
  return other.search !== undefined && other.firstMs !== undefined && firstMs !== undefined &&
    other.firstMs <= firstMs && !startsWith(head, other.head);
}

/**
 * Reports whether the first lines of the first input occur in the second input as consecutive
 * lines.
 */
function isWithin(
  { head, firstMs }: ReadInput,
  { search }: ReadInput,
  request: LogRequest,
): boolean {
  try {
    return search!.countCommonLines(head, firstMs!, request) >= LEAST_LINES_WITHIN;
  } catch {
    // The file was removed after it was read.
    return false;
  }
}

/**
 * Returns the time of the first request in `head`, the beginning of a log, in Unix milliseconds, or
 * undefined if `head` contains no request. Parses lines into `request`.
 */
function firstTime(
  head: Uint8Array,
  format: LogFormat,
  request: LogRequest,
): number | undefined {
  const { bytes, lines } = firstLines(head);
  const view = new DataView(bytes.buffer);
  const reader = new RequestReader(format, request);
  const isRead = lines.some(({ start, end }) => reader.read(bytes, view, start, end) === undefined);
  return isRead ? request.timeMs : undefined;
}

/** Returns `head` without the lines at its start that begin with `#`. */
function skipComments(head: Uint8Array): Uint8Array {
  let rest = head;
  while (rest[0] === HASH) {
    const end = rest.indexOf(LF);
    rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
  }
  return rest;
}

function firstLine(head: Uint8Array): string {
  const end = head.findIndex((byte) => byte === LF || byte === CR);
  return String.fromCharCode(...head.subarray(0, Math.min(1_024, end < 0 ? head.length : end)));
}

/**
 * Reports whether the shorter of two chunks has at least two lines and is a prefix of the longer
 * one.
 */
function isContinued(a: Uint8Array, b: Uint8Array): boolean {
  if (!startsWith(a, b)) return false;
  const shorter = a.length < b.length ? a : b;
  return shorter.reduce((count, byte) => byte === LF ? count + 1 : count, 0) >= LEAST_LINES;
}

/** Reports whether one of two byte sequences starts with the other. */
function startsWith(a: Uint8Array, b: Uint8Array): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}
