import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { ValueIndex, withoutOverlaps } from "../../traffic/session/value_index.ts";

/** An occurrence of a value in a request field. */
export interface Usage {
  readonly value: string;
  readonly call: RecordedCall;
  readonly field: RequestField;
  /** Start of the occurrence within the field's decoded value, in UTF-16 units. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Occurrences of the wanted values in one field. They can overlap. */
export interface FieldUsages {
  /** Occurrences that fill the whole field, or everything after a header's auth scheme. */
  readonly wholes: readonly Usage[];
  /** Occurrences that fill a path segment or a query parameter of a URL that a header contains. */
  readonly addressParts: readonly Usage[];
  /** Other occurrences of long values within the field. */
  readonly within: readonly Usage[];
}

/**
 * Finds the occurrences of `values` in requests. Returns one element per field that has any, in the
 * order in which the fields are sent.
 */
export function findUsages(
  calls: readonly RecordedCall[],
  values: { has(value: string): boolean; values(): Iterable<string> },
): FieldUsages[] {
  const index = new ValueIndex();
  for (const value of values.values()) index.add(value);
  const found: FieldUsages[] = [];
  for (const call of calls) {
    for (const field of call.fields) {
      const wholes: Usage[] = [];
      for (const [start, end] of field.wholes()) {
        const value = field.value.slice(start, end);
        if (values.has(value)) wholes.push({ value, call, field, start, end });
      }
      const addressParts: Usage[] = [];
      for (const [start, end] of field.addressParts()) {
        const value = field.value.slice(start, end);
        if (values.has(value)) addressParts.push({ value, call, field, start, end });
      }
      const within: Usage[] = [];
      for (const { value, start, end } of index.findAll(field.value)) {
        const isSame = (usage: Usage) => usage.start === start && usage.end === end;
        if (wholes.some(isSame) || addressParts.some(isSame)) continue;
        within.push({ value, call, field, start, end });
      }
      if (wholes.length + addressParts.length + within.length > 0) {
        found.push({ wholes, addressParts, within });
      }
    }
  }
  return found;
}

/**
 * Selects non-overlapping occurrences of accepted values. If an accepted value fills the field, returns
 * only that occurrence.
 */
export function withoutCovered(
  { wholes, addressParts, within }: FieldUsages,
  accepts: (value: string) => boolean,
): Usage[] {
  const accepted = ({ value }: Usage) => accepts(value);
  const whole = wholes.find(accepted);
  if (whole !== undefined) return [whole];
  const longest = withoutOverlaps(within.filter(accepted));
  return withoutOverlaps([...addressParts.filter(accepted), ...longest]);
}
