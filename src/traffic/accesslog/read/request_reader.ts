import * as ascii from "../../../base/ascii.ts";
import { hasByte, MAX_LINE_BYTES, parseDuration } from "./field_text.ts";
import { jsonSplitter, prefixedJsonSplitter } from "./json_splitter.ts";
import { parseLayout } from "./line_pattern.ts";
import {
  FIELD_INDEX,
  type JsonFields,
  type LineShape,
  type LineSplitter,
  type NoRequest,
  setFirstAddress,
} from "./line_splitter.ts";
import type { FieldNames, LogFormat } from "./log_format.ts";
import { LogRequest } from "./log_request.ts";
import { columnSplitter, pairSplitter } from "./named_splitters.ts";
import { createTimeReader } from "./notations.ts";
import { RequestLineReader } from "./request_line.ts";
import { clfSplitter, patternSplitter } from "./text_splitters.ts";
import type { TimeReader } from "./time_layout.ts";
import { type LineUnwrapper, WRAPPERS } from "./wrappers.ts";

/** Creates a splitter for the lines of one log. It may have state, so each log needs its own. */
export function createSplitter(
  { lines, time, layout }: Pick<LogFormat, "lines" | "time" | "layout">,
): LineSplitter {
  if ("clf" in lines) return clfSplitter(lines.clf);
  if ("text" in lines) return patternSplitter(parseLayout(lines.text, { time, layout }));
  if ("pattern" in lines) return patternSplitter(lines.pattern);
  if ("pairs" in lines) return pairSplitter(lines.pairs);
  if ("columns" in lines) return columnSplitter(lines.separator, lines.columns, lines.client);
  const members = nestMembers(lines.json);
  return lines.isPrefixed ? prefixedJsonSplitter(members) : jsonSplitter(members);
}

/**
 * Converts member paths to nested maps. A path such as `url.path` refers to a member `path` of the
 * object `url`, and also to a member whose name is `url.path`.
 */
function nestMembers(fields: FieldNames): JsonFields {
  const nested = Map.groupBy(
    Object.entries(fields).filter(([path]) => path.includes(".")),
    ([path]) => path.slice(0, path.indexOf(".")),
  );
  const objects = [...nested].map(([name, inner]) => {
    const members = inner.map(([path, field]) => [path.slice(name.length + 1), field] as const);
    return [name, nestMembers(Object.fromEntries(members))] as const;
  });
  // A member is either a field or an object that contains fields.
  return { ...Object.fromEntries(objects), ...fields };
}

const { COLON, CR, DASH, DOT, LF, SPACE, ZERO } = ascii;

/**
 * Longest plausible duration of a request, in milliseconds. A longer one is ignored as an error.
 */
const MAX_DURATION_MS = 86_400_000;

// Copied into module-local constants, because V8 inlines only such constants.
const {
  time: TIME,
  date: DATE,
  status: STATUS,
  request: REQUEST,
  client: CLIENT,
  duration: DURATION,
  duration3: DURATION3,
  forwarded: FORWARDED,
} = FIELD_INDEX;

/** Parses log lines of one format, one at a time, into a reused `LogRequest`. */
export class RequestReader {
  /** The request from the last successful `read`. The next `read` overwrites it. */
  readonly request: LogRequest;
  readonly #format: LogFormat;
  readonly #splitter: LineSplitter;
  readonly #times: TimeReader;
  // Copied from the format, because formats are objects of many different shapes, whose properties
  // V8 looks up slowly. bench: scripts/bench/accesslog.ts
  readonly #clientHasPort: boolean;
  readonly #durationUnit: number;
  /** `LogFormat.decimalUnit`, or 0. */
  readonly #decimalUnit: number;
  readonly #unwrap: LineUnwrapper | undefined;
  readonly #lines: RequestLineReader;

  /**
   * Creates a reader for the lines of one log. Several readers can share one `request`, to save the
   * memory for its large buffers. Use each request before any of these readers reads another line.
   */
  constructor(format: LogFormat, request: LogRequest = new LogRequest()) {
    this.request = request;
    this.#format = format;
    this.#clientHasPort = format.clientHasPort === true;
    this.#durationUnit = format.durationUnit;
    this.#decimalUnit = format.decimalUnit ?? 0;
    this.#splitter = createSplitter(format);
    this.#lines = new RequestLineReader(request, format);
    this.#times = createTimeReader(format);
    const { wrapper } = format;
    this.#unwrap = wrapper === undefined ? undefined : WRAPPERS[wrapper].unwrap();
  }

