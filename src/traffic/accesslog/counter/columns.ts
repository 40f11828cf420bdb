import type { LogField } from "../lines/log_fields.ts";
import type { JsonFields, LinePiece, LineShape } from "../lines/line_shape.ts";
import type { TimeNotation } from "../lines/time_reader.ts";
import * as kind from "./column_kinds.ts";
import { MOST_COLUMNS } from "./memory.ts";

/** A column of a line, as the counter is told of it. */
export interface CounterColumn {
  /** One of `column_kinds.ts`. */
  readonly kind: number;
  /**
   * The text behind it, at most `MAX_DELIMITER_LENGTH` bytes; empty where the line ends. Of a member of a JSON
   * object, its name.
   */
  readonly delimiter: Uint8Array;
  /** How many bytes it has at least, if it is a word; how many columns are its members, if an object. */
  readonly minLength: number;
}

/** The most bytes of text that can be behind a column. */
export const MAX_DELIMITER_LENGTH = 16;

interface Kind {
  readonly kind: number;
  /** What the text behind it cannot begin with: it would end there, or never be met. */
  readonly inside: RegExp;
}

/** The number of each notation in the counter; -1 for one that it cannot read. */
export const NOTATIONS: Readonly<Record<TimeNotation, number>> = {
  clf: kind.CLF_TIME,
  iso: kind.ISO_TIME,
  epoch: kind.EPOCH,
  clock: kind.CLOCK,
  layout: -1,
};
const TIMES: Partial<Readonly<Record<TimeNotation, Kind>>> = {
  clf: { kind: kind.TIME, inside: /[\w/: +-]/ },
  iso: { kind: kind.TIME, inside: /[\w:.,+-]/ },
  epoch: { kind: kind.TIME, inside: /[\d.]/ },
  clock: { kind: kind.TIME, inside: /[\d:.]/ },
};
const KINDS: Partial<Readonly<Record<LogField, Kind>>> = {
  date: { kind: kind.DATE, inside: /[\d-]/ },
  request: { kind: kind.REQUEST, inside: /[\w/?. -]/ },
  method: { kind: kind.METHOD, inside: /[\w-]/ },
  target: { kind: kind.TARGET, inside: /[/?]/ },
  path: { kind: kind.PATH, inside: /[/?]/ },
  query: { kind: kind.QUERY, inside: /[?-]/ },
  status: { kind: kind.STATUS, inside: /[\d-]/ },
};
const encoder = new TextEncoder();

/**
 * The columns of lines of this shape with times in this notation; undefined when the counter cannot
 * read them.
 */
export function compileColumns(
  shape: LineShape,
  time: TimeNotation,
): readonly CounterColumn[] | undefined {
  if (NOTATIONS[time] < 0) return undefined;
  if (shape.members !== undefined) return jsonColumns(shape.members);
  const columns = shape.before === "" ? [] : textColumns(shape.before);
  const needed = neededPieces(shape, time);
  if (needed === undefined) return undefined;
  for (const piece of shape.pieces) {
    const found = needed.has(piece) ? columnKind(piece, time) : passedOver(piece);
    if (found === undefined) return undefined;
    const [first, ...rest] = pieces(piece.delimiter);
    columns.push({ kind: found, delimiter: first, minLength: piece.minLength ?? 0 });
    columns.push(...rest.map((delimiter) => ({ kind: kind.TEXT, delimiter, minLength: 0 })));
  }
  if (shape.isClf) columns.push({ kind: kind.CLF, delimiter: new Uint8Array(), minLength: 0 });
  return columns.length <= MOST_COLUMNS ? columns : undefined;
}

/** A JSON object and those of its members that make a request. */
function jsonColumns(fields: JsonFields): readonly CounterColumn[] | undefined {
  const members = memberColumns(fields);
  const fits = members.length < MOST_COLUMNS &&
    members.every(({ delimiter }) => delimiter.length <= MAX_DELIMITER_LENGTH);
  return fits
    ? [{ kind: kind.JSON, delimiter: new Uint8Array(), minLength: members.length }, ...members]
    : undefined;
}

function memberColumns(fields: JsonFields): CounterColumn[] {
  return Object.entries(fields).flatMap(([name, field]): CounterColumn[] => {
    const behind = encoder.encode(name);
    if (typeof field !== "string") {
      const members = memberColumns(field);
      return [{ kind: kind.OBJECT, delimiter: behind, minLength: members.length }, ...members];
    }
    const found = field === "time" ? kind.TIME : KINDS[field]?.kind;
    return found === undefined ? [] : [{ kind: found, delimiter: behind, minLength: 0 }];
  });
}

/** Those that make a request; undefined when they do not. */
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
  const moment = time === "clock" ? ["date", "time"] as const : ["time"] as const;
  const missing = [...moment, ...request].some((field) =>
    field !== "query" && first(field) === undefined
  );
  if (missing) return undefined;
  const needed = [...moment, ...request, "status" as const].map(first);
  return new Set(needed.filter((piece) => piece !== undefined));
}

function columnKind({ field, delimiter, emptyQueryIsDash, stops }: LinePiece, time: TimeNotation) {
  if (stops !== undefined && (field === "target" || field === "query")) return undefined;
  const found = field === "time" ? TIMES[time] : KINDS[field!];
  if (found === undefined || found.inside.test(delimiter.charAt(0))) return undefined;
  return found.kind === kind.TARGET && emptyQueryIsDash ? kind.DASHED_TARGET : found.kind;
}

function passedOver({ delimiter, minLength }: LinePiece): number {
  if (minLength !== undefined) return kind.WORD;
  return delimiter.startsWith('"') ? kind.QUOTED : kind.SKIPPED;
}

function textColumns(text: string): CounterColumn[] {
  return pieces(text).map((delimiter) => ({ kind: kind.TEXT, delimiter, minLength: 0 }));
}

/** The bytes of a text, so many at a time; of an empty one none, once. */
function pieces(text: string): Uint8Array[] {
  const bytes = encoder.encode(text);
  const found: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_DELIMITER_LENGTH) {
    found.push(bytes.subarray(at, at + MAX_DELIMITER_LENGTH));
  }
  return found;
}
