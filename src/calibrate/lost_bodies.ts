import type { Request } from "../plan/kinds/request.ts";
import type { RequestText } from "../plan/request_texts.ts";
import { alignResponses } from "../comparison/align.ts";
import { pathOf } from "../comparison/compared_response.ts";
import { KnownPairs } from "../comparison/known_pairs.ts";
import { resourceWords } from "../correlation/words.ts";
import { isText } from "../traffic/har/media_type.ts";
import type { RecordedResponse } from "../traffic/har/recording.ts";
import { dynamicBy, looksGenerated } from "../traffic/session/dynamic_value.ts";
import { type FieldPart, fieldParts, IN_BODY } from "../traffic/session/request_field.ts";
import type { LearnedPair } from "./learned_pairs.ts";
import { isWeak, textsOf } from "./literal_edit.ts";
import type { PlanDraft } from "./draft.ts";
import { ResponseSnapshot } from "../comparison/response_snapshot.ts";

/** A recorded value that looks generated, and that a request of the plan sends. */
export interface LostValue {
  readonly index: number;
  readonly text: RequestText;
  /**
   * Names of the members that may contain the value, in lower case and without separators, such as
   * `bookid`. If the response belongs to the collection that precedes the value in a path, `id` is
   * one of them.
   */
  readonly names: readonly string[];
  /** Path segments of the request, up to the value. Only for a value in a path. */
  readonly path?: readonly string[];
}

/**
 * Finds the places of values in responses whose recorded text is lost, and the calls that may be
 * the only source of a value: no request before their response sends it, and no recorded response
 * before the request that sends it contains it. Does not search responses for values that are too
 * generic, such as small numbers.
 */
export class LostBodies {
  readonly #draft: PlanDraft;
  readonly #restored = new Map<number, RestoredResponse>();
  readonly #received = new Map<string, boolean>();
  readonly #first = new Map<string, number>();

  constructor(draft: PlanDraft) {
    this.#draft = draft;
  }

  /**
   * Returns what the first live response to the call `index` shows about the recorded one, if the
   * text of the latter is lost. Undefined if the place of no value is known.
   */
  restore(index: number, live: ResponseSnapshot): RestoredResponse | undefined {
    const known = this.#restored.get(index);
    const step = this.#draft.recorded.at(index);
    if (known !== undefined || step === undefined) return known;
    if (!mayLackText(step.exchange.response)) return undefined;
    const sent = listSentValues(index, this.#draft);
    const isSource = (sent: LostValue) => this.#maySend(index, sent);
    const restored = sent.length === 0 ? undefined : restoreResponse(sent, live, isSource);
    if (restored !== undefined) this.#restored.set(index, restored);
    return restored;
  }

  recordedAt(index: number): ResponseSnapshot | undefined {
    return this.#restored.get(index)?.recorded ?? this.#draft.recorded.at(index)?.response;
  }

  /** Returns the requests that send a value of which the call `index` may be the only source. */
  sendersOf(index: number): number[] {
    const sent = listSentValues(index, this.#draft).filter((value) => this.#maySend(index, value));
    return [...new Set(sent.map((value) => value.index))];
  }

  /**
   * Reports whether the response to call number `index` may be the only source of the value `sent`.
   */
  #maySend(index: number, sent: LostValue): boolean {
    return index < this.#firstSender(sent) && !this.#isReceived(sent) &&
      !this.#isAboutOther(index, sent);
  }

  /** Reports whether a request is for another object of the collection: it only links to that. */
  #isAboutOther(index: number, { path }: LostValue): boolean {
    const own = textsOf(this.#draft.given.at(index)).filter(({ kind }) => kind === "path");
    const before = path?.slice(0, -1) ?? [];
    return before.length > 0 && /[\d$]/.test(own[before.length]?.template ?? "") &&
      before.every((segment, i) => segment === own[i].template);
  }

  #isReceived({ index, text: { template } }: LostValue): boolean {
    if (isWeak(template)) return false;
    const key = `${index} ${template}`;
    return this.#received.getOrInsertComputed(
      key,
      () => this.#draft.recorded.isReceivedBefore(index, template),
    );
  }

  /**
   * Returns the zero-based index of the first request, in the same scenario, that sends the value.
   */
  #firstSender({ index, text }: LostValue): number {
    const { kind, name, template } = text;
    const isGeneric = isWeak(template);
    const scenario = this.#draft.given.scenarioAt(index);
    const key = isGeneric ? `${scenario} ${kind} ${name} ${template}` : `${scenario} ${template}`;
    const sends = (i: number) =>
      isGeneric
        ? textsOf(this.#draft.given.at(i)).some((other) =>
          other.template === template && other.kind === kind && other.name === name
        )
        : this.#draft.recorded.isSentIn(i, template);
    return this.#first.getOrInsertComputed(
      key,
      () => this.#draft.given.earlier(index).find(sends) ?? index,
    );
  }
}

