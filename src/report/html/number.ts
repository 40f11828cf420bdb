import { bytes, count, figure, percent, perSecond, time } from "../text/units.ts";
import type { HtmlCell } from "./html_table.ts";

/** A cell with a number: how it reads, and what it is exactly. */
export type NumberCell = HtmlCell & { readonly value: number };

const cell =
  (write: (n: number) => string) => (value: number, tone?: HtmlCell["tone"]): NumberCell =>
    tone === undefined ? { content: write(value), value } : { content: write(value), value, tone };

/** A whole number. */
export const countCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(count);
/** Milliseconds. */
export const timeCell: (ms: number, tone?: HtmlCell["tone"]) => NumberCell = cell(time);
/** A share from 0 to 1. */
export const shareCell: (share: number, tone?: HtmlCell["tone"]) => NumberCell = cell(percent);
/** So many a second. */
export const rateCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(perSecond);
/** Bytes. */
export const sizeCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(bytes);
/** A number of no unit. */
export const statCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(figure);
