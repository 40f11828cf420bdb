import * as ascii from "../../../base/ascii.ts";
import {
  decodeW3c,
  hasByte,
  JSON_ESCAPES,
  LOG_ESCAPES,
  MAX_LINE_BYTES,
  parseDuration,
  unescape,
} from "./field_text.ts";
import {
  FIELD_INDEX,
  type FieldNames,
  type JsonFields,
  type LineShape,
  type LineSplitter,
  type LogFormat,
  type NoRequest,
  setFirstAddress,
} from "./log_format.ts";
import { LogRequest } from "./log_request.ts";
import {
  columnSplitter,
  jsonSplitter,
  pairSplitter,
  prefixedJsonSplitter,
} from "./named_splitters.ts";
import { createTimeReader } from "./notations.ts";
import { clfSplitter, parseLayout, patternSplitter } from "./text_splitters.ts";
import type { TimeReader } from "./time_layout.ts";
import { type LineUnwrapper, WRAPPERS } from "./wrappers.ts";

/** A splitter may have state, so each log needs its own. */
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

/** The path `url.path` means a member of the object `url`, and also a member of that name. */
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

const { BACKSLASH, COLON, CR, DASH, DOT, HASH, LF, QUESTION, SLASH, SPACE, STAR, ZERO } = ascii;

/** A longer duration of a request is ignored as an error. */
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
  /** The next `read` overwrites it. */
  readonly request: LogRequest;
  readonly #format: LogFormat;
  readonly #splitter: LineSplitter;
  readonly #times: TimeReader;
  // Copied, because V8 looks up properties of many shapes slowly. bench: scripts/bench/accesslog.ts
  readonly #clientHasPort: boolean;
  readonly #durationUnit: number;
  readonly #decimalUnit: number;
  readonly #unwrap: LineUnwrapper | undefined;
  readonly #lines: RequestLineReader;

  /** Readers can share one `request`, to save the memory of its large buffers. */
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

  /** Undefined if wrapped, not fixed, or with a time zone, whose offset can change in a day. */
  get shape(): LineShape | undefined {
    return this.#unwrap === undefined && this.#format.timeZone === undefined
      ? this.#splitter.shape
      : undefined;
  }

  /** `SLACK` bytes after the LF must be readable. Returns why it contains no valid request. */
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

/** 0 for `-`, `0` and `-1` (the client disconnected before the response), -1 if invalid. */
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

const LETTER_C = 0x43;
const LETTER_P = 0x50;
const MAX_METHOD_BYTES = 32;
/** CONNECT opens a proxy tunnel; PRI starts the preface of an HTTP/2 connection. */
const NO_ENDPOINT = ["CONNECT", "PRI"].map((method) => new TextEncoder().encode(method));
const METHOD_BYTE = bytesLike(/[A-Z0-9_-]/);
const SCHEME_BYTE = bytesLike(/[A-Za-z0-9+.-]/);
const { target: TARGET, path: PATH, method: METHOD, query: QUERY } = FIELD_INDEX;

export type NoTarget = Extract<NoRequest, "no-request" | "bad-request">;

/** Reads a request line or separate fields. Undoes the escapes of the log. */
export class RequestLineReader {
  readonly #request: LogRequest;
  readonly #escapes: LogFormat["escapes"];
  readonly #hasRelativePath: boolean;
  /** Buffer for unescaped fields, allocated on first use. */
  #plain = new Uint8Array();

  constructor(request: LogRequest, format: Pick<LogFormat, "escapes" | "hasRelativePath">) {
    this.#request = request;
    this.#escapes = format.escapes;
    this.#hasRelativePath = format.hasRelativePath === true;
  }

  /** `METHOD target HTTP/x.y` or `METHOD target`. Returns the reason if invalid. */
  readLine(bytes: Uint8Array, from: number, to: number): NoTarget | undefined {
    if (this.#escapes === "json" && hasByte(bytes, from, to, BACKSLASH)) {
      const end = this.#decode(bytes, from, to, 0, false);
      [bytes, from, to] = [this.#plain, 0, end];
    }
    const space = findMethodEnd(bytes, from, to);
    const end = space < 0 ? -1 : findTargetEnd(bytes, space + 1, to);
    if (end < 0) return "bad-request";
    this.#setMethod(bytes, from, space);
    if (this.#escapes !== "log" || !hasByte(bytes, space, end, BACKSLASH)) {
      return this.#setTarget(bytes, space + 1, end);
    }
    const length = this.#decode(bytes, space + 1, end, 0, false);
    return this.#setTarget(this.#plain, 0, length);
  }

  /** `isEncoded`: the values are percent-encoded once more. Returns the reason if invalid. */
  readFields(bytes: Uint8Array, isEncoded: boolean): NoTarget | undefined {
    const { from, to } = this.#request.spans;
    const target = from[TARGET] >= 0 ? TARGET : PATH;
    if (from[METHOD] < 0 || from[target] < 0) return "no-request";
    if (!this.#readMethod(bytes, from[METHOD], to[METHOD])) return "bad-request";
    const lacksSlash = this.#hasRelativePath && bytes[from[target]] !== SLASH;
    const hasQuery = target === PATH && this.#request.has("query");
    let end = lacksSlash ? 1 : 0;
    end = this.#decode(bytes, from[target], to[target], end, isEncoded);
    if (lacksSlash) this.#plain[0] = SLASH;
    if (hasQuery) {
      if (bytes[from[QUERY]] !== QUESTION) this.#plain[end++] = QUESTION;
      end = this.#decode(bytes, from[QUERY], to[QUERY], end, isEncoded);
    }
    return this.#setTarget(this.#plain, 0, end);
  }

  #readMethod(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#escapes === "json" && hasByte(bytes, from, to, BACKSLASH)) {
      // A copy, because the target needs the buffer.
      const length = this.#decode(bytes, from, to, 0, false);
      [bytes, from, to] = [this.#plain.slice(0, length), 0, length];
    }
    const end = findMethodEnd(bytes, from, to, true);
    if (end < 0) return false;
    this.#setMethod(bytes, from, end);
    return true;
  }

  #setMethod(bytes: Uint8Array, from: number, to: number): void {
    const { methodAt } = this.#request;
    methodAt.bytes = bytes;
    methodAt.from = from;
    methodAt.to = to;
  }

