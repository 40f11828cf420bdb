import type { TextRange } from "../../extract/rows.ts";

/** A value in a table row or list item that a request can use to identify an object. */
export interface RowValue {
  readonly value: string;
  /**
   * In a link, the path segment before the value. For the value of an option, the name of the
   * `select` element.
   */
  readonly name: string;
  readonly inPath: boolean;
  /** Offset of the value in the text, in UTF-16 code units. */
  readonly at: number;
}

/**
 * Matches a path segment that contains a digit, and the segment before it. The limits prevent
 * quadratic time for hostile text.
 */
const LINK = /([\w.~%-]{1,200})\/(?=[\w.~%-]*\d)([\w.~%-]{1,500})(?=["'?#&/<\s;)]|$)/g;
const OPTION = /^<option\b[^>]*?\svalue=(?:"([^"<>]*)"|'([^'<>]*)')/di;
const SELECT_NAME = /^<select\b[^>]*?\sname\s*=\s*["']?([^\s"'>]+)/i;
/**
 * Maximum length of the markup between the start of a `select` element and an option, in UTF-16
 * code units.
 */
const LONGEST_SELECT = 65_536;

/**
 * Yields the path segments with digits in the links of a row. If the row is an option of a `select`
 * element, also yields its value.
 */
export function* rowValues(text: string, { start, end }: TextRange): Generator<RowValue> {
  const row = text.slice(start, end);
  for (const { 0: all, 1: name, 2: value, index } of row.matchAll(LINK)) {
    yield { value, name, inPath: true, at: start + index + all.length - value.length };
  }
  const option = OPTION.exec(row);
  const [from, to] = option?.indices?.[1] ?? option?.indices?.[2] ?? [0, 0];
  if (from === to) return;
  const before = text.slice(Math.max(0, start - LONGEST_SELECT), start);
  const name = SELECT_NAME.exec(before.slice(before.lastIndexOf("<select")))?.[1];
  if (name !== undefined) {
    yield { value: row.slice(from, to), name, inPath: false, at: start + from };
  }
}
