import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import type { FieldNames, LogField, LogFormat } from "../read/log_format.ts";
import { NAMED_FORMATS, parseJsonOption } from "./named_formats.ts";
import { type DescribedFormat, parseApachePattern, parseNginxPattern } from "./server_patterns.ts";
import { CR, LF } from "../../../base/ascii.ts";
import { isMap } from "../../../base/exact_number.ts";
import { SLACK } from "../read/field_text.ts";
import { LogRequest } from "../read/log_request.ts";
import { RequestReader } from "../read/request_reader.ts";
import { WRAPPERS } from "../read/wrappers.ts";

/** Values of `--log-format` that select a named format. */
export const FORMAT_NAMES: readonly string[] = Object.keys(NAMED_FORMATS);

export function variantsOf(name: string): LogFormat[] {
  return NAMED_FORMATS[name].map((variant) => ({ name, ...variant }));
}

export const FORMATS: readonly LogFormat[] = FORMAT_NAMES.flatMap(variantsOf);

/** `%h %l %u %t "%r" %>s %b`, referer and agent. Lines in the common format also match. */
export const COMBINED: LogFormat = FORMATS.find(({ name }) => name === "combined")!;

/**
 * Returns the formats of a `--log-format` value: all variants of a name, or the one of an nginx or
 * Apache string. `client` names the field that identifies the client. Throws `UsageError`.
 */
export function resolveFormats(text: string, client?: string): readonly LogFormat[] {
  if (text.includes("$")) return [defined(parseNginxPattern(text, client), text, client)];
  if (text.includes("%")) return [defined(parseApachePattern(text, client), text, client)];
  if (FORMAT_NAMES.includes(text)) {
    return variantsOf(text).map((format) => withClient(format, client));
  }
  const hint = didYouMean(text, FORMAT_NAMES);
  throw new UsageError(
    `--log-format cannot be ${text}: expected one of ${
      FORMAT_NAMES.join(", ")
    }, an nginx log_format string ` +
      `or an Apache LogFormat string${hint && `; ${hint}`}`,
  );
}

function defined(
  parsed: DescribedFormat,
  definition: string,
  client: string | undefined,
): LogFormat {
  const fields = new Set(parsed.lines.pattern.pieces.map(({ field }) => field));
  const hasTarget = fields.has("target") || fields.has("path");
  const missing = fields.has("time")
    ? fields.has("request") || (fields.has("method") && hasTarget) ? undefined : "the request"
    : "the time";
  if (missing === undefined) {
    const forwardedIsClient = client !== undefined;
    return { name: "--log-format", definition, ...parsed, forwardedIsClient };
  }
  throw new UsageError(
    `--log-format has no field for ${missing}: expected $time_local, $time_iso8601, $msec or %t, and ` +
      "$request or %r (or separate fields for the method and the path)",
  );
}

/** Reads the client from another field. Throws `UsageError` if the lines have no field names. */
export function withClient(format: LogFormat, client: string | undefined): LogFormat {
  if (client === undefined) return format;
  const { lines } = format;
  const reading = (fields: FieldNames): FieldNames => ({
    ...Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== "forwarded")),
    [client]: "forwarded",
  });
  const changed = { ...format, forwardedIsClient: true };
  if ("columns" in lines) return { ...changed, lines: { ...lines, client } };
  if ("pairs" in lines) return { ...changed, lines: { pairs: reading(lines.pairs) } };
  if ("json" in lines) return { ...changed, lines: { ...lines, json: reading(lines.json) } };
  throw new UsageError(
    `--client cannot be ${client}: lines in the format ${format.name} have no field names; describe ` +
      "the lines with `--log-format`, and set `--client` to one of its variables",
  );
}

/** One for each timestamp notation. `client` is the path of a member. Throws `UsageError`. */
export function resolveJson(text: string, client?: string): readonly LogFormat[] {
  return parseJsonOption(text)
    .map((variant) => withClient({ name: "--json", definition: text, ...variant }, client));
}

export interface Container {
  /** Such as `an xz file`. */
  readonly looksLike: string;
  /** Command that converts the file, given last, to text on standard output, such as `xz -dc`. */
  readonly filter: string;
}

