import { agreement } from "../correlation/agreement.ts";
import { isUnrelated } from "../correlation/place_rules.ts";
import { isRedirect } from "../comparison/compared_response.ts";
import { markupAt } from "../correlation/markup_view.ts";
import { isInPath, nameOf, type Use } from "../correlation/pieces.ts";
import { isInLayout, type Source, sourceAt } from "../correlation/source.ts";
import { JsonView, type Occurrence, type Response } from "../correlation/views.ts";
import { callWords, consumerWords, nameBefore } from "../correlation/request_words.ts";
import { hasSameName, haveCommonWord, resourceWords } from "../correlation/words.ts";
import { callPlaces } from "../outcome/compare_requests.ts";
import { jsonLeaves, type JsonTextLeaf } from "../traffic/har/json_text.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { isShortNumber, nameHint } from "../traffic/session/dynamic_value.ts";
import { type RecordedCall, splitCalls } from "../traffic/session/recorded_call.ts";
import { deletesRow, mayNameId, type SentId, sentIds } from "./sent_ids.ts";
import { isSearched, type Origins, type RecordedTimes } from "./value_origins.ts";

export interface IdSource {
  readonly key: string;
  readonly source: Source;
  readonly exchange: Exchange;
  /** False if the names do not show that both are the same id. */
  readonly isSure: boolean;
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

/** Short ids that requests send, linked to responses, because article 7 is not user 7. */
export class LinkedIds {
  readonly #times: RecordedTimes;
  readonly #origins: Origins;
  readonly #sent = new Map<RecordedCall, SentId[]>();
  readonly #places = new Map<string, Map<string, IdPlace>>();
  readonly #ranges = new Map<Exchange, IdRange[]>();
  readonly #links = new Map<string, { readonly place: IdPlace; readonly isSure: boolean }[]>();

  constructor(
    exchanges: readonly Exchange[],
    calls: readonly RecordedCall[],
    times: RecordedTimes,
    origins: Origins,
  ) {
    this.#times = times;
    this.#origins = origins;
    for (const call of calls) {
      const ids = sentIds(call);
      if (ids.length > 0) this.#sent.set(call, ids);
    }
    const all = [...this.#sent.values()].flat();
    if (all.length === 0) return;
    const byExchange = new Map(calls.map((call) => [call.exchange, call]));
    const pattern = patternOf(new Set(all.map(({ value }) => value)));
    for (const exchange of exchanges) {
      this.#addResponse(byExchange.get(exchange) ?? splitCalls([exchange])[0], pattern);
    }
    for (const [value, ids] of Map.groupBy(all, ({ value }) => value)) this.#link(value, ids);
    for (const { value, use } of all) {
      for (const { place, isSure } of this.#linksOf(value, use)) {
        if (isSure) origins.addSent(place.key!, use.call);
      }
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
  sourcesOf({ value, use }: SentId, call: RecordedCall): IdSource[] {
    return this.#linksOf(value, use).flatMap(({ place, isSure }) => {
      const key = place.key!;
      if (!this.#origins.isServerMade(key)) return [];
      return place.sources.filter((source) =>
        this.#times.isBefore(source.call.exchange, call.exchange)
      )
        .map((source) => ({ key, source, exchange: source.call.exchange, isSure }));
    }).sort((a, b) => Number(b.isSure) - Number(a.isSure));
  }

  #linksOf(
    value: string,
    use: Use,
  ): readonly { readonly place: IdPlace; readonly isSure: boolean }[] {
    return this.#links.get(`${value}\0${useClass(use)}`) ?? [];
  }

  #addResponse(call: RecordedCall, pattern: RegExp): void {
    const { exchange } = call;
    for (const { text, start, end, at } of occurrencesIn(exchange.response, pattern)) {
      const value = text.slice(start, end);
      const source = idSourceAt(call, at, value);
      if (source === undefined) continue;
      const place = this.#places.getOrInsertComputed(value, () => new Map())
        .getOrInsertComputed(placeClass(source), () => ({ sources: [], key: undefined }));
      if (place.sources.at(-1)?.call !== call) place.sources.push(source);
      this.#ranges.getOrInsertComputed(exchange, () => []).push({ text, start, end, place });
    }
  }

  /** Places that are surely linked to the same use have the same id, and the same key. */
  #link(value: string, ids: readonly SentId[]): void {
    const places = [...this.#places.get(value)?.values() ?? []];
    const byClass = new Map(ids.map((id) => [useClass(id.use), id.use]));
    const isKnownId = places.some(({ sources: [{ key }] }) => nameHint(key).idLike);
    const created = createdParameters(value, places.flatMap(({ sources }) => sources));
    const linked = new Set<IdPlace>();
    for (const [name, use] of byClass) {
      const isOfParameter = (source: Source) =>
        use.field.kind === "query" && nameOf(use) === source.collection;
      const sure = places.filter(({ sources: [source] }) =>
        isLinked(use, source) && (!isLinkParameter(source) ||
          isOfParameter(source) && (isKnownId || created.has(source.collection)))
      );
      const known = new Set(sure.flatMap(({ key }) => key ?? []));
      const [key = `\0${name}\0${value}`] = known;
      for (const place of places) if (known.has(place.key ?? "")) place.key = key;
      for (const place of sure) place.key = key;
      const possible = places.filter((place) =>
        !sure.includes(place) && mayBeSameId(use, place.sources[0])
      );
      this.#links.set(`${value}\0${name}`, [
        ...sure.map((place) => ({ place, isSure: true })),
        ...possible.map((place) => ({ place, isSure: false })),
      ]);
      for (const place of possible) linked.add(place);
    }
    for (const place of linked) place.key ??= `\0${placeClass(place.sources[0])}\0${value}`;
  }
}

