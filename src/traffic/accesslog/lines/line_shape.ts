import type { LogField } from "./log_fields.ts";

/** A field and the text behind it; one that is of no use is passed over. */
export interface LinePiece {
  readonly field: LogField | undefined;
  /** The text up to the next field; empty at the end of the line only. */
  readonly delimiter: string;
  /** Whether a `-` at its end stands for a query that is not there. */
  readonly emptyQueryIsDash?: boolean;
  /** A word: it has so many bytes at least, and not the first byte of the text behind it. */
  readonly minLength?: number;
  /**
   * Of a timestamp: the least bytes that it has, which may hold the text behind it, such as a space. A
   * zone that follows a space is part of it too. 0 if it has no such bytes.
   */
  readonly head?: number;
  /** Of the last field with no text behind it: the bytes that end it before the line ends. */
  readonly stops?: string;
}

/** Which member of a JSON object is which field; a nested object's members by their own map. */
export interface JsonFields {
  readonly [member: string]: LogField | JsonFields;
}

/** How a line is written: text, then fields with text between them; or a JSON object. */
export interface LineShape {
  readonly before: string;
  readonly pieces: readonly LinePiece[];
  /** Whether ` [time] "request" status size` follows, with anything before and behind. */
  readonly isClf?: boolean;
  /** The members of the JSON object that the line is, if it is one. */
  readonly members?: JsonFields;
}