  /** Returns the reason if the unescaped target is invalid. */
  #setTarget(bytes: Uint8Array, from: number, to: number): NoTarget | undefined {
    const { target, key, methodAt } = this.#request;
    const isPath = from < to && bytes[from] === SLASH || bytes[from] === STAR && to - from === 1;
    const start = isPath ? from : findAuthorityEnd(bytes, from, to);
    if (start < 0) return "bad-request";
    let pathEnd = start;
    while (pathEnd < to && bytes[pathEnd] !== QUESTION && bytes[pathEnd] !== HASH) pathEnd++;
    target.bytes = bytes;
    target.from = start;
    target.pathEnd = pathEnd;
    // The rest is a fragment, which clients must not send.
    target.to = pathEnd < to && bytes[pathEnd] === HASH ? pathEnd : to;
    key.write(methodAt.bytes, methodAt.from, methodAt.to, target);
    return undefined;
  }

  /** Writes the unescaped field to the buffer at `at`. Returns the end offset. */
  #decode(bytes: Uint8Array, from: number, to: number, at: number, isEncoded: boolean): number {
    if (this.#plain.length === 0) this.#plain = new Uint8Array(MAX_LINE_BYTES * 2);
    const out = this.#plain.subarray(at);
    switch (this.#escapes) {
      case "w3c":
        return at + decodeW3c(bytes, from, to, isEncoded, out);
      case "none":
        out.set(bytes.subarray(from, to));
        return at + to - from;
      default:
        return at +
          unescape(this.#escapes === "json" ? JSON_ESCAPES : LOG_ESCAPES, bytes, from, to, out);
    }
  }
}

/** Returns -1 if invalid, without an endpoint, or if it ends neither at `to` nor before a space. */
function findMethodEnd(bytes: Uint8Array, from: number, to: number, isWhole = false): number {
  if (from >= to || bytes[from] < 0x41 || bytes[from] > 0x5a) return -1;
  let i = from + 1;
  while (i < to && METHOD_BYTE[bytes[i]] === 1) i++;
  if ((isWhole ? i < to : i >= to || bytes[i] !== SPACE) || i - from > MAX_METHOD_BYTES) return -1;
  // For most methods, the first letter already rules out CONNECT and PRI.
  const isOdd = bytes[from] === LETTER_C || bytes[from] === LETTER_P;
  return isOdd && hasNoEndpoint(bytes, from, i) ? -1 : i;
}

// A separate function, so that `findMethodEnd` does not allocate a closure on every call.
function hasNoEndpoint(bytes: Uint8Array, from: number, to: number): boolean {
  return NO_ENDPOINT.some((method) =>
    method.length === to - from && method.every((byte, i) => byte === bytes[from + i])
  );
}

/** Returns -1 if it contains spaces and no version follows. */
function findTargetEnd(bytes: Uint8Array, from: number, to: number): number {
  const long = to - " HTTP/1.1".length;
  const hasMinor = bytes[to - 2] === DOT && isDigit(bytes[to - 1]);
  if (long >= from && hasMinor && isVersion(bytes, long)) return long;
  const short = to - " HTTP/1".length;
  if (short >= from && isVersion(bytes, short)) return short;
  for (let i = from; i < to; i++) if (bytes[i] === SPACE) return -1;
  return to;
}

/** Returns -1 without a scheme and an authority. */
function findAuthorityEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && SCHEME_BYTE[bytes[i]] === 1) i++;
  const isScheme = i > from && isLetter(bytes[from]) && bytes[i] === COLON &&
    bytes[i + 1] === SLASH && bytes[i + 2] === SLASH;
  const authority = i + 3;
  if (!isScheme || authority > to) return -1;
  for (i = authority; i < to && bytes[i] !== SLASH && bytes[i] !== QUESTION;) i++;
  return i === authority ? -1 : i;
}

/** ` HTTP/` and a digit. */
function isVersion(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === SPACE && bytes[at + 1] === 0x48 && bytes[at + 2] === 0x54 &&
    bytes[at + 3] === 0x54 && bytes[at + 4] === 0x50 && bytes[at + 5] === SLASH &&
    isDigit(bytes[at + 6]);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** 1 for bytes whose character matches `pattern`, otherwise 0. */
function bytesLike(pattern: RegExp): Uint8Array {
  return Uint8Array.from(
    { length: 256 },
    (_, byte) => pattern.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}
