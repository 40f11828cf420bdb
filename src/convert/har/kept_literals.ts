import type { RequestField } from "../../traffic/session/request_field.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { forEachToken, longestToken, MARKS, tokenMark } from "../../traffic/session/text_ranges.ts";
import { SHORTEST_IN_COMPOUND, ValueIndex } from "../../traffic/session/value_index.ts";
import type { Replacement } from "../correlate/replacements.ts";
import type { Usage } from "../correlate/usages.ts";
import type { Variable } from "../correlate/variables.ts";
import type { HarNote } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";

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
  const shortest = correlation.variables.reduce(
    (least, { candidate: { value } }) => Math.min(least, value.length),
    Infinity,
  );
  const mayKeep = (field: RequestField) =>
    field.recorded.length >= shortest && longestKept(field, replacements.of(field)) >= shortest;
  const marks = keptTokenMarks(calls, mayKeep);
  const variables = new Map<string, Variable>();
  const index = new ValueIndex(SHORTEST_IN_COMPOUND);
  for (const variable of correlation.variables) {
    const { value } = variable.candidate;
    const [start, end] = longestToken(value);
    if (marks[tokenMark(value, start, end)] === 0 || !/\d/.test(value)) continue;
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
  const mayContain = (field: RequestField) =>
    !(field.kind === "header" && without.has(field.value)) && mayKeep(field);
  for (const call of calls) {
    for (const field of call.fields) {
      if (!mayContain(field)) continue;
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
        const isSame = (usage: Usage) => usage.field === field && usage.start === start;
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
 * Returns a prefilter, indexed by `tokenMark`: 0 if no field for which `mayKeep` returns true
 * contains such a token. Most variables have a value that no field contains as recorded, and
 * indexing these values takes much time and memory.
 */
function keptTokenMarks(
  calls: readonly RecordedCall[],
  mayKeep: (field: RequestField) => boolean,
): Uint8Array {
  const marks = new Uint8Array(MARKS);
  const headers = new Set<string>();
  const mark = (start: number, end: number, text: string) => {
    marks[tokenMark(text, start, end)] = 1;
  };
  const markTokens = (field: RequestField) => {
    const { kind, value } = field;
    if (kind === "header" && headers.has(value) || !mayKeep(field)) return;
    if (kind === "header") headers.add(value);
    forEachToken(value, mark);
  };
  for (const { fields } of calls) fields.forEach(markTokens);
  return marks;
}

/**
 * Returns the length of the longest recorded text in a field between replaced ranges, in UTF-16 code
 * units. `replaced` must be in ascending order.
 */
function longestKept({ recorded }: RequestField, replaced: readonly Replacement[]): number {
  let longest = 0;
  let done = 0;
  for (const { start, end } of replaced) {
    longest = Math.max(longest, start - done);
    done = end;
  }
  return Math.max(longest, recorded.length - done);
}

/**
 * Describes where a request sends a value, for use in a note, such as
 * `query page of request 3 (GET /orders)`.
 */
export function describeUsage(
  { call, field }: Pick<Usage, "call" | "field">,
  nameOf: HarFacts["nameOf"],
): string {
  return `${describeField(field)} of ${nameOf(call)}`;
}

/** Describes a field of a request, such as `query page`. */
export function describeField({ kind, name, value }: RequestField): string {
  const shown = kind === "name" ? value : name;
  return `${kind}${shown && ` ${shown}`}`;
}
