import * as ascii from "../../../base/ascii.ts";
import { indexOfByte } from "./text/byte_search.ts";
import { FIELD_INDEX, FIELDS as ALL_FIELDS, type LogField, type Spans } from "./log_fields.ts";
import type { LinePiece, LineShape, LineSplitter, NoRequest } from "./line_splitter.ts";

const { HASH } = ascii;

const FIELDS = "#Fields:";

/** Field for each known column name in the W3C extended format. */
const NAMES: Readonly<Record<string, LogField>> = {
  date: "date",
  time: "time",
  "c-ip": "client",
  "cs-method": "method",
  "cs-uri-stem": "path",
  "cs-uri-query": "query",
  "cs-uri": "target",
  "sc-status": "status",
  "sc-bytes": "bytes",
  "time-taken": "duration",
  "cs(Referer)": "referer",
  "cs(User-Agent)": "agent",
  "cs-host": "host",
  "cs(Host)": "host",
  "x-host-header": "host",
};

/**
 * Splits lines in the W3C extended log format, whose values are separated by spaces or tabs. Each
 * `#Fields:` line defines the columns of the lines that follow.
 */
export class W3cSplitter implements LineSplitter {
  readonly #separator: string;
  readonly #separatorByte: number;
  readonly #client: string | undefined;
  #columns: Int32Array;
  #shape: LineShape;

  /**
   * Creates a splitter. `columns` lists the columns of the lines before the first `#Fields:` line,
   * in the same syntax as such a line. `client` is the name of the column that is recorded as
   * `forwarded`, if any.
   */
  constructor(separator: " " | "\t", columns: string, client?: string) {
    this.#separator = separator;
    this.#client = client;
    this.#separatorByte = separator.charCodeAt(0);
    this.#columns = mapColumns(columns, client);
    this.#shape = buildShape(this.#columns, separator);
  }

  get shape(): LineShape {
    return this.#shape;
  }

  split(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    end: number,
    spans: Spans,
  ): NoRequest | undefined {
    if (bytes[start] === HASH) {
      const line = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 4096)));
      if (line.startsWith(FIELDS)) {
        this.#columns = mapColumns(line.slice(FIELDS.length), this.#client);
        this.#shape = buildShape(this.#columns, this.#separator);
      }
      return "ignored";
    }
    const columns = this.#columns;
    const separator = this.#separatorByte | 0;
    const { from, to } = spans;
    const last = end | 0;
    let at = start | 0;
    for (let i = 0; i < columns.length; i++) {
      if (at > last) return "no-request";
      const field = columns[i];
      const wordEnd = indexOfByte(view, at, last, separator);
      if (field >= 0) {
        from[field] = at;
        to[field] = wordEnd;
      }
      at = wordEnd + 1;
    }
    return undefined;
  }
}

/**
 * Builds a line layout. `columns` contains the field index of each column, or -1 for a column to
 * skip. Lines may have more columns.
 */
function buildShape(columns: Int32Array, separator: string): LineShape {
  const pieces = [...columns].map((field): LinePiece => ({
    field: ALL_FIELDS[field],
    delimiter: separator,
  }));
  return { before: "", pieces: [...pieces.slice(0, -1), { ...pieces.at(-1)!, delimiter: "" }] };
}

/**
 * Parses column names and returns the field index of each column, up to the last column that is
 * needed. The index is -1 if the column is not needed or repeats a field. The column named `client`
 * gets the index of the `forwarded` field.
 */
function mapColumns(names: string, client: string | undefined): Int32Array {
  const fields = names.trim().split(/[ \t]+/)
    .map((name) => name === client ? FIELD_INDEX.forwarded : FIELD_INDEX[NAMES[name]] ?? -1)
    .map((field, i, all) => all.indexOf(field) === i ? field : -1);
  return Int32Array.from(fields.slice(0, 1 + fields.findLastIndex((field) => field >= 0)));
}
