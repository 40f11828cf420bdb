import type { Assignment } from "../correlation/assign.ts";
import { assignValues } from "../correlation/correlate.ts";
import { overlaps, recordedStep } from "../correlation/shared_values.ts";
import { evidenceFor } from "../correlation/evidence.ts";
import { isAtBorders, isInPath, nameOf, type Use } from "../correlation/pieces.ts";
import { lookOf, sumOf, THRESHOLD } from "../correlation/prior.ts";
import { consumerWords, contextWords, nameBefore } from "../correlation/request_words.ts";
import type { SessionEvidence } from "../correlation/session_evidence.ts";
import { isInLayout, type Source, sourceAt } from "../correlation/source.ts";
import { JsonView, type Occurrence, type Response } from "../correlation/views.ts";
import { isCount, isNumberName } from "../correlation/words.ts";
import { callPlaces, placeName } from "../outcome/compare_requests.ts";
import { jsonLeaves, type JsonTextLeaf } from "../traffic/har/json_text.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { changesData, isSafeMethod } from "../traffic/session/changes_data.ts";
import { isShortNumber, isWordy, nameHint } from "../traffic/session/dynamic_value.ts";
import { type RecordedCall, splitCalls } from "../traffic/session/recorded_call.ts";
import { isPathSegment, type RequestField } from "../traffic/session/request_field.ts";
import { generatedValues } from "./generated_values.ts";
import { isPushed, isSearched, type Origins, type RecordedTimes } from "./value_origins.ts";

/** A value in a request that others may equal by chance: only its place shows its source. */
export interface SentId {
  readonly value: string;
  readonly place: string;
  /** The value with the text around it that shows its place: `312.json` or `orders/312`. */
  readonly written: string;
  readonly use: Use;
}

export interface IdSource {
  readonly key: string;
  readonly source: Source;
  readonly exchange: Exchange;
  /** False if the names do not show that both are the same id. */
  readonly isSure: boolean;
}

/** A place that may have an id of a request. */
interface Link {
  readonly place: IdPlace;
  readonly isSure: boolean;
}

interface LinkedUse {
  readonly id: SentId;
  /** The places from which `convert` would take the id. */
  readonly sources: readonly Source[];
}

interface IdPlace {
  readonly sources: Source[];
  key: string | undefined;
}

/** A range of a text in a response. Offsets are in UTF-16 code units. */
interface IdRange {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly place: IdPlace;
}

/** Least sum of the evidence that a value is perhaps the one at a place. */
const POSSIBLE = 0;

/** Ids that are equal by chance elsewhere, linked by places, because article 7 is not user 7. */
export class LinkedIds {
  readonly #times: RecordedTimes;
  readonly #origins: Origins;
  readonly #evidence: SessionEvidence;
  readonly #sent = new Map<RecordedCall, SentId[]>();
  readonly #places = new Map<string, Map<string, IdPlace>>();
  readonly #ranges = new Map<Exchange, IdRange[]>();
  readonly #links = new Map<SentId, readonly Link[]>();