function mayLackText(response: RecordedResponse): boolean {
  const hasText = "utf8" in response || response.text !== undefined;
  return !hasText && (response.mimeType === "" || isText(response.mimeType));
}

/**
 * Lists the recorded values that requests after the call `index` send, and that look generated.
 * Values that are equal and are sent in the same place are listed once for each request.
 */
function listSentValues(index: number, draft: PlanDraft): LostValue[] {
  const collection = resourceWords(textsOf(draft.given.at(index))[0]?.resource ?? "");
  return draft.given.later(index).flatMap((later) =>
    IDS.getOrInsertComputed(draft.at(later), readIds).map(({ words, ...id }) => ({
      ...id,
      index: later,
      names: words.some((word) => collection.includes(word)) ? [...id.names, "id"] : id.names,
    }))
  );
}

/** A generated value in a request, and the words in the path segment before it, if any. */
interface GeneratedId extends Omit<LostValue, "index"> {
  readonly words: readonly string[];
}

// Each call with a lost body reads all later requests.
const IDS = new WeakMap<Request, readonly GeneratedId[]>();

function readIds(request: Request): readonly GeneratedId[] {
  const path: string[] = [];
  return textsOf(request).flatMap((text): GeneratedId[] => {
    if (text.kind === "path") path.push(text.template);
    if (!looksLikeId(text)) return [];
    if (text.kind !== "path") return [{ text, names: [bareName(text.name)], words: [] }];
    const words = resourceWords(text.name);
    return [{ text, names: words.map((word) => `${word}id`), path: [...path], words }];
  });
}

function looksLikeId({ kind, name, template }: RequestText): boolean {
  if (template.includes("$") || !/\d/.test(template)) return false;
  if (kind === "path") return !/^v\d/i.test(template);
  return name !== "" && (kind === "query" || IN_BODY.has(kind)) &&
    (dynamicBy(name, template) !== undefined || looksGenerated(template));
}

export interface RestoredResponse {
  readonly recorded: ResponseSnapshot;
  readonly found: readonly LearnedPair[];
}

/**
 * Finds the places of recorded values in a live response whose recorded text is lost. A place is
 * evidence in two cases: a link has the same path as the request that sends the value, or the name
 * of a member, element or attribute is one of the names of the value. The live value must have the
 * same shape. Of several values that fit a place, the place has the one that a request sends first.
 * Omits a value if there are several different live values, if only a list contains the
 * live value, or if the live response contains the recorded value. Returns undefined if no place of
 * a value is known. `isSource` reports whether the response may be the only source of a value.
 */