  /**
   * Layout of the lines that follow the last line passed to `read`; undefined if the lines are
   * wrapped, the format has no fixed layout, or the format has a time zone, whose UTC offset can
   * change within a day.
   */
  get shape(): LineShape | undefined {
    return this.#unwrap === undefined && this.#format.timeZone === undefined
      ? this.#splitter.shape
      : undefined;
  }

  /**
   * Parses the line `bytes[start, end)` into `request`. Its LF is at `end`, and `SLACK` bytes after
   * it must be readable. If the line contains no valid request, returns the reason. Otherwise,
   * returns undefined.
   */
  read(bytes: Uint8Array, view: DataView, start: number, end: number): NoRequest | undefined {
    if (end - start > MAX_LINE_BYTES) return "line-too-long";
    if (this.#unwrap === undefined) return this.#read(bytes, view, start, end);
    const inner = this.#unwrap(bytes, view, start, end);
    if (inner === undefined) return isBlank(bytes, start, end) ? "ignored" : "no-request";
    return this.#read(inner.bytes, inner.view ?? view, inner.start, inner.end);
  }

  #read(bytes: Uint8Array, view: DataView, start: number, end: number): NoRequest | undefined {
    let to = end;
    while (to > start && bytes[to - 1] === CR) to--;
    if (bytes[start] <= SPACE && isBlank(bytes, start, to)) return "ignored";
    const { request } = this;
    const { spans } = request;
    spans.clear();
    const failed = this.#splitter.split(bytes, view, start, to, spans);
    if (failed !== undefined) return failed;
    if (request.bytes !== bytes) request.bytes = bytes;
    const { from } = spans;
    const time = from[TIME];
    request.timeMs = time < 0
      ? -1
      : this.#times.read(view, bytes, time, spans.to[TIME], from[DATE]);
    if (request.timeMs < 0) return "no-timestamp";
    request.hasZone = this.#times.hasZone;
    const bad = from[REQUEST] < 0
      ? this.#lines.readFields(bytes, this.#splitter.shape?.w3c?.isEncoded === true)
      : this.#lines.readLine(bytes, from[REQUEST], spans.to[REQUEST]);
    if (bad !== undefined) return bad;
    request.status = from[STATUS] < 0 ? 0 : status(bytes, from[STATUS], spans.to[STATUS]);
    if (request.status < 0) return "bad-status";
    this.#readDuration(bytes);
    if (this.#clientHasPort) this.#cutPort(bytes);
    if (from[FORWARDED] >= 0) this.#readForwarded(bytes);
    return undefined;
  }

  #cutPort(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    let colon = to[CLIENT] - 1;
    while (colon > from[CLIENT] && bytes[colon] !== COLON) colon--;
    if (colon > from[CLIENT]) to[CLIENT] = colon;
  }

  #readForwarded(bytes: Uint8Array): void {
    const { spans } = this.request;
    const [from, to] = [spans.from[FORWARDED], spans.to[FORWARDED]];
    if (setFirstAddress(bytes, from, to, spans)) return;
    if (this.#format.forwardedIsClient && this.request.has("forwarded")) {
      spans.set(CLIENT, from, to);
    }
  }

  #readDuration(bytes: Uint8Array): void {
    const { from, to } = this.request.spans;
    let sum = -1;
    for (let field = DURATION; field <= DURATION3; field++) {
      if (from[field] < 0) break;
      const unit = this.#decimalUnit > 0 && hasByte(bytes, from[field], to[field], DOT)
        ? this.#decimalUnit
        : this.#durationUnit;
      const part = parseDuration(bytes, from[field], to[field], unit);
      if (part < 0 || part > MAX_DURATION_MS) return void (this.request.durationMs = -1);
      sum = Math.max(0, sum) + part;
    }
    this.request.durationMs = sum;
  }
}

/**
 * Parses the three-digit HTTP status in `bytes[from, to)`. Returns 0 for `-`, `0` and `-1`, which
 * servers write if the client disconnected before the response, or -1 if the status is invalid.
 */
function status(bytes: Uint8Array, from: number, to: number): number {
  if (to - from === 1 && (bytes[from] === DASH || bytes[from] === ZERO)) return 0;
  if (to - from === 2 && bytes[from] === DASH && bytes[from + 1] === ZERO + 1) return 0;
  if (to - from !== 3) return -1;
  const hundreds = bytes[from] - ZERO;
  const tens = bytes[from + 1] - ZERO;
  const ones = bytes[from + 2] - ZERO;
  const isNumber = hundreds >= 0 && hundreds <= 9 && tens >= 0 && tens <= 9 && ones >= 0 &&
    ones <= 9;
  return isNumber ? hundreds * 100 + tens * 10 + ones : -1;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== SPACE && bytes[i] !== 0x09 && bytes[i] !== CR && bytes[i] !== LF) return false;
  }
  return true;
}
