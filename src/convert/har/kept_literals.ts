import type { RequestField } from "../../traffic/session/request_field.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import type { Use } from "../../correlation/pieces.ts";
import type { Variable } from "../../correlation/variable.ts";
import type { HarNote } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";

/** Minimum length of a value that is reported, in UTF-16 code units. */
const SHORTEST = 4;
/**
 * Minimum number of digits of a number that is reported. Shorter numbers often match by
 * coincidence.
 */
const SHORTEST_NUMBER = 5;

/**
 * Returns a warning for each field of a later request that still contains the recorded value of a
 * variable, for example within prose. Omits occurrences that another warning covers.
 */
export function* keptLiterals(
  { calls, correlation, replacements, nameOf }: HarFacts,
): Generator<HarNote> {
  const variables = new Map<string, Variable>();
  const index = new ValueIndex(SHORTEST);
  for (const variable of correlation.variables) {
    const { value } = variable.candidate;
    if (!/\d/.test(value)) continue;
    if (/^\d*$/.test(value) && value.length < SHORTEST_NUMBER) continue;
    variables.set(value, variable);
    index.add(value);
  }
  if (index.isEmpty) return;
  // Values of headers that contain none of `variables`. Most headers are the same in many calls.
  const without = new Set<string>();
  const covers = (field: RequestField, start: number, end: number) => {
    const [from, to] = field.recordedRange(start, end);
    return replacements.of(field).some((one) => one.start < to && from < one.end);
  };
  const isReplaced = (field: RequestField) =>
    replacements.of(field).some(({ start, end }) => end - start === field.recorded.length);
  for (const call of calls) {
    for (const field of call.fields) {
      if (field.kind === "header" && without.has(field.value)) continue;
      if (isReplaced(field)) continue;
      const found = index.find(field.value);
      if (found.length === 0) {
        if (field.kind === "header") without.add(field.value);
        continue;
      }
      const reported: string[] = [];
      for (const { value, start, end } of found) {
        const { candidate, extractor, left } = variables.get(value)!;
        const isLater = call.order > candidate.producer.order;
        if (!isLater || reported.includes(value) || covers(field, start, end)) continue;
        const isSame = (usage: Use) => usage.field === field && usage.start === start;
        if (left.some(isSame)) continue;
        reported.push(value);
        yield {
          code: "kept-literal",
          subject: extractor.name,
          message: `the recorded value of \`\${${extractor.name}}\` is still sent in ${
            describeUsage({ call, field }, nameOf)
          }; write \`\${${extractor.name}}\` there, unless the match is a coincidence`,
        };
      }
    }
  }
}

/**
 * Describes where a request sends a value, for use in a note, such as
 * `query page of request 3 (GET /orders)`.
 */
export function describeUsage(
  { call, field }: Pick<Use, "call" | "field">,
  nameOf: HarFacts["nameOf"],
): string {
  return `${describeField(field)} of ${nameOf(call)}`;
}

/** Describes a field of a request, such as `query page`. */
export function describeField({ kind, name, value }: RequestField): string {
  const shown = kind === "name" ? value : name;
  return `${kind}${shown && ` ${shown}`}`;
}