export function restoreResponse(
  sent: readonly LostValue[],
  live: ResponseSnapshot,
  isSource: (sent: LostValue) => boolean,
): RestoredResponse | undefined {
  const text = live.text ?? "";
  const parts = fieldParts(text.trimEnd(), "").map((part) => ({
    ...part,
    content: text.slice(part.start, part.end),
  }));
  const possible = findPlaces(sent, parts).filter((place) => isSource(place.sent));
  const places = [...Map.groupBy(possible, ({ start }) => start).values()].flatMap(sentFirst)
    .filter(({ sent, value }) => sent.text.template !== value);
  if (places.length === 0) return undefined;
  const contents = new Set(parts.map(({ content }) => content));
  const values = [...Map.groupBy(places, ({ sent }) => sent.text.template).values()]
    .filter((own) => new Set(own.map(({ value }) => value)).size === 1)
    .filter(([{ sent, value }], _, all) =>
      !contents.has(sent.text.template) &&
      all.filter(([other]) => other.value === value).length === 1
    );
  if (values.length === 0) return undefined;
  const recorded = new ResponseSnapshot({ ...fieldsOf(live), text: withRecorded(text, values) });
  const pairs = alignResponses(recorded, live, new KnownPairs());
  const found = values.flatMap((own): LearnedPair[] => {
    const [{ sent: { text: { template } }, value }] = own;
    const same = pairs.filter((pair) =>
      pair.recorded === template && pair.live === value &&
      !pathOf(pair)?.some((step) => typeof step === "number")
    );
    if (same.length === 0) return [];
    const agrees = ({ kind, name }: RequestText) =>
      own.some(({ sent }) => sent.text.kind === kind && sent.text.name === name);
    const literal = { value: template, agrees: isWeak(template) ? agrees : undefined };
    return [{ recorded: template, live: value, pairs: same, literal }];
  });
  return found.length === 0 ? undefined : { recorded, found };
}

interface ValuePlace {
  readonly sent: LostValue;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function findPlaces(
  sent: readonly LostValue[],
  parts: readonly (FieldPart & { readonly content: string })[],
): ValuePlace[] {
  const named = Map.groupBy(
    sent.flatMap((value) => value.names.map((name) => ({ name, value }))),
    ({ name }) => name,
  );
  const linked = Map.groupBy(
    sent.filter(({ path }) => path !== undefined),
    ({ path }) => ["", ...path!.slice(0, -1), ""].join("/"),
  );
  // Only a path that contains a letter identifies the target of a link.
  const starts = [...linked].filter(([start]) => /[A-Za-z]/.test(start));
  return parts.flatMap(({ start, name, content }) => {
    const place = (lost: LostValue, at: number, value: string): ValuePlace[] =>
      haveSameForm(value, lost.text.template)
        ? [{ sent: lost, value, start: at, end: at + value.length }]
        : [];
    const origin = /^https?:\/\/[^/?#]*/i.exec(content)?.[0].length ?? 0;
    return [
      ...(named.get(bareName(name)) ?? []).flatMap(({ value }) => place(value, start, content)),
      ...starts.filter(([path]) => content.startsWith(path, origin)).flatMap(([path, all]) => {
        const at = origin + path.length;
        const value = /^[^/?#]*/.exec(content.slice(at))![0];
        return all.flatMap((lost) => place(lost, start + at, value));
      }),
    ];
  });
}

function bareName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Returns the places of the recorded value that a request sends first after the response. */
function sentFirst(places: readonly ValuePlace[]): readonly ValuePlace[] {
  const first = Math.min(...places.map(({ sent }) => sent.index));
  const values = new Set(
    places.filter(({ sent }) => sent.index === first).map(({ sent }) => sent.text.template),
  );
  return places.filter(({ sent }) => values.has(sent.text.template));
}

/** Reports whether two values may have been generated in the same way. */
function haveSameForm(value: string, other: string): boolean {
  if (/^\d+$/.test(value) && /^\d+$/.test(other)) return true;
  const form = (text: string) =>
    [/\d/, /[a-z]/, /[A-Z]/].map((kind) => kind.test(text)).join() +
    text.replace(/[\dA-Za-z]/g, "");
  return value.length === other.length && form(value) === form(other);
}

function withRecorded(text: string, values: readonly (readonly ValuePlace[])[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { sent, start, end } of values.flat().sort((a, b) => a.start - b.start)) {
    if (start < done) continue; // Several requests send the value.
    pieces.push(text.slice(done, start), sent.text.template);
    done = end;
  }
  return pieces.join("") + text.slice(done);
}

function fieldsOf({ status, headers, mimeType }: ResponseSnapshot) {
  return { status, headers, mimeType };
}
