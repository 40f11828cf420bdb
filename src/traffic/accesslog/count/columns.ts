import * as ascii from "../../../base/ascii.ts";
import type { RequestPart } from "../collect/collector.ts";
import {
  FIELD_INDEX,
  type JsonFields,
  type LinePiece,
  type LineShape,
  type LogField,
  type Spans,
} from "../read/log_format.ts";
import {
  CLOCK_BYTES,
  type DatedTime,
  findFractionEnd,
  parseClock,
  TIME_NOTATIONS,
  type TimeNotation,
} from "../read/notations.ts";
import * as memory from "./memory.ts";

export interface CounterColumn {
  readonly kind: number;
  /** Text after the column (empty at the end), or the name of a JSON member. */
  readonly delimiter: Uint8Array;
  /** LF for a column that extends to the end of the line. */
  readonly stop: number;
  /** Minimum length of a `WORD` column in bytes; 0 for other kinds. */
  readonly minLength: number;
  /** Of a JSON object, the columns after this one for its members; else 0. */
  readonly members: number;
}

interface Kind {
  readonly kind: number;
  /** Characters in a field of this kind; the delimiter after it must not start with any of them. */
  readonly inside: RegExp;
}

const KINDS: Partial<Readonly<Record<LogField, Kind>>> = {
  date: { kind: memory.KIND_DATE, inside: /[\d-]/ },
  request: { kind: memory.KIND_REQUEST, inside: /[\w/?. -]/ },
  method: { kind: memory.KIND_METHOD, inside: /[\w-]/ },
  target: { kind: memory.KIND_TARGET, inside: /[/?]/ },
  path: { kind: memory.KIND_PATH, inside: /[/?]/ },
  query: { kind: memory.KIND_QUERY, inside: /[?-]/ },
  status: { kind: memory.KIND_STATUS, inside: /[\d-]/ },
  logger: { kind: memory.KIND_LOGGER, inside: /./ },
};
const NOTHING = /(?!)/;
const encoder = new TextEncoder();

/** Returns undefined if the counter cannot read lines with this layout or notation. */
export function compileColumns(
  shape: LineShape,
  time: TimeNotation,
): readonly CounterColumn[] | undefined {
  if (TIME_NOTATIONS[time].counted === undefined) return undefined;
  if (shape.members !== undefined) return jsonColumns(shape.members);
  const columns = shape.before === "" ? [] : textColumns(shape.before);
  if (shape.pieces.some(({ isPadded }) => isPadded)) return undefined;
  const needed = neededPieces(shape, time);
  if (needed === undefined) return undefined;
  for (const piece of shape.pieces) {
    const found = needed.has(piece) ? columnKind(piece, time, shape) : skippedKind(piece, shape);
    if (found === undefined) return undefined;
    const [first, ...rest] = splitText(piece.delimiter);
    const { stops = "", minLength = 0 } = piece;
    // The counter rejects a line whose last column ends at one of the other characters. A timestamp
    // may continue after a space, with its zone.
    const stop = found.kind === memory.KIND_TIME
      ? undefined
      : [...stops].find((stop) => !found.inside.test(stop));
    columns.push({ ...column(found.kind, first, 0, stop), minLength });
    columns.push(...rest.map((delimiter) => column(memory.KIND_TEXT, delimiter)));
  }
  if (shape.isClf) columns.push(column(memory.KIND_CLF));
  return columns.length <= memory.MAX_COLUMNS ? columns : undefined;
}

/** Whether the counter can find these parts in such lines. */
export function hasParts(
  shape: LineShape,
  time: TimeNotation,
  parts: ReadonlySet<RequestPart>,
): boolean {
  const { counted } = TIME_NOTATIONS[time];
  const hasMilliseconds = typeof counted !== "object" || counted.hasFraction;
  if (parts.has("others") || (parts.has("milliseconds") && hasMilliseconds)) return false;
  // The target is not in one piece if the query is a separate field.
  const fields = shape.members === undefined
    ? shape.pieces.map(({ field }) => field)
    : memberFields(shape.members);
  if (parts.has("query") && fields.includes("query")) return false;
  if (!needsTail(parts) && !parts.has("host")) return true;
  if (shape.isClf !== true || shape.before !== "") return false;
  return startsWithHost(shape) || (shape.pieces.length === 0 && !parts.has("host"));
}

/** Parts that the counter finds only in the common and combined formats. */
export function needsTail(parts: ReadonlySet<RequestPart>): boolean {
  return parts.has("client") || parts.has("agent") || parts.has("duration");
}

export function startsWithHost({ isClf, before, pieces }: LineShape): boolean {
  const fields = pieces.map(({ field }) => field).join();
  return isClf === true && before === "" && fields === "host,client";
}

function memberFields(fields: JsonFields): LogField[] {
  return Object.values(fields).flatMap((field) =>
    typeof field === "string" ? [field] : memberFields(field)
  );
}

/** Columns of the members needed to count a request. Undefined if they do not fit in the memory. */
function jsonColumns(fields: JsonFields): readonly CounterColumn[] | undefined {
  const members = memberColumns(fields);
  const fits = members.length < memory.MAX_COLUMNS &&
    members.every(({ delimiter }) => delimiter.length <= memory.TEXT_BYTES);
  return fits ? [column(memory.KIND_JSON, undefined, members.length), ...members] : undefined;
}

