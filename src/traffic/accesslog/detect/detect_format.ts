import { firstLines, type Lines } from "./first_lines.ts";
import { RequestReader } from "../read/request_reader.ts";
import { WRAPPERS } from "../read/wrappers.ts";
import { COMBINED } from "../formats/combined.ts";
import { FORMATS } from "../formats/formats.ts";
import type { LogField } from "../read/log_fields.ts";
import { LogRequest } from "../read/log_request.ts";
import type { LogFormat } from "../read/log_format.ts";

/** Maximum number of lines that `detectFormat` tests. */
const MAX_LINES = 100;

/**
 * Reports whether at least half of the lines in `head`, the beginning of a log, are requests in the
 * combined format.
 */
export function isPlainLog(head: Uint8Array): boolean {
  const { bytes, lines } = firstLines(head, Infinity);
  const enough = Math.max(1, Math.ceil((lines.length - 1) / 2));
  return countMatches({ bytes, lines }, COMBINED, new LogRequest(), { enough }).requests >= enough;
}

/**
 * Returns the format in `formats` with the most matching lines in `head`, the beginning of a log.
 * In case of a tie, returns the format that finds the most statuses and clients, or else the first
 * one. Tests only the first 100 lines, with and without a wrapper such as Docker's. If `isWhole` is
 * false, `head` may end within a line, so its last line is not tested unless it is the only one.
 * Returns undefined if no line matches any format.
 */
export function detectFormat(
  head: Uint8Array,
  formats: readonly LogFormat[] = FORMATS,
  isWhole = false,
): LogFormat | undefined {
  const first100 = firstLines(head, MAX_LINES);
  const lines = isWhole ? first100 : wholeLines(first100, head);
  const first = lines.lines.find(({ start, end }) => end > start) ?? { start: 0, end: head.length };
  const text = new TextDecoder().decode(lines.bytes.slice(first.start, first.end));
  const wrapper = WRAPPERS.find(({ shape }) => shape.test(text));
  const candidates = wrapper === undefined
    ? formats
    : [...formats.map((format) => ({ ...format, wrapper })), ...formats];
  let best: LogFormat | undefined;
  let most: Matches = { requests: 0, fields: 0 };
  const request = new LogRequest();
  const all = lines.lines.length;
  for (const format of candidates) {
    if (!isBetter({ requests: all, fields: 2 * all }, most)) break;
    const found = countMatches(lines, format, request, { most });
    if (isBetter(found, most)) [best, most] = [format, found];
  }
  return best;
}

/**
 * Reports whether any line in `head`, the beginning of a file, is a request in the combined format.
 */
export function looksLikeAccessLog(head: Uint8Array): boolean {
  return countRequests(firstLines(head, Infinity), COMBINED) > 0;
}

/**
 * Reports whether `head`, the beginning of a log, contains requests, but none with the field
 * `field`.
 */
export function lacksField(head: Uint8Array, format: LogFormat, field: LogField): boolean {
  const { bytes, lines } = firstLines(head, Infinity);
  const view = new DataView(bytes.buffer);
  const reader = new RequestReader(format);
  let hasRequests = false;
  for (const { start, end } of lines) {
    if (reader.read(bytes, view, start, end) !== undefined) continue;
    if (reader.request.has(field)) return false;
    hasRequests = true;
  }
  return hasRequests;
}

function countRequests(lines: Lines, format: LogFormat): number {
  return countMatches(lines, format, new LogRequest()).requests;
}

/** Number of requests in the tested lines, and number of statuses and clients in these requests. */
interface Matches {
  readonly requests: number;
  readonly fields: number;
}

function isBetter(found: Matches, than: Matches): boolean {
  return found.requests > than.requests ||
    found.requests === than.requests && found.fields > than.fields;
}

/**
 * Counts the requests in `lines`, and their statuses and clients. Stops after `enough` requests, or
 * as soon as the remaining lines cannot make the counts exceed `most`.
 */
function countMatches(
  { bytes, lines }: Lines,
  format: LogFormat,
  request: LogRequest,
  { most, enough = Infinity }: { readonly most?: Matches; readonly enough?: number } = {},
): Matches {
  const reader = new RequestReader(format, request);
  const view = new DataView(bytes.buffer);
  let [requests, fields] = [0, 0];
  for (const [i, { start, end }] of lines.entries()) {
    if (requests >= enough) break;
    const left = lines.length - i;
    const possible = { requests: requests + left, fields: fields + 2 * left };
    if (most !== undefined && !isBetter(possible, most)) break;
    if (reader.read(bytes, view, start, end) !== undefined) continue;
    requests++;
    fields += Number(request.status > 0) + Number(request.has("client"));
  }
  return { requests, fields };
}

/** Drops the last line if `head` ends within it, unless it is the only line. */
function wholeLines({ bytes, lines }: Lines, head: Uint8Array): Lines {
  const isCut = lines.length > 1 && lines.at(-1)!.end === head.length;
  return { bytes, lines: isCut ? lines.slice(0, -1) : lines };
}
