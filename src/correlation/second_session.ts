import { Base64Field, base64Fields } from "../traffic/session/base64_text.ts";
import { BROWSER_HEADERS } from "../traffic/session/headers.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import type { SharedValue, Step } from "./shared_values.ts";
import { isAtBorders, type Use } from "./pieces.ts";
import { type Source, sourceAt } from "./source.ts";
import { type Occurrence, type View, viewsOf } from "./views.ts";

/** Matches the names of headers that depend on the client, not on values of the session. */
export const OF_CLIENT = new RegExp(
  `^(?:${BROWSER_HEADERS}|accept.*|connection|content-type|content-length|host)$`,
  "i",
);

/** A field of a recorded request, and the value of the same field in another request. */
export interface DifferingValue {
  readonly field: RequestField;
  readonly live: string;
}

/** Returns the fields of a recorded request whose values differ from those of `live`. */
export function differingFields(recorded: RecordedCall, live: RecordedCall): DifferingValue[] {
  const liveFields = fieldsByPlace(live.fields);
  return [...fieldsByPlace(recorded.fields)].flatMap(([place, field]) => {
    const value = liveFields.get(place)?.value ?? "";
    return value === "" || field.value === "" || value === field.value
      ? []
      : [{ field, live: value }];
  });
}

function fieldsByPlace(fields: readonly RequestField[]): Map<string, RequestField> {
  const places = new Map<string, RequestField>();
  for (const field of fields) {
    const { kind, name } = field;
    if (kind === "header" && OF_CLIENT.test(name)) continue;
    const encoding = field instanceof Base64Field ? field.encoding : "";
    let place = `${kind} ${name} ${encoding}`;
    for (let n = 2; places.has(place); n++) place = `${kind} ${name} ${encoding} ${n}`;
    places.set(place, field);
  }
  return places;
}

/** Maximum number of places in a response that may correspond to one place of the recorded one. */
const MOST_COUNTERPARTS = 8;

/** What a second recording of the same steps sent and received. */
export class SecondSession {
  readonly #sent = new Map<RequestField, string>();
  readonly #steps: ReadonlyMap<RecordedCall, Step>;
  readonly #views = new Map<Step, readonly View[]>();

  constructor(steps: readonly Step[]) {
    this.#steps = new Map(steps.map((step) => [step.call, step]));
    for (const { call, again } of steps) {
      if (again === undefined) continue;
      const fields = fieldsByPlace(sentFields(again));
      for (const [place, field] of fieldsByPlace(sentFields(call))) {
        const other = fields.get(place);
        if (other !== undefined) this.#sent.set(field, other.value);
      }
    }
  }

  /** Returns what the second recording sends in place of a piece; undefined if that is unknown. */
  sentInstead({ field, start, end }: Use): string | undefined {
    const other = this.#sent.get(field);
    return other === undefined ? undefined : alignedText(other, field.value, start, end);
  }

  /**
   * Splits values by what the second recording sends in their place. A value that is equal in both
   * recordings is a constant. Otherwise, only the places remain whose counterparts in the second
   * recording contain the new value.
   */
  split(values: readonly SharedValue[]): SharedValue[] {
    return this.#sent.size === 0 ? [...values] : values.flatMap((shared) => this.#splitOne(shared));
  }

  #splitOne(shared: SharedValue): SharedValue[] {
    const groups = Map.groupBy(shared.uses, (use) => this.sentInstead(use));
    const unknown = groups.get(undefined) ?? [];
    groups.delete(undefined);
    if (groups.size === 1) groups.forEach((uses) => uses.push(...unknown));
    else if (unknown.length > 0) groups.set(undefined, unknown);
    return [...groups].map(([other, uses]) => {
      if (other === undefined || other === shared.value) return { ...shared, uses, other };
      const sources = shared.sources.flatMap((source) => {
        const others = this.#counterparts(source, other);
        return others === undefined ? source : others.length > 0 ? { ...source, others } : [];
      });
      return { ...shared, uses, sources: sources.length > 0 ? sources : shared.sources, other };
    });
  }

  /**
   * Returns the places of a value in the second response that have the same names as a place in the
   * recorded one. Undefined if the second response is unknown.
   */
  #counterparts({ call, ...place }: Source, value: string): Occurrence[] | undefined {
    const step = this.#steps.get(call)!;
    const response = step.responses[1];
    if (response === undefined) return undefined;
    const views = this.#views.getOrInsertComputed(step, () => viewsOf(response));
    const { kind } = place.occurrence.view.place;
    const ranked: { readonly occurrence: Occurrence; readonly rank: number }[] = [];
    for (const view of views) {
      if (view.place.kind !== kind || ranked.length === MOST_COUNTERPARTS) continue;
      let start = -1;
      while ((start = view.text.indexOf(value, start + 1)) >= 0) {
        if (ranked.length === MOST_COUNTERPARTS) break;
        const occurrence = { view, start, end: start + value.length };
        if (!isAtBorders(view.text, start, occurrence.end)) continue;
        const other = sourceAt(call, occurrence, 0);
        if (other.where !== place.where || other.isWhole !== place.isWhole) continue;
        const equal = [
          other.key === place.key,
          other.left === place.left,
          other.collection === place.collection,
          other.path.join() === place.path.join(),
        ];
        ranked.push({ occurrence, rank: equal.filter((isEqual) => !isEqual).length });
      }
    }
    return ranked.sort((a, b) => a.rank - b.rank).map(({ occurrence }) => occurrence);
  }
}

const SEPARATORS = /([^A-Za-z0-9\x80-\uffff]+)/;

/**
 * Returns the text in `other` that corresponds to a range of `text`: between the same texts, or
 * between the same words. Returns undefined if no text corresponds.
 */
function alignedText(other: string, text: string, start: number, end: number): string | undefined {
  const rest = text.length - end;
  if (
    start + rest <= other.length && other.startsWith(text.slice(0, start)) &&
    other.endsWith(text.slice(end))
  ) return other.slice(start, other.length - rest);
  const [words, others] = [text.split(SEPARATORS), other.split(SEPARATORS)];
  if (words.length !== others.length) return undefined;
  let [at, otherAt] = [0, 0];
  let from: number | undefined;
  for (const [i, word] of words.entries()) {
    if (i % 2 === 1 && word !== others[i]) return undefined;
    if (at === start) from = otherAt;
    at += word.length;
    otherAt += others[i].length;
    if (at === end && from !== undefined) return other.slice(from, otherAt);
  }
  return undefined;
}

/** Returns the fields of a call, and the texts that they contain in base64. */
function sentFields(call: RecordedCall): RequestField[] {
  return call.fields.flatMap((field) => [field, ...base64Fields(field, field.parts())]);
}