const CONTAINERS: readonly (readonly [begin: string, looksLike: string, filter: string])[] = [
  ["\xfd7zXZ\0", "an xz file", "xz -dc"],
  ["BZh", "a bzip2 file", "bzip2 -dc"],
  ["PK\x03\x04", "a zip file", "unzip -p"],
  ["7z\xbc\xaf", "a 7-Zip file", "7z x -so"],
  ["\x04\x22\x4d\x18", "an lz4 file", "lz4 -dc"],
  ["\xff\xfe", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"],
  ["\xfe\xff", "UTF-16 text", "iconv -f UTF-16 -t UTF-8"],
];

/** Returns undefined for lines of UTF-8 and unknown files. `head` is already decompressed. */
export function findContainer(head: Uint8Array): Container | undefined {
  const start = String.fromCharCode(...head.subarray(0, 16));
  const found = CONTAINERS.find(([begin]) => start.startsWith(begin));
  if (found !== undefined) return { looksLike: found[1], filter: found[2] };
  return hasOnlyCr(head)
    ? { looksLike: "text whose lines end with CR instead of LF", filter: "tr '\\r' '\\n' <" }
    : findList(new TextDecoder().decode(head).trimStart());
}

function findList(text: string): Container | undefined {
  const [start, name] = /^(?:\{\s*"(\w+)"\s*:\s*)?\[\s*(?=\{)/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const [line] = (name === undefined ? text.slice(start.length) : text).split("\n", 1);
  const parsed = parseJson(name === undefined ? line.replace(/[,\]]?\s*$/, "") : line);
  const isLine = parsed !== undefined && (name === undefined || Object.keys(parsed).length > 1);
  if (isLine) return undefined;
  return { looksLike: "a list of JSON objects", filter: `jq -c '.${name ?? ""}[]'` };
}

/** Returns undefined for anything but a JSON object. */
export function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Such lines would be read as one line. */
function hasOnlyCr(head: Uint8Array): boolean {
  if (head.includes(LF)) return false;
  const at = head.indexOf(CR);
  return at >= 0 && at < head.length - 1;
}

const MAX_LINES = 100;

/**
 * Returns the format that most of the first 100 lines of `head` match, then the one with the most
 * statuses and clients, also in a wrapper such as Docker's. Unless `isWhole`, does not test a last
 * line that may be cut. Undefined if none matches.
 */
export function detectFormat(
  head: Uint8Array,
  formats: readonly LogFormat[] = FORMATS,
  isWhole = false,
): LogFormat | undefined {
  const first100 = firstLines(head, MAX_LINES);
  const lines = isWhole ? first100 : wholeLines(first100, head);
  const first = lines.lines.find(({ start, end }) => end > start) ?? { start: 0, end: head.length };
  const wrapper = findWrapper(new TextDecoder().decode(lines.bytes.slice(first.start, first.end)));
  const candidates = wrapper === undefined
    ? formats
    : [...formats.map((format) => ({ ...format, wrapper })), ...formats];
  let best: LogFormat | undefined;
  let most: Matches = { requests: 0, fields: 0 };
  const request = new LogRequest();
  const count = lines.lines.length;
  for (const format of candidates) {
    if (!isBetter({ requests: count, fields: 2 * count }, most)) break;
    const found = countMatches(lines, format, request, most);
    if (isBetter(found, most)) [best, most] = [format, found];
  }
  return best;
}

/** Returns the name of the wrapper around a line. */
function findWrapper(line: string): string | undefined {
  return Object.keys(WRAPPERS).find((name) => WRAPPERS[name].shape.test(line));
}

/** Returns the lines without the text that a wrapper such as Docker's adds to the first line. */
export function unwrapLines(lines: readonly string[]): readonly string[] {
  const wrapper = findWrapper(lines[0] ?? "");
  if (wrapper === undefined) return lines;
  const unwrap = WRAPPERS[wrapper].unwrap();
  return lines.map((line) => {
    const { bytes, lines: [{ start, end }] } = firstLines(new TextEncoder().encode(line), 1);
    const inner = unwrap(bytes, new DataView(bytes.buffer), start, end);
    return inner === undefined
      ? line
      : new TextDecoder().decode(inner.bytes.slice(inner.start, inner.end));
  });
}

/** Whether `head` contains requests, but none with this field. */
export function lacksField(head: Uint8Array, format: LogFormat, field: LogField): boolean {
  const { bytes, lines } = firstLines(head);
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

interface Matches {
  readonly requests: number;
  readonly fields: number;
}

function isBetter(found: Matches, than: Matches): boolean {
  return found.requests > than.requests ||
    found.requests === than.requests && found.fields > than.fields;
}

/** Stops after `enough` requests, or when the rest cannot make the counts exceed `most`. */
function countMatches(
  { bytes, lines }: Lines,
  format: LogFormat,
  request: LogRequest,
  most?: Matches,
): Matches {
  const reader = new RequestReader(format, request);
  const view = new DataView(bytes.buffer);
  let [requests, fields] = [0, 0];
  for (const [i, { start, end }] of lines.entries()) {
    const left = lines.length - i;
    const possible = { requests: requests + left, fields: fields + 2 * left };
    if (most !== undefined && !isBetter(possible, most)) break;
    if (reader.read(bytes, view, start, end) !== undefined) continue;
    requests++;
    fields += Number(request.status > 0) + Number(request.has("client"));
  }
  return { requests, fields };
}

/** Drops a last line that is not whole, unless it is the only one. */
function wholeLines({ bytes, lines }: Lines, head: Uint8Array): Lines {
  const isCut = lines.length > 1 && lines.at(-1)!.end === head.length;
  return { bytes, lines: isCut ? lines.slice(0, -1) : lines };
}

/** Offsets of each line's start and LF. `SLACK` bytes after the last line are readable. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/** Copies the first lines of `head`, at most `max`. The last may be incomplete. */
export function firstLines(head: Uint8Array, max = Infinity): Lines {
  const bytes = new Uint8Array(head.length + 1 + SLACK);
  bytes.set(head);
  bytes[head.length] = LF;
  const lines: { start: number; end: number }[] = [];
  for (let start = 0; start < head.length && lines.length < max;) {
    const end = bytes.indexOf(LF, start);
    lines.push({ start, end });
    start = end + 1;
  }
  return { bytes, lines };
}
