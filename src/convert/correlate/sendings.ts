import type { Candidate } from "./candidate.ts";
import type { Sending } from "./decision.ts";
import type { Draft } from "./draft.ts";
import { isShortNumber } from "./dynamic.ts";
import { nameHint } from "./names.ts";
import type { Slot } from "./slot.ts";
import type { ValueIndex } from "./value_index.ts";

/** A piece of a slot's value that is one of the values looked for. */
export interface Piece {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The values that stand in a slot: one that fills it, else those within it. */
export function piecesOf(
  slot: Slot,
  whole: (value: string) => boolean,
  within: ValueIndex,
): readonly Piece[] {
  for (const [start, end] of slot.wholes()) {
    const value = slot.value.slice(start, end);
    if (whole(value)) return [{ value, start, end }];
  }
  return within.find(slot.value);
}

/** Recorders cut the start to whole milliseconds and keep a fraction of the duration. */
const CLOCK_STEP_MS = 1;

/** Whether the request was sent after the candidate's response had ended. */
export function isLater(draft: Draft, { producer }: Candidate): boolean {
  return draft.order > producer.order && draft.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

/** Whether a value may stand for the candidate there: a short number only where an id is expected. */
export function mayStandIn(slot: Slot, candidate: Candidate): boolean {
  if (!isShortNumber(candidate.value)) return true;
  return nameHint(candidate.key).idLike && (slot.kind === "path" || nameHint(slot.name).idLike);
}

/** Why the value cannot be replaced there, if it cannot. */
export function obstacle(
  { slot, start }: Sending,
  candidate: Candidate,
): "other type" | "after a dollar" | undefined {
  if (slot.numeric && !candidate.numeric) return "other type";
  const [from] = slot.recordedRange(start, start);
  return from > 0 && slot.recorded[from - 1] === "$" ? "after a dollar" : undefined;
}
