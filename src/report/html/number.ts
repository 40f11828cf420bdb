import { bytes, count, formatNumber, percent, perSecond, time } from "../text/units.ts";
import type { HtmlCell } from "./html_table.ts";

/** A cell with a formatted number and its exact value. */
export type NumberCell = HtmlCell & { readonly value: number };

const cell =
  (write: (n: number) => string) => (value: number, tone?: HtmlCell["tone"]): NumberCell =>
    tone === undefined ? { content: write(value), value } : { content: write(value), value, tone };

/** Cell with a whole number. */
export const countCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(count);
/** Cell with a time in milliseconds. */
export const timeCell: (ms: number, tone?: HtmlCell["tone"]) => NumberCell = cell(time);
/** Cell with a share from 0 to 1, in percent. */
export const shareCell: (share: number, tone?: HtmlCell["tone"]) => NumberCell = cell(percent);
/** Cell with a rate per second. */
export const rateCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(perSecond);
/** Cell with a number of bytes. */
export const sizeCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(bytes);
/** Cell with a number without a unit. */
export const statCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = cell(formatNumber);
