import { isWhole, type Occurrence, viewsOf } from "../correlation/views.ts";
import { callPlaces, isRelevant } from "../outcome/compare_requests.ts";
import { type Exchange, headerValue } from "../traffic/har/recording.ts";
import { findBase64 } from "../traffic/session/base64_text.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { cookiesOf } from "../traffic/session/headers.ts";
import { redirectTarget } from "../traffic/session/kept_calls.ts";
import { hasClock, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { generatedValues, ValueFinder } from "./generated_values.ts";

/** Tolerance, in milliseconds, for recorders that truncate times. */
const TOLERANCE = 1;

/** Start and end of exchanges, or their order. */
export class RecordedTimes {
  readonly #tolerance: number;
  readonly #times = new Map<Exchange, readonly [start: number, end: number]>();

  constructor(exchanges: readonly Exchange[]) {
    const isTimed = exchanges.length > 0 && hasClock(exchanges);
    this.#tolerance = isTimed ? TOLERANCE : 0;
    const numbered = exchanges.map((exchange, order) => ({ exchange, order }));
    const byUrl = Map.groupBy(numbered, ({ exchange }) => exchange.request.url.replace(/#.*/s, ""));
    for (const { exchange, order } of numbered) {
      const { startedAt, endedAt } = exchange;
      // A redirect ends when the browser follows it, although some recorders report a later end.
      const followed = byUrl.get(redirectTarget({ exchange }) ?? "")
        ?.find((other) => other.order > order)?.exchange;
      const end = Math.min(endedAt, followed?.startedAt ?? Infinity);
      this.#times.set(exchange, isTimed ? [startedAt, end] : [2 * order, 2 * order + 1]);
    }
  }

  startOf(exchange: Exchange): number {
    return this.#times.get(exchange)![0];
  }

  endOf(exchange: Exchange): number {
    return this.#times.get(exchange)![1];
  }

  /** The response of `first` ended before the request of `second` started. */
  isBefore(first: Exchange, second: Exchange): boolean {
    return first !== second && this.isInOrder(this.endOf(first), this.startOf(second));
  }

  /** A response that ended at `end` can provide a value to a request at `start`. */
  isInOrder(end: number, start: number): boolean {
    return end <= start + this.#tolerance;
  }
}

/** Reports whether the server chose when to send a response: a WebSocket message, or events. */
export function isPushed({ socketPart, request, response }: Exchange): boolean {
  return socketPart === "receive" ||
    (response.mimeType.startsWith("text/event-stream") && isSafeMethod(request.method));
}

/** Matches names of response headers whose values clients do not send back. */
const IRRELEVANT =
  /^(?::.*|date|expires|age|vary|via|server|alt-svc|cache-control|content-(?!location).*|strict-.*|access-control-.*)$/i;

/** Reports whether a response header may contain values that later requests send. */
export function isSearched(header: string): boolean {
  return !IRRELEVANT.test(header);
}

/** Returns the strings of a response that may contain values that later requests send. */
export function responseTexts({ response: { headers, text } }: Exchange): string[] {
  const kept = headers.filter(({ name }) => isSearched(name)).map(({ value }) => value);
  return text === undefined ? kept : [...kept, text];
}

export interface ValueOrigin {
  readonly holders: Exchange[];
  /** `holders` whose request lacks the value. Two or more are probably a constant. */
  agreeing: number;
  /** End of the first response with the value, or Infinity. */
  heldAt: number;
  /** Start of the first request with the value, or Infinity. Ignores cookies. */
  sentAt: number;
}

const MOST_OCCURRENCES = 20;

/** Responses by what requests send: a value, or the key of a short id or a text. */
export class Origins {
  readonly finder: ValueFinder = new ValueFinder();
  readonly #tallies = new Map<string, ValueOrigin>();
  readonly #producers = new Map<Exchange, string[]>();
  readonly #occurrences = new Map<Exchange, ReadonlyMap<string, readonly Occurrence[]>>();
  readonly #times: RecordedTimes;

  constructor(times: RecordedTimes) {
    this.#times = times;
  }

  of(key: string): Readonly<ValueOrigin> | undefined {
    return this.#tallies.get(key);
  }

  keys(): Iterable<string> {
    return this.#tallies.keys();
  }

  /** The server generated a value: a response contained it before any request did. */
  isServerMade(key: string): boolean {
    const { heldAt, sentAt } = this.#tallies.get(key) ?? { heldAt: Infinity, sentAt: Infinity };
    return heldAt !== Infinity && this.#times.isInOrder(heldAt, sentAt);
  }

  /** Returns the first exchange whose response contained the value before `call` started. */
  holderBefore(key: string, call: RecordedCall): Exchange | undefined {
    return this.#tallies.get(key)?.holders.find((holder) =>
      this.#times.isBefore(holder, call.exchange)
    );
  }

  /** Whole texts, then encoded ones, because the escaped form `ab\\\\` also contains `ab\\`. */
  occurrencesIn(exchange: Exchange, value: string): readonly Occurrence[] {
    return this.#occurrences.getOrInsertComputed(exchange, () => this.#findIn(exchange))
      .get(value) ?? [];
  }

  #findIn({ response }: Exchange): Map<string, Occurrence[]> {
    const found = new Map<string, Occurrence[]>();
    for (const view of viewsOf(response)) {
      for (const { value, start, end } of this.finder.find(view.text)) {
        const isPlain = view.text.startsWith(value, start);
        if (isPlain && (found.get(value)?.length ?? 0) < MOST_OCCURRENCES) {
          found.getOrInsertComputed(value, () => []).push({ view, start, end });
        }
      }
    }
    const rank = (at: Occurrence) => isWhole(at) ? 0 : at.view.place.kind === "decoded" ? 1 : 2;
    for (const list of found.values()) list.sort((a, b) => rank(a) - rank(b));
    return found;
  }

  firstIn(exchange: Exchange): readonly string[] {
    return this.#producers.get(exchange) ?? [];
  }

  add(key: string): ValueOrigin {
    return this.#tallies.getOrInsertComputed(
      key,
      () => ({ holders: [], agreeing: 0, heldAt: Infinity, sentAt: Infinity }),
    );
  }

  addSent(key: string, { exchange }: RecordedCall): void {
    const tally = this.add(key);
    tally.sentAt = Math.min(tally.sentAt, this.#times.startOf(exchange));
  }

  addHeld(key: string, exchange: Exchange, isSent = false): void {
    const tally = this.add(key);
    if (tally.holders.length === 0) {
      this.#producers.getOrInsertComputed(exchange, () => []).push(key);
    }
    tally.holders.push(exchange);
    tally.heldAt = Math.min(tally.heldAt, this.#times.endOf(exchange));
    if (!isSent) tally.agreeing++;
  }
}

/** Indexes what a server could have generated in `calls` and `more`. Linear in all responses. */
export function indexValues(
  origins: Origins,
  exchanges: readonly Exchange[],
  calls: readonly RecordedCall[],
  more: Iterable<string>,
): void {
  const { finder } = origins;
  // Ports of the recorded origins do not count as values that a server generated.
  const ports = new Set(calls.map(({ url }) => new URL(url.origin).port));
  const add = (value: string) => {
    if (ports.has(value)) return;
    origins.add(value);
    finder.add(value);
  };
  for (const name of createdNames(calls)) add(name);
  const inRequest = new Map(calls.map((call) => [call.exchange, addRequest(call, origins, add)]));
  for (const value of more) add(value);
  for (const exchange of exchanges) {
    const found = responseTexts(exchange).flatMap((text) => finder.find(text));
    for (const value of new Set(found.map(({ value }) => value))) {
      origins.addHeld(value, exchange, inRequest.get(exchange)?.has(value));
    }
  }
}

function addRequest(
  call: RecordedCall,
  origins: Origins,
  add: (value: string) => void,
): Set<string> {
  const values = new Set<string>();
  for (const [place, { text, isFile }] of callPlaces(call)) {
    if (isFile || !isRelevant(place)) continue;
    const texts = [text, ...findBase64(text).map((decoded) => decoded.text)];
    for (const { value } of texts.flatMap(generatedValues)) add(value);
    for (const { value } of texts.flatMap((searched) => origins.finder.find(searched))) {
      values.add(value);
      origins.addSent(value, call);
    }
  }
  for (const [, cookie] of cookiesOf(call.exchange.request)) {
    for (const { value } of generatedValues(cookie)) {
      values.add(value);
      add(value);
    }
  }
  return values;
}

/** Minimum length of a name in UTF-16 code units. Shorter names are too common in text. */
const SHORTEST_NAME = 4;

/** Returns the names with spaces that servers gave to new objects, by the `Location` of these. */
function createdNames(calls: readonly RecordedCall[]): string[] {
  return calls.flatMap(({ exchange: { request, response }, fields }) => {
    const location = response.status === 201 && headerValue(response.headers, "location");
    const path = location ? URL.parse(location, request.url)?.pathname ?? "" : "";
    const name = percentDecodedText(path.slice(path.lastIndexOf("/") + 1), false);
    const isNew = /\s/.test(name) && !fields.some(({ value }) => value.includes(name));
    return isNew && name.length >= SHORTEST_NAME ? [name] : [];
  });
}
