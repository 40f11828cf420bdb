import type { LogField } from "./log_fields.ts";

/** A field and the delimiter after it; an undefined field is skipped. */
export interface LinePiece {
  readonly field: LogField | undefined;
  /** Text between this field and the next one; empty only at the end of the line. */
  readonly delimiter: string;
  /** Whether a `-` at the end of the field means that there is no query. */
  readonly emptyQueryIsDash?: boolean;
  /** If set, the field is a word: at least this long, without the first byte of the delimiter. */
  readonly minLength?: number;
  /**
   * Minimum length in bytes of a timestamp, within which the delimiter (such as a space) may occur. A
   * zone after a space belongs to the timestamp too. Default: 0.
   */
  readonly head?: number;
  /** Bytes that end the last field before the end of the line, if it has no delimiter. */
  readonly stops?: string;
}

/** Maps the members of a JSON object to fields; a nested object has a nested map. */
export interface JsonFields {
  readonly [member: string]: LogField | JsonFields;
}

/** The layout of a line: a prefix and delimited fields, or a JSON object. */
export interface LineShape {
  /** Text before the first field. */
  readonly before: string;
  readonly pieces: readonly LinePiece[];
  /** Whether ` [time] "request" status size` follows the pieces, with any text before and after. */
  readonly isClf?: boolean;
  /** Members of the JSON object, if the line is a JSON object. */
  readonly members?: JsonFields;
}
