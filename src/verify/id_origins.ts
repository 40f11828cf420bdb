import { callPlaces } from "../outcome/compare_requests.ts";
import { type Exchange, headerValue } from "../traffic/har/recording.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { type HeldId, HeldIdFinder } from "./held_ids.ts";
import { type RecordedTimes, responseTexts } from "./recorded_exchanges.ts";
import { append, type Origins } from "./value_origins.ts";
import { isPlaceKind, parameterKind, readIdName, type SentId, sentIds } from "./sent_ids.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";

/**
 * How certain it is that a request takes an id from a response. `strong`: the names or the kinds
 * agree. `guessed`: they agree, but do not show that the value is an id. `weak`: they do not agree.
 */
export type Agreement = "strong" | "guessed" | "weak";

/** A response that contains the id that a request sends. */
export interface IdSource {
  /** Key under which the mock server regenerates the id. */
  readonly key: string;
  /** Name of the id in the response. Empty for a path segment. */
  readonly name: string;
  readonly exchange: Exchange;
  readonly agreement: Agreement;
}

type Held = Omit<HeldId, "start" | "end">;

/**
 * Index of short ids: values that are recognized as ids only by their names, such as `7` in
 * `/articles/7`. An id is the same in two places only if the names or the kinds of objects agree,
 * so that article 7 and user 7 get different values.
 */
export class IdOrigins {
  readonly #times: RecordedTimes;
  readonly #sent = new Map<RecordedCall, readonly SentId[]>();
  readonly #held = new Map<string, { readonly held: Held; readonly exchange: Exchange }[]>();
  readonly #marks = new Set<string>();
  readonly #linked = new LinkedIds();
  readonly #finder: HeldIdFinder;
  readonly #keys = new Set<string>();
  readonly #origins: Origins;

  /** Indexes the requests of `calls` and the responses of `exchanges` in linear time. */
  constructor(
    exchanges: readonly Exchange[],
    calls: readonly RecordedCall[],
    times: RecordedTimes,
    origins: Origins,
  ) {
    this.#times = times;
    this.#origins = origins;
    const values = new Set<string>();
    for (const call of calls) {
      const sent = sentIds(call, callPlaces(call));
      if (sent.length > 0) this.#sent.set(call, sent);
      for (const one of sent) {
        values.add(one.value);
        for (const key of one.isGuess ? [nameKey(one)] : sentKeys(one)) origins.addSent(key, call);
      }
    }
    this.#finder = new HeldIdFinder(values);
    const byExchange = new Map(calls.map((call) => [call.exchange, this.sentBy(call)]));
    for (const exchange of exchanges) this.#addResponse(exchange, byExchange.get(exchange) ?? []);
    this.#link();
  }

  /** Returns the short ids that a recorded call sends. */
  sentBy(call: RecordedCall): readonly SentId[] {
    return this.#sent.get(call) ?? [];
  }

