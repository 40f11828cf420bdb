import { bytes, count, figure, percent, perSecond, time } from "../text/units.ts";
import type { Cell } from "./table.ts";

/** A cell with a number: how it reads, and what it is exactly. */
export type NumberCell = Cell & { readonly value: number };

const cell = (write: (n: number) => string) => (value: number, tone?: Cell["tone"]): NumberCell =>
  tone === undefined ? { content: write(value), value } : { content: write(value), value, tone };

/** A whole number. */
export const counted: (n: number, tone?: Cell["tone"]) => NumberCell = cell(count);
/** Milliseconds. */
export const timed: (ms: number, tone?: Cell["tone"]) => NumberCell = cell(time);
/** A share from 0 to 1. */
export const shared: (share: number, tone?: Cell["tone"]) => NumberCell = cell(percent);
/** So many a second. */
export const rated: (n: number, tone?: Cell["tone"]) => NumberCell = cell(perSecond);
/** Bytes. */
export const sized: (n: number, tone?: Cell["tone"]) => NumberCell = cell(bytes);
/** A number of no unit. */
export const figured: (n: number, tone?: Cell["tone"]) => NumberCell = cell(figure);
