import { Base64Field } from "../traffic/session/base64_text.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import { EncodedSecrets } from "./encoded_secrets.ts";
import { type Match, SentIndex } from "./index.ts";
import { isAtBorders, isInNumber, piecesOf, sentFields, type Use } from "./pieces.ts";
import { type Source, sourceAt } from "./source.ts";
import { forEachView, type Response } from "./views.ts";

/** A request of the session, and its responses in all known sessions. The first is the recorded one. */
export interface Step {
  readonly call: RecordedCall;
  readonly responses: readonly Response[];
}

/** A text that requests send and responses contain. */
export interface SharedValue {
  readonly value: string;
  /** Its places in requests, in the order in which they are sent. */
  readonly uses: readonly Use[];
  /** Its places in responses, in the order in which the responses ended. */
  readonly sources: readonly Source[];
}

/** Maximum number of places of a value in one response. */
const MOST_IN_RESPONSE = 6;

/** Finds the texts that requests send and responses contain, in the order of their first use. */
export function sharedValues(steps: readonly Step[]): SharedValue[] {
  const index = new SentIndex();
  const fields = steps.map(({ call }) => sentFields(call));
  const known = new Set<string>();
  for (const sent of fields) {
    for (const { value } of sent) {
      if (known.has(value)) continue;
      known.add(value);
      index.add(value);
    }
  }
  known.clear();
  for (const [order, sent] of fields.entries()) {
    for (const field of sent) {
      const text = `${field.kind} ${field.value}`;
      if (known.has(text)) continue;
      known.add(text);
      const parts = index.partsOf(field.value);
      for (const { start, end } of piecesOf(steps[order].call, field)) parts.want(start, end);
    }
  }
  const byEnd = steps.toSorted((a, b) =>
    a.call.endedAt - b.call.endedAt || a.call.order - b.call.order
  );
  for (const { call, responses } of byEnd) {
    forEachView(responses[0], (view) => index.scan(view, call.order));
  }
  const found = new Map<string, { uses: Use[]; matches: readonly Match[] }>();
  const shared = new SharedPieces(index);
  const secrets = new EncodedSecrets(steps.map(({ call }) => call));
  for (const [order, { call }] of steps.entries()) {
    for (const field of fields[order]) {
      const pieces = shared.in(call, field);
      if (field instanceof Base64Field && secrets.isIn(field, pieces.map(({ use }) => use))) {
        continue;
      }
      for (const { use, matches } of pieces) {
        const value = found.get(use.value);
        if (value === undefined) found.set(use.value, { uses: [use], matches });
        else value.uses.push(use);
      }
    }
  }
  return [...found].flatMap(([value, { uses, matches }]) => {
    const sources = sourcesOf(value, matches, steps);
    return sources.length > 0 ? { value, uses, sources } : [];
  });
}

/** Finds the pieces of fields that responses contain. */
class SharedPieces {
  readonly #index: SentIndex;
  /** Texts of which no piece occurs in a response, because most headers repeat. */
  readonly #unshared = new Set<string>();

  constructor(index: SentIndex) {
    this.#index = index;
  }

  in(call: RecordedCall, field: RequestField): { use: Use; matches: readonly Match[] }[] {
    const key = `${field.kind} ${field.value}`;
    if (this.#unshared.has(key)) return [];
    const parts = this.#index.partsOf(field.value);
    const found = piecesOf(call, field).flatMap((use) => {
      const matches = parts.matches(use.start, use.end);
      return matches.length > 0 ? { use, matches } : [];
    });
    if (found.length === 0) this.#unshared.add(key);
    return found;
  }
}

/** Returns the places of a value, at most one for each name in a response. */
function sourcesOf(value: string, matches: readonly Match[], steps: readonly Step[]): Source[] {
  const found: Source[] = [];
  const counts = new Map<number, number>();
  const seen = new Set<string>();
  for (const { step, view, end, number } of matches) {
    const occurrence = { view, start: end - value.length, end };
    if (!isAtBorders(view.text, occurrence.start, end)) continue;
    if (/^\d{1,7}$/.test(value) && isInNumber(view.text, occurrence.start, end)) continue;
    const count = counts.get(step) ?? 0;
    if (count === MOST_IN_RESPONSE) continue;
    const source = sourceAt(steps[step].call, occurrence, number);
    const names = source.path.join(".");
    const key = `${step} ${source.where} ${source.key} ${source.collection} ${names}`;
    if (seen.has(key)) continue;
    seen.add(key);
    counts.set(step, count + 1);
    found.push(source);
  }
  return found;
}

/** Reports whether two uses are in the same field and overlap. */
export function overlaps(a: Use, b: Use): boolean {
  const [outerA, outerB] = [rangeOf(a), rangeOf(b)];
  if (outerA.field !== outerB.field) return false;
  if (a.field === b.field) return a.start < b.end && b.start < a.end;
  return outerA.start < outerB.end && outerB.start < outerA.end;
}

function rangeOf({ field, start, end }: Use): Pick<Use, "field" | "start" | "end"> {
  return field instanceof Base64Field
    ? { field: field.outer, start: field.start, end: field.end }
    : { field, start, end };
}