  constructor(
    exchanges: readonly Exchange[],
    calls: readonly RecordedCall[],
    times: RecordedTimes,
    origins: Origins,
  ) {
    this.#times = times;
    this.#origins = origins;
    const { values, assigned, session } = assignValues(calls.map(recordedStep));
    this.#evidence = session;
    const links = new Map<RequestField, (readonly [use: Use, source: Source])[]>();
    for (const { uses, source } of assigned.filter(mayDiffer)) {
      for (const use of uses) {
        links.getOrInsertComputed(use.field, () => []).push([use, source]);
      }
    }
    const all: LinkedUse[] = [];
    for (const use of values.filter(({ value }) => isShort(value)).flatMap(({ uses }) => uses)) {
      const near = (links.get(use.field) ?? []).filter(([other]) => overlaps(use, other));
      const sources = near.filter(([{ start, end }]) => start === use.start && end === use.end)
        .map(([, source]) => source);
      const mayBeId = near.length === 0 && use.fills !== "piece" && /\d/.test(use.value);
      const id = sources.length > 0 || mayBeId ? sentId(use) : undefined;
      if (id === undefined) continue;
      this.#sent.getOrInsertComputed(use.call, () => []).push(id);
      all.push({ id, sources });
    }
    if (all.length === 0) return;
    const byExchange = new Map(calls.map((call) => [call.exchange, call]));
    const pattern = patternOf(new Set(all.map(({ id }) => id.value)));
    for (const exchange of exchanges) {
      this.#addResponse(byExchange.get(exchange) ?? splitCalls([exchange])[0], pattern);
    }
    for (const [value, ids] of Map.groupBy(all, ({ id }) => id.value)) this.#link(value, ids);
    for (const [{ use }, links] of this.#links) {
      for (const { place, isSure } of links) if (isSure) origins.addSent(place.key!, use.call);
    }
    for (const [exchange, ranges] of this.#ranges) {
      for (const key of new Set(ranges.map(({ place }) => place.key))) {
        if (key !== undefined) origins.addHeld(key, exchange);
      }
    }
  }

  sentBy(call: RecordedCall): readonly SentId[] {
    return this.#sent.get(call) ?? [];
  }

  /** Returns the ids in a text of a response that the mock server regenerates. */
  find(text: string, exchange: Exchange): { start: number; end: number; key: string }[] {
    return (this.#ranges.get(exchange) ?? []).flatMap(({ text: own, start, end, place: { key } }) =>
      own === text && key !== undefined ? [{ start, end, key }] : []
    );
  }

  /** Returns the earlier responses that may have an id, the sure ones first. */
  sourcesOf(id: SentId, call: RecordedCall): IdSource[] {
    return (this.#links.get(id) ?? []).flatMap(({ place, isSure }) => {
      const key = place.key!;
      if (!this.#origins.isServerMade(key)) return [];
      return place.sources.filter((source) =>
        this.#times.isBefore(source.call.exchange, call.exchange)
      )
        .map((source) => ({ key, source, exchange: source.call.exchange, isSure }));
    }).sort((a, b) => Number(b.isSure) - Number(a.isSure));
  }

  #addResponse(call: RecordedCall, pattern: RegExp): void {
    const { exchange } = call;
    for (const { text, start, end, at } of occurrencesIn(exchange.response, pattern)) {
      if (!isAtBorders(text, start, end)) continue;
      const value = text.slice(start, end);
      const source = sourceAt(call, at, 0);
      const place = this.#places.getOrInsertComputed(value, () => new Map())
        .getOrInsertComputed(placeClass(source), () => ({ sources: [], key: undefined }));
      if (place.sources.at(-1)?.call !== call) place.sources.push(source);
      this.#ranges.getOrInsertComputed(exchange, () => []).push({ text, start, end, place });
    }
  }

  /** Places that are surely linked to the same use have the same id, and the same key. */
  #link(value: string, ids: readonly LinkedUse[]): void {
    const byPlace = this.#places.get(value) ?? new Map<string, IdPlace>();
    const places = [...byPlace.values()];
    const linked = new Set<IdPlace>();
    for (const [name, own] of Map.groupBy(ids, useClass)) {
      const [{ id: { use } }] = own;
      const chosen = new Set(
        own.flatMap(({ sources }) => sources).map((source) => byPlace.get(placeClass(source))),
      );
      const sums = new Map(places.map((place) => {
        const first = asField(place.sources[0]);
        const evidence = evidenceFor(use, first, first, this.#evidence, chosen.size > 0);
        const sum = sumOf(evidence);
        // The id of any object, old or new, has the name of its resource in a path.
        const isNamed = sum >= POSSIBLE && isInPath(use) && /\d/.test(value) &&
          evidence.includes("agreement");
        return [place, chosen.has(place) || isNamed ? Infinity : sum];
      }));
      const sure = places.filter((place) => sums.get(place)! >= THRESHOLD);
      const known = new Set(sure.flatMap(({ key }) => key ?? []));
      const [key = `\0${name}\0${value}`] = known;
      for (const place of places) if (known.has(place.key ?? "")) place.key = key;
      for (const place of sure) place.key = key;
      const possible = places.filter((place) =>
        !sure.includes(place) && sums.get(place)! >= POSSIBLE && mayBeSameId(use, place.sources)
      );
      const links = [
        ...sure.map((place) => ({ place, isSure: true })),
        ...possible.map((place) => ({ place, isSure: false })),
      ];
      for (const { id } of own) this.#links.set(id, links);
      for (const place of possible) linked.add(place);
    }
    for (const place of linked) place.key ??= `\0${placeClass(place.sources[0])}\0${value}`;
  }
}

