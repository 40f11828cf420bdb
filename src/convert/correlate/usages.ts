import type { Expression } from "../../plan/text/template.ts";
import type { Candidate, Source } from "./candidate.ts";
import type { Obstacle, Usage } from "./decision.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isShortNumber } from "../../traffic/session/dynamic_value.ts";
import { nameHint } from "../../traffic/session/field_names.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { type ValueIndex, withoutOverlaps } from "../../traffic/session/value_index.ts";

/**
 * A range of a field's decoded value that equals one of the searched values. Offsets are in UTF-16
 * units.
 */
export interface Piece {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds values in a field. If `whole` accepts the whole value, returns only that. Otherwise returns the
 * parts of a URL that `whole` accepts and the values of `within`, without overlaps.
 */
export function findPieces(
  field: RequestField,
  whole: (value: string) => boolean,
  within: ValueIndex,
): readonly Piece[] {
  for (const [start, end] of field.wholes()) {
    const value = field.value.slice(start, end);
    if (whole(value)) return [{ value, start, end }];
  }
  const parts = field.addressParts()
    .map(([start, end]) => ({ value: field.value.slice(start, end), start, end }))
    .filter(({ value }) => whole(value));
  return withoutOverlaps([...parts, ...within.find(field.value)]);
}

/** Tolerance in ms: recorders truncate start times to whole milliseconds, but not durations. */
const CLOCK_STEP_MS = 1;

/**
 * Reports whether the request was sent after the candidate's response had ended, with a tolerance of 1
 * ms.
 */
export function isLater(call: RecordedCall, { producer }: Candidate): boolean {
  return call.order > producer.order && call.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

/**
 * Reports whether the candidate's variable may replace the value in this field. Numbers of fewer than
 * four digits are replaced only in paths and fields with the name of an id.
 */
export function canReplace(field: RequestField, candidate: Candidate): boolean {
  if (!isShortNumber(candidate.value)) return true;
  return nameHint(candidate.key).idLike && (field.kind === "path" || nameHint(field.name).idLike);
}

/**
 * Returns the obstacle to replacing a usage, or undefined if there is none. A value from a JSON body is
 * replaced in another encoding only if `sources` contains `encoded`.
 */
export function obstacleTo(
  usage: Usage,
  candidate: Candidate,
  sources: ReadonlySet<Source>,
): Obstacle | undefined {
  const { field, start, end } = usage;
  const [from] = field.recordedRange(start, end);
  if (field.numeric && !candidate.numeric) return "other type";
  if (from > 0 && field.recorded[from - 1] === "$") return "after a dollar";
  const exact = candidate.source !== "json" || sources.has("encoded");
  return !exact && isEncoded(usage) ? "encoded" : undefined;
}

/**
 * Returns the expression that replaces a usage. Uses `url_encode` for a percent-encoded value, and in a
 * JSON body to write a number as a string.
 */
export function expressionFor(usage: Usage, { numeric }: Candidate, name: string): Expression {
  const { field, start, end } = usage;
  const asText = numeric && field.kind === "json" && !field.numeric &&
    end - start === field.value.length;
  const variable = { kind: "variable", name } as const;
  return isEncoded(usage) || asText ? { kind: "url_encode", argument: variable } : variable;
}

function isEncoded({ field, start, end }: Usage): boolean {
  return field.recorded.slice(...field.recordedRange(start, end)) !== field.value.slice(start, end);
}