  /**
   * Returns the ids in `text` that the mock server regenerates. `text` is a string from the
   * response of `exchange`.
   */
  find(text: string, exchange: Exchange): (Pick<HeldId, "start" | "end"> & { key: string })[] {
    return this.#finder.find(text, exchange).map((held) => ({
      start: held.start,
      end: held.end,
      key: keyOf(held),
    })).filter(({ key }) => this.#keys.has(key));
  }

  /**
   * Returns the earlier responses from which `call` can take an id, best first. Returns an empty
   * list if a request sent the id before the first of these responses, because the client generated
   * it in that case.
   */
  sourcesOf(sent: SentId, call: RecordedCall): IdSource[] {
    const sources = (this.#held.get(sent.value) ?? []).flatMap(({ held, exchange }): IdSource[] => {
      if (!this.#times.isBefore(exchange, call.exchange)) return [];
      if (!this.#mayBeSame(sent, held)) return [];
      return [{ key: keyOf(held), name: held.name, exchange, agreement: agreementOf(sent, held) }];
    });
    const [first] = sources;
    if (first === undefined || this.#isSentBefore(sent, first.exchange)) return [];
    return sources.sort((a, b) =>
      Number(b.agreement === "strong") - Number(a.agreement === "strong")
    );
  }

  #isSentBefore(sent: SentId, exchange: Exchange): boolean {
    const end = this.#times.endOf(exchange);
    return sentKeys(sent).some((key) =>
      !this.#times.isInOrder(end, this.#origins.of(key)?.sentAt ?? Infinity)
    );
  }

  #mayBeSame(sent: SentId, held: Held): boolean {
    if (!sent.isGuess) return !isPlaceKind(held.kind) || held.kind === sent.kind;
    if (sent.kind !== "" && held.kind === sent.kind) return true;
    return sent.place.startsWith("query ") && held.kind === parameterKind(sent.name) &&
      (this.#linked.isCreated(keyOf(held)) || this.#isNamedId(sent.value));
  }

  #isNamedId(value: string): boolean {
    return (this.#held.get(value) ?? []).some(({ held }) => readIdName(held.name).isId);
  }

  /**
   * Adds the ids in the response of `exchange` to the index. Omits ids that were already added
   * with the same name and kind.
   */
  #addResponse(exchange: Exchange, sent: readonly SentId[]): void {
    const location = headerValue(exchange.response.headers, "location");
    for (const text of responseTexts(exchange)) {
      for (const { value, name, kind, isGuess } of this.#finder.find(text, exchange)) {
        if (isPlaceKind(kind)) {
          const isSent = sent.some((one) => one.value === value);
          this.#linked.add(keyOf({ value, name, kind }), exchange, text === location, isSent);
        }
        const mark = `${name} ${kind} ${value}`;
        if (this.#marks.has(mark)) continue;
        this.#marks.add(mark);
        append(this.#held, value, { held: { value, name, kind, isGuess }, exchange });
      }
    }
  }

  #link(): void {
    for (const [call, sent] of this.#sent) {
      for (const one of sent) {
        for (const { key } of this.sourcesOf(one, call)) this.#keys.add(key);
      }
    }
    for (const list of this.#held.values()) {
      for (const { held, exchange } of list) {
        const key = keyOf(held);
        if (this.#keys.has(key)) this.#origins.addHeld(key, exchange);
      }
    }
  }
}

function sentKeys(sent: SentId): string[] {
  const { value, name, kind } = sent;
  const keys = name === "" ? [] : [nameKey(sent)];
  return kind === "" ? keys : [...keys, `\0sent ${kind}\0${value}`];
}

function nameKey({ value, name }: SentId): string {
  return `\0=${normal(name)}\0${value}`;
}

/** Returns the key of an id: its kind and its value. Keys start with NUL; values never do. */
function keyOf({ value, kind }: Held): string {
  return `\0${kind}\0${value}`;
}

/** Returns the kind of object in the key of an id. Returns an empty string for any other key. */
export function kindInKey(key: string): string {
  return key.startsWith("\0") ? key.slice(1, key.lastIndexOf("\0")) : "";
}

/** Returns the recorded value that a key contains. */
export function valueInKey(key: string): string {
  return key.slice(key.lastIndexOf("\0") + 1);
}

function agreementOf(sent: SentId, held: Held): Agreement {
  if (sent.isGuess || held.isGuess) return "guessed";
  const isSameName = sent.name !== "" && normal(sent.name) === normal(held.name);
  if (sent.kind !== held.kind) {
    const isAlike = sent.kind.startsWith(held.kind) || held.kind.startsWith(sent.kind);
    return isSameName && isAlike ? "guessed" : "weak";
  }
  return isSameName || sent.kind !== "" ? "strong" : "weak";
}

function normal(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

interface Linked {
  readonly first: Exchange;
  /**
   * True if the first response that contains the value redirects to a link with the value, and
   * responds to a write whose request does not contain the value.
   */
  readonly isCreated: boolean;
  /** True if a response other than that of `first` also links to the value. */
  isRepeated: boolean;
  /**
   * True if the response to another write redirects to a link with the value, although the request
   * of that write does not contain the value.
   */
  isShared: boolean;
}

/**
 * Index of link parameters that may be ids although their names do not suggest it, such as
 * `viewtopic.php?t=386`.
 */
class LinkedIds {
  readonly #linked = new Map<string, Linked>();

  /**
   * Adds a link that the response of `exchange` contains. `key` identifies the value in the link.
   * `isTarget` is true if the response redirects to the link. `isSent` is true if the request
   * contains the value.
   */
  add(key: string, exchange: Exchange, isTarget: boolean, isSent: boolean): void {
    const isCreated = isTarget && !isSent && !isSafeMethod(exchange.request.method);
    const known = this.#linked.get(key);
    if (known === undefined) {
      this.#linked.set(key, { first: exchange, isCreated, isRepeated: false, isShared: false });
    } else if (known.first !== exchange) {
      known.isRepeated = true;
      known.isShared ||= isCreated;
    }
  }

  /**
   * Reports whether a value is probably the id of an object that a write created: the write
   * redirects to it, and a later response links to it again. Returns false if another write also
   * redirects to it, because the value is then probably something else, such as the number of a
   * message.
   */
  isCreated(key: string): boolean {
    const linked = this.#linked.get(key);
    return linked !== undefined && linked.isCreated && linked.isRepeated && !linked.isShared;
  }
}