/** Scripts also send the id of an option in paths and in fields with other names. */
function asField(source: Source): Source {
  const isOption = source.where === "option" || source.where === "choice";
  return isOption && nameHint(source.key).idLike ? { ...source, where: "field" } : source;
}

/** Reports whether a response may contain the same id under another name. */
function mayBeSameId(use: Use, [source, ...others]: readonly Source[]): boolean {
  const name = nameOf(use);
  if (isCount(name) && !mayNameId(name) || /ord$/i.test(lookOf(use.value)) || isInElement(source)) {
    return false;
  }
  if (source.where === "link" && !isInPath(use)) return false;
  if (use.value.length < 4 && !mayNameId(source.key)) return false;
  return isInPath(use) || mayNameId(name) || deletesRow(use.call) || !isShortNumber(use.value) ||
    use.value.length > 1 &&
      [source, ...others].some(({ call: { exchange } }) =>
        changesData(exchange) || isPushed(exchange)
      );
}

/** The name of an element of a page does not name its text. */
function isInElement({ where, occurrence: { view, start } }: Source): boolean {
  return where === "named_text" && view.text[start - 1] === ">" &&
    view.response.mimeType.includes("html");
}

/** Several words that a client only echoes, as `login_form`, are a name that a programmer chose. */
function mayDiffer({ kind, value }: Assignment): boolean {
  return kind === "correlated" || kind === "offered" || kind === "after a dollar" ||
    kind === "constant" && !(isWordy(value) && /[^A-Za-z]/.test(value));
}

/** Maximum length of a value that has its places, in UTF-16 code units. */
const LONGEST_ID = 64;

/** Reports whether a value is too short to be found by its text alone. */
function isShort(value: string): boolean {
  return value.length <= LONGEST_ID && generatedValues(value).length === 0;
}

/** Returns a piece of a request with the place that contains it. */
function sentId(use: Use): SentId | undefined {
  const { value, call, field, start } = use;
  const { byField, inJson } = placesOf(call);
  const place = byField.get(field);
  if (place === undefined) {
    const name = nameOf(use);
    const alike = field.parts().filter((part) =>
      part.name === name && field.value.slice(part.start, part.end) === value
    );
    const head = /^(?:text|json)$/.test(field.kind) ? "json" : `${field.kind} ${field.name}`;
    const inner = inJson.get([head, name, value].join("\0"))
      ?.[alike.findIndex((part) => part.start === start)];
    return inner === undefined ? undefined : { value, place: inner, written: value, use };
  }
  const isInText = use.fills !== "whole" && !isPathSegment(field);
  const before = /[\w.~%-]*\W?$/.exec(field.value.slice(0, start))![0];
  return { value, place, written: isInText ? before + value : field.value, use };
}

interface FieldPlaces {
  readonly byField: ReadonlyMap<RequestField, string>;
  /** The places in JSON within a field, by the field and the name and the text of the value. */
  readonly inJson: ReadonlyMap<string, readonly string[]>;
}

const placesOfCalls = new WeakMap<RecordedCall, FieldPlaces>();