function memberColumns(fields: JsonFields): CounterColumn[] {
  return Object.entries(fields).flatMap(([name, field]): CounterColumn[] => {
    const delimiter = encoder.encode(name);
    if (typeof field !== "string") {
      const members = memberColumns(field);
      return [column(memory.KIND_OBJECT, delimiter, members.length), ...members];
    }
    const found = field === "time" ? memory.KIND_TIME : KINDS[field]?.kind;
    return found === undefined ? [] : [column(found, delimiter)];
  });
}

function neededPieces(
  { pieces, isClf }: LineShape,
  time: TimeNotation,
): Set<LinePiece> | undefined {
  const first = (field: LogField) => pieces.find((piece) => piece.field === field);
  if (isClf) return new Set();
  const target = first("target") === undefined ? ["path", "query"] as const : ["target"] as const;
  const request = first("request") === undefined
    ? ["method", ...target] as const
    : ["request"] as const;
  const { counted } = TIME_NOTATIONS[time];
  const isDateSeparate = typeof counted === "object" && counted.isDateSeparate;
  const timestamp = isDateSeparate ? ["date", "time"] as const : ["time"] as const;
  const missing = [...timestamp, ...request].some((field) =>
    field !== "query" && first(field) === undefined
  );
  if (missing) return undefined;
  const needed = [...timestamp, ...request, "status" as const].map(first);
  return new Set(needed.filter((piece) => piece !== undefined));
}

function columnKind(
  { field, delimiter, emptyQueryIsDash }: LinePiece,
  time: TimeNotation,
  { w3c }: LineShape,
): Kind | undefined {
  const found: Kind | undefined = field === "time"
    ? { kind: memory.KIND_TIME, inside: TIME_NOTATIONS[time].characters }
    : KINDS[field!];
  if (found === undefined || found.inside.test(delimiter.charAt(0))) return undefined;
  if (w3c?.isEncoded && field === "path") return { ...found, kind: memory.KIND_PLAIN_PATH };
  if (field !== "target") return found;
  if (w3c?.isEncoded) return undefined;
  return emptyQueryIsDash ? { ...found, kind: memory.KIND_DASHED_TARGET } : found;
}

function skippedKind({ delimiter, minLength }: LinePiece, { w3c }: LineShape): Kind {
  const found = minLength !== undefined
    ? memory.KIND_WORD
    : w3c !== undefined
    ? memory.KIND_VALUE
    : delimiter.startsWith('"')
    ? memory.KIND_QUOTED
    : memory.KIND_SKIPPED;
  return { kind: found, inside: NOTHING };
}

function column(
  kind: number,
  delimiter: Uint8Array = new Uint8Array(),
  members = 0,
  stop = "\n",
): CounterColumn {
  return { kind, delimiter, stop: delimiter[0] ?? stop.charCodeAt(0), minLength: 0, members };
}

function textColumns(text: string): CounterColumn[] {
  return splitText(text).map((delimiter) => column(memory.KIND_TEXT, delimiter));
}

/** Parts of at most `TEXT_BYTES` bytes; one empty part for an empty string. */
function splitText(text: string): Uint8Array[] {
  const bytes = encoder.encode(text);
  const found: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += memory.TEXT_BYTES) {
    found.push(bytes.subarray(at, at + memory.TEXT_BYTES));
  }
  return found;
}

const { SPACE } = ascii;
const { time: TIME, date: DATE } = FIELD_INDEX;
const DAY_SECONDS = 86_400;
/** Seconds between a day and the limits of u32 Unix seconds; longer than any UTC offset. */
const MARGIN_SECONDS = 2 * DAY_SECONDS;

/** The date before the time of day, and the zone after it. */
export interface DayText {
  readonly date: Uint8Array;
  readonly zone: Uint8Array;
  /** Midnight in the zone of the timestamps, in Unix seconds. */
  readonly start: number;
}

/** Undefined if the counter cannot read it, or within two days of a limit of u32 seconds. */
export function readDayText(
  bytes: Uint8Array,
  { from, to }: Spans,
  { clockAt, dateBytes, isDateSeparate, hasFraction }: DatedTime,
  second: number,
): DayText | undefined {
  const clock = from[TIME] + clockAt;
  const end = to[TIME];
  const clockEnd = clock + CLOCK_BYTES;
  const zone = findFractionEnd(bytes, clockEnd, end);
  if (zone > clockEnd && !hasFraction) return undefined;
  // If a space precedes the zone, the counter would treat the timestamp as one without a zone.
  if (!isDateSeparate && zone === end && bytes[end] === SPACE) return undefined;
  const start = second - parseClock(bytes, clock);
  if (start < MARGIN_SECONDS || start > 2 ** 32 - MARGIN_SECONDS) return undefined;
  const date = isDateSeparate ? from[DATE] : from[TIME];
  const dateEnd = isDateSeparate ? date + dateBytes : clock;
  return { date: bytes.slice(date, dateEnd), zone: bytes.slice(zone, end), start };
}
