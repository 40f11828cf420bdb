import type { Expression } from "../../plan/template.ts";
import type { Candidate, Source } from "./candidate.ts";
import type { Obstacle, Usage } from "./decision.ts";
import type { Draft } from "./draft.ts";
import { isShortNumber } from "./dynamic.ts";
import { nameHint } from "./names.ts";
import type { RequestField } from "./request_field.ts";
import { type ValueIndex, withoutOverlaps } from "./value_index.ts";

/** A piece of a slot's value that is one of the values looked for. */
export interface Piece {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The values that stand in a slot: one that fills it, else those that stand within it. */
export function findPieces(
  slot: RequestField,
  whole: (value: string) => boolean,
  within: ValueIndex,
): readonly Piece[] {
  for (const [start, end] of slot.wholes()) {
    const value = slot.value.slice(start, end);
    if (whole(value)) return [{ value, start, end }];
  }
  const parts = slot.addressParts()
    .map(([start, end]) => ({ value: slot.value.slice(start, end), start, end }))
    .filter(({ value }) => whole(value));
  return withoutOverlaps([...parts, ...within.find(slot.value)]);
}

/** Recorders cut the start to whole milliseconds and keep a fraction of the duration. */
const CLOCK_STEP_MS = 1;

/** Whether the request was sent after the candidate's response had ended. */
export function isLater(draft: Draft, { producer }: Candidate): boolean {
  return draft.order > producer.order && draft.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

/** Whether a value may stand for the candidate there: a short number only where an id is expected. */
export function canReplace(slot: RequestField, candidate: Candidate): boolean {
  if (!isShortNumber(candidate.value)) return true;
  return nameHint(candidate.key).idLike && (slot.kind === "path" || nameHint(slot.name).idLike);
}

/**
 * Why the value is not replaced there, if it is not. Values of JSON bodies count as they stand, unless
 * other encodings were asked for.
 */
export function blocker(
  sending: Usage,
  candidate: Candidate,
  sources: ReadonlySet<Source>,
): Obstacle | undefined {
  const { slot, start, end } = sending;
  const [from] = slot.recordedRange(start, end);
  if (slot.numeric && !candidate.numeric) return "other type";
  if (from > 0 && slot.recorded[from - 1] === "$") return "after a dollar";
  const exact = candidate.source !== "json" || sources.has("encoded");
  return !exact && isEncoded(sending) ? "encoded" : undefined;
}

/**
 * What stands for the value there: `url_encode` gives what a URL holds percent-encoded, and text where
 * a JSON body holds a number's digits as text.
 */
export function expressionFor(sending: Usage, { numeric }: Candidate, name: string): Expression {
  const { slot, start, end } = sending;
  const asText = numeric && slot.kind === "json" && !slot.numeric &&
    end - start === slot.value.length;
  const variable = { kind: "variable", name } as const;
  return isEncoded(sending) || asText ? { kind: "url_encode", argument: variable } : variable;
}

function isEncoded({ slot, start, end }: Usage): boolean {
  return slot.recorded.slice(...slot.recordedRange(start, end)) !== slot.value.slice(start, end);
}