function placesOf(call: RecordedCall): FieldPlaces {
  return placesOfCalls.getOrInsertComputed(call, () => {
    const all = [...callPlaces(call)].filter(([, { isFile }]) => !isFile);
    return {
      byField: new Map(all.flatMap(([place, { field }]) => field ? [[field, place]] : [])),
      inJson: Map.groupBy(
        all.filter(([, { field }]) => field === undefined).map(([place]) => place),
        (place) => {
          const [head] = place.split(" $", 1);
          return [head, placeName(place).replace("$", ""), callPlaces(call).get(place)!.text]
            .join("\0");
        },
      ),
    };
  });
}

/** Returns the recorded value that a key contains: the text after the last NUL. */
export function valueInKey(key: string): string {
  return key.slice(key.lastIndexOf("\0") + 1);
}

function useClass({ id: { use }, sources }: LinkedUse): string {
  const words = [...consumerWords(use), ...contextWords(use)];
  const at = [use.field.kind, nameOf(use), nameBefore(use), use.fills, isInPath(use)];
  return [...at, sources.length > 0, ...words].join(" ");
}

function placeClass({ where, key, collection, left, words, occurrence }: Source): string {
  const { view, start } = occurrence;
  // The name of a field, its id and the `for` of its label have the same number.
  if (/[A-Za-z][-_]$/.test(view.text.slice(Math.max(0, start - 2), start))) return left;
  return [where, key, collection, isInLayout(occurrence), ...words].join(" ");
}

/** Reports whether the method or the URL of a call says that it deletes something. */
export function deletesRow({ exchange: { request } }: RecordedCall): boolean {
  const method = request.method.toUpperCase();
  return method === "DELETE" ||
    !isSafeMethod(method) && /delet|remov|destroy|trash|purge/i.test(request.url);
}

/** Reports whether the name of a value suggests an id, a version or a token. */
function mayNameId(name: string): boolean {
  const { idLike, stamp, token, maybe } = nameHint(name);
  return idLike || stamp || token || maybe || isNumberName(name);
}

/** Matches the values between delimiters. */
function patternOf(values: ReadonlySet<string>): RegExp {
  const alternatives = [...values].sort((a, b) => b.length - a.length).map(RegExp.escape);
  return new RegExp(
    `(?<![A-Za-z0-9])(?:${alternatives.join("|")})(?![A-Za-z0-9])`,
    "g",
  );
}

/** A match in a response: its range in the text, and the same range in the view around it. */
interface FoundId {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly at: Occurrence;
}

/** Yields the matches of a pattern in the headers and the body of a response. */
function* occurrencesIn(response: Exchange["response"], pattern: RegExp): Generator<FoundId> {
  for (const { name, value: text } of response.headers) {
    if (!isSearched(name)) continue;
    const view = { response, text, key: name, place: { kind: "header", name } } as const;
    for (const { 0: value, index: start } of text.matchAll(pattern)) {
      const end = start + value.length;
      yield { text, start, end, at: { view, start, end } };
    }
  }
  const { text, mimeType } = response;
  if (text === undefined) return;
  const leaves = /html|xml/.test(mimeType) ? undefined : jsonLeaves(text);
  const body = { response, text, key: "", place: { kind: "body" } } as const;
  let leaf = leaves?.next().value;
  for (const { 0: value, index: start } of text.matchAll(pattern)) {
    const end = start + value.length;
    while (leaf !== undefined && leaf.end < end) leaf = leaves!.next().value;
    const at = leaf !== undefined && leaf.start <= start
      ? { view: leafView(response, text, leaf), start: start - leaf.start, end: end - leaf.start }
      : { view: body, start, end };
    yield { text, start, end, at };
  }
}

function leafView(
  response: Response,
  text: string,
  { start, end, isString, node }: JsonTextLeaf,
): Occurrence["view"] {
  return new JsonView(response, text.slice(start, end), node, isString ? "string" : "number");
}