/** Returns the recorded value that a key contains: the text after the last NUL. */
export function valueInKey(key: string): string {
  return key.slice(key.lastIndexOf("\0") + 1);
}

function useClass(use: Use): string {
  const words = [...consumerWords(use), ...operationWords(use)];
  return [use.field.kind, nameOf(use), nameBefore(use), ...words].join(" ");
}

function placeClass({ where, key, collection, words, occurrence }: Source): string {
  return [where, key, collection, isInLayout(occurrence), ...words].join(" ");
}

/** Describes a place that can contain an id. Delimiters show that even short text is whole. */
function idSourceAt(call: RecordedCall, at: Occurrence, value: string): Source | undefined {
  const source = sourceAt(call, at, 0);
  if (!isIdPlace(source)) return undefined;
  const elements = elementsAt(at);
  return {
    ...source,
    isWhole: source.isWhole || !isShortNumber(value),
    path: [...source.path, ...elements],
    words: [...elements.flatMap(resourceWords), ...source.words],
  };
}

/** Returns the name of the XML element around a value. */
function elementsAt(at: Occurrence): string[] {
  const { response, place, text } = at.view;
  const isXml = place.kind === "body" && /^(?!.*html).*xml/.test(response.mimeType);
  const element = isXml ? markupAt(response, text, at)?.element : undefined;
  return element === undefined ? [] : [element];
}

function isOption({ where }: Source): boolean {
  return where === "option" || where === "choice";
}

function isIdPlace(source: Source): boolean {
  const { key, where, occurrence: { view, start } } = source;
  const isText = view.text[start - 1] === ">" && view.response.mimeType.includes("html");
  if (isText && !isOption(source)) return false;
  return where === "link" || where === "header" || where === "argument" ||
    view.text[start - 1] === "?" || mayNameId(key) || key === "" && where === "leaf";
}

/** Reports whether a place is a parameter of a link that is not named as an id. */
export function isLinkParameter({ collection, occurrence: { view, start } }: Source): boolean {
  return collection !== "" && view.text[start - 1] === "=" && !mayNameId(collection);
}

function isLinked(use: Use, place: Source): boolean {
  // Scripts also send the id of an option in paths and in fields with other names.
  const isIdOption = isOption(place) && nameHint(place.key).idLike;
  const source: Source = isIdOption ? { ...place, where: "field" } : place;
  const { key, collection, occurrence: { view, start } } = source;
  const isNameless = view.text[start - 1] === "?";
  if (isNameless || use.field.kind === "query" && nameOf(use) === "") {
    return isNameless && use.field.kind === "query" && nameOf(use) === "";
  }
  if (isUnrelated(use, source)) return false;
  const isSameKind = collection !== "" && nameBefore(use) === collection ||
    resourceWords(key).length > 0 && hasSameName(key, nameOf(use)) ||
    haveCommonWord(objectWords(source), consumerWords(use).slice(-1));
  return isSameKind && agreement(use, source).share > 0 ||
    haveCommonWord(objectWords(source), operationWords(use));
}

/** Words in names of objects that only give a structure to the objects in them. */
const STRUCTURE = new Set("node edge item list row record entry content object".split(" "));

/** Returns the last word of the nearest name that states the kind of object at a place. */
export function objectWords({ key, collection, path, call }: Source): readonly string[] {
  const names = [key, collection, ...path.toReversed()].map(resourceWords);
  const words = names.find((own) => own.some((word) => !STRUCTURE.has(word))) ?? callWords(call);
  return words.slice(-1);
}

/** Returns the words of the operation of which a value is an argument without a name. */
function operationWords({ call, field }: Use): readonly string[] {
  if (field.kind !== "json" || !/^(?:\$|params|args|arguments)?$/.test(field.name)) return [];
  const places = callPlaces(call);
  return ["json $.method", "json $[0]"].flatMap((place) =>
    resourceWords(places.get(place)?.text ?? "")
  );
}

/**
 * Names of link parameters with the id of a new object: only the write that created it redirects to
 * the link, and another response has the link too.
 */
function createdParameters(value: string, sources: readonly Source[]): Set<string> {
  const isTarget = ({ call }: Source) =>
    isRedirect(call.exchange.response) && changesData(call.exchange) &&
    !call.fields.some((field) => field.value === value);
  const byName = Map.groupBy(sources.filter(isLinkParameter), ({ collection }) => collection);
  const created = [...byName].filter(([, list]) => {
    const [first, ...others] = list.toSorted((a, b) => a.call.order - b.call.order)
      .filter(({ call }, i, all) => all.findIndex((source) => source.call === call) === i);
    return isTarget(first) && others.length > 0 && !others.some(isTarget);
  });
  return new Set(created.map(([name]) => name));
}

/** Reports whether a response may contain the same id under another name. */
function mayBeSameId(use: Use, source: Source): boolean {
  return source.where !== "link" && mayNameId(source.key) && !isUnrelated(use, source) &&
    (isInPath(use) || mayNameId(nameOf(use)) || deletesRow(use.call));
}

/** Matches the values where a name may precede them. */
function patternOf(values: ReadonlySet<string>): RegExp {
  const alternatives = [...values].sort((a, b) => b.length - a.length).map(RegExp.escape);
  return new RegExp(
    `(?<=[/?=:"'(,;[>\\s]|^)(?:${alternatives.join("|")})(?![\\w-]|\\.\\d)`,
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
