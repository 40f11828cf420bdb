import { clf } from "./clf_time.ts";
import { clock } from "./clock_time.ts";
import { epoch } from "./epoch_time.ts";
import { iso } from "./iso_time.ts";
import { layout } from "./layout_time.ts";
import type { Notation } from "./notation.ts";

/** All timestamp notations. A timestamp without a zone is read as UTC. */
export const TIME_NOTATIONS: { readonly [Name in TimeNotation]: Notation } = {
  clf,
  iso,
  epoch,
  clock,
  layout,
};

/** Name of the notation in which a log format writes timestamps. */
export type TimeNotation = "clf" | "iso" | "epoch" | "clock" | "layout";

/**
 * Returns the name of the notation that covers an expanded strftime layout. Returns `layout`, the
 * general notation, if no other notation covers it.
 */
export function findNotation(layout: string): TimeNotation {
  const found = Object.entries(TIME_NOTATIONS).find(([, { layouts }]) => layouts?.test(layout));
  return (found?.[0] ?? "layout") as TimeNotation;
}
