import { mediaTypeOf } from "../comparison/compared_response.ts";
import { withoutValues } from "../comparison/align_text.ts";
import { cellsIn } from "../correlation/source_extractors.ts";
import { CLOCK_STEP_MS } from "../correlation/weigh_sources.ts";
import { asksForPassword } from "../outcome/refusal.ts";
import type { Request } from "../plan/kinds/request.ts";
import { originMover } from "../traffic/har/origins.ts";
import type { Exchange, Recording } from "../traffic/har/recording.ts";
import { isEventStream, streamEvents } from "../traffic/har/socket_messages.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { parseSetCookies } from "../traffic/session/headers.ts";
import { type RecordedCall, splitCalls } from "../traffic/session/recorded_call.ts";
import { eventTest } from "../traffic/session/recorded_view.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { moveTexts } from "./aimed_plan.ts";
import type { GivenPlan } from "./given_plan.ts";
import { boundedOffsets, contains } from "./literal_edit.ts";
import { type ResponseSnapshot, snapshotRecorded } from "../comparison/response_snapshot.ts";

/** The recorded event that corresponds to the last event that a request of the plan reads. */
export interface StoppingEvent {
  readonly data: string;
  /**
   * True if the same condition selects the recorded and the live event, so that both must have the
   * same shape.
   */
  readonly isSelected: boolean;
}

/** A recorded call that a request of the plan replays, moved to the target's origin. */
export interface RecordedStep {
  readonly exchange: Exchange;
  readonly call: RecordedCall;
  /** The recorded response. For a stream of events, its text is the data of `event`, if present. */
  readonly response: ResponseSnapshot;
  /**
   * The last event that the request reads, if the response is a stream of events and the recording
   * shows which event that is.
   */
  readonly event?: StoppingEvent;
}

/** Maximum number of responses that set the cookie of a session: before, at and after a login. */
const MOST_SESSION_COOKIES = 3;

/** Minimum length of a text that shows the row of an object, in UTF-16 code units. */
const SHORTEST_TYPED = 4;

/** The recorded calls that a plan replays, keyed by the number of the request in the plan. */
export class RecordedSide {
  readonly #steps: ReadonlyMap<number, RecordedStep>;
  readonly #sent = new Map<number, string>();
  readonly #typed = new Map<number, readonly string[]>();
  readonly #groups = new Map<KeyOf, ReadonlyMap<string, readonly number[]>>();
  readonly calls: readonly RecordedCall[];
  readonly #given: GivenPlan;

  /** All exchanges of the recording. */
  readonly exchanges: readonly Exchange[];

  constructor(
    given: GivenPlan,
    steps: ReadonlyMap<number, RecordedStep> = new Map(),
    exchanges: readonly Exchange[] = [],
  ) {
    this.#given = given;
    this.#steps = steps;
    this.exchanges = exchanges;
    this.calls = [...new Set(steps.values().map(({ call }) => call))]
      .sort((a, b) => a.order - b.order);
  }

  get indexes(): number[] {
    return [...this.#steps.keys()];
  }

  at(index: number): RecordedStep | undefined {
    return this.#steps.get(index);
  }

  #withKey(index: number, keyOf: KeyOf): readonly number[] {
    const step = this.#steps.get(index);
    const groups = this.#groups.getOrInsertComputed(
      keyOf,
      () => Map.groupBy(this.indexes, (i) => keyOf(this.#steps.get(i)!)),
    );
    return step === undefined ? [] : groups.get(keyOf(step))!;
  }

  #equalReads(index: number): readonly number[] {
    const method = this.#steps.get(index)?.exchange.request.method ?? "";
    return isSafeMethod(method) ? this.#withKey(index, requestKey) : [];
  }

  #responsesTo(indexes: readonly number[], except: number): ResponseSnapshot[] {
    return indexes.flatMap((i) => i === except ? [] : [this.#steps.get(i)!.response]);
  }

  /** Returns the recorded responses to the other requests that equal the read `index`. */
  alike(index: number): readonly ResponseSnapshot[] {
    return this.#responsesTo(this.#equalReads(index), index);
  }

  /**
   * Returns the recorded responses to the other requests that are equal except for generated
   * values, such as the requests of a poll.
   */
  repeats(index: number): readonly ResponseSnapshot[] {
    return this.#responsesTo(this.#withKey(index, repeatKey), index);
  }

  /** Returns the recorded response to the first request after `index` that equals `read`. */
  readAgain(read: number, index: number): ResponseSnapshot | undefined {
    if (read > index) return undefined;
    const next = this.#equalReads(read).find((i) => i > index);
    return next === undefined ? undefined : this.#steps.get(next)!.response;
  }

  /** Reports whether the plan replays at least three equal requests like the request `index`. */
  isPoll(index: number): boolean {
    return this.#withKey(index, requestKey).length > 2;
  }

  /** Reports whether a request that was sent before the end of the response sends a value. */
  isSentUpTo(index: number, value: string): boolean {
    return [...this.#steps.keys()].some((i) =>
      (i <= index || !this.mayRead(i, index)) && this.#given.areTogether(i, index) &&
      this.isSentIn(i, value)
    );
  }

  isReceivedBefore(index: number, value: string): boolean {
    return [...this.#steps.keys()].some((i) =>
      i < index && this.#given.areTogether(i, index) && this.isReceivedIn(i, value)
    );
  }

  /** Returns the texts of fields of some writes that no earlier response contains. */
  typedIn(writes: readonly number[]): string[] {
    return writes.flatMap((i) =>
      this.#typed.getOrInsertComputed(
        i,
        () =>
          (this.at(i)?.call.fields ?? []).filter(({ kind, value }) =>
            IN_BODY.has(kind) && value.length >= SHORTEST_TYPED
          ).flatMap(({ value }) => [value, ...cellsIn(value)])
            .filter((text) => !this.isReceivedBefore(i, text)),
      )
    );
  }

  /**
   * Reports whether the response to a call may open a session: unless the recording lacks cookies,
   * it sets one that few responses set. A cookie that all responses renew shows no login.
   */
  mayOpenSession(index: number): boolean {
    const namesIn = (i: number) =>
      parseSetCookies(this.#steps.get(i)!.exchange.response).map(([name]) => name);
    const names = namesIn(index);
    const all = [...this.#steps.keys()].flatMap(namesIn);
    return names.length === 0 ||
      names.some((name) => all.filter((cookie) => cookie === name).length <= MOST_SESSION_COOKIES);
  }

  isLoginPage(path: string): boolean {
    return [...this.#steps.values()].some(({ exchange, response }) =>
      URL.parse(exchange.request.url)?.pathname === path && asksForPassword(response)
    );
  }

  /**
   * Reports whether the request `index` may send values from the response to `source`: the browser
   * did not send it while it was waiting for this response. Browsers read pages and streams while
   * they arrive.
   */
  mayRead(index: number, source: number): boolean {
    const [call, earlier] = [index, source].map((i) => this.#steps.get(i)?.call);
    return call === undefined || earlier === undefined || call === earlier ||
      call.startedAt < earlier.startedAt || call.startedAt + CLOCK_STEP_MS >= earlier.endedAt ||
      /html|event-stream/.test(mediaTypeOf(earlier.exchange.response));
  }

  isReceivedIn(index: number, value: string): boolean {
    const { response, event, exchange } = this.#steps.get(index)!;
    return contains(response, value) ||
      (event !== undefined && exchange.response.text?.includes(value) === true);
  }

  isSentIn(index: number, value: string): boolean {
    const text = this.#sent.getOrInsertComputed(index, () => {
      const { fields } = this.#steps.get(index)?.call ?? { fields: [] };
      return fields.flatMap(({ value, recorded }) => [value, recorded]).join("\n");
    });
    return text.includes(value) && boundedOffsets(text, value).length > 0;
  }
}

type KeyOf = (step: RecordedStep) => string;

function requestKey({ exchange: { request: { method, url, body } } }: RecordedStep): string {
  return JSON.stringify([method, url, body]);
}

function repeatKey({ exchange: { request: { method, url, body } } }: RecordedStep): string {
  return JSON.stringify([method, withoutValues(url), withoutValues(JSON.stringify(body) ?? "")]);
}

/** Reads the recorded calls that a plan replays, and moves them to the origin of the target. */
export function readRecordedSide(
  recording: Recording,
  given: GivenPlan,
  origins: { readonly recorded: string; readonly target: string },
): RecordedSide {
  const move = originMover(origins.recorded, origins.target);
  const entries = given.positions.map((_, index) => given.entryOf(index));
  const replayed = new Set(entries);
  const exchanges = recording.exchanges.filter(({ index }) => replayed.has(index + 1));
  const calls = splitCalls(exchanges.map((exchange) => ({
    ...exchange,
    request: moveTexts(exchange.request, move, new Set()) as Exchange["request"],
  })));
  const steps = new Map<number, RecordedStep>();
  for (const [index, entry] of entries.entries()) {
    const at = exchanges.findIndex((exchange) => exchange.index + 1 === entry);
    if (at < 0) continue;
    const exchange = exchanges[at];
    const event = findStoppingEvent(given.at(index), exchange);
    const read = event === undefined
      ? exchange.response
      : { ...exchange.response, text: event.data };
    const response = snapshotRecorded(read, move);
    steps.set(index, { exchange, call: calls[at], response, ...(event && { event }) });
  }
  return new RecordedSide(given, steps, recording.exchanges);
}

/**
 * Finds the recorded event at which a request of the plan stops reading. Returns undefined if the
 * request does not read events one by one, if only a time limit or the server ends the stream, or
 * if the recording does not contain the event.
 */
function findStoppingEvent(
  { sse }: Request,
  exchange: Exchange,
): StoppingEvent | undefined {
  if (typeof sse !== "object" || !isEventStream(exchange)) return undefined;
  const events = streamEvents(exchange) ?? [];
  if (sse.until !== undefined) {
    const meets = eventTest(sse.until);
    const stopping = meets && events.find(({ data }) => meets(data));
    return stopping && { data: stopping.data, isSelected: true };
  }
  const last = sse.max_events === undefined ? undefined : events[sse.max_events - 1];
  return last && { data: last.data, isSelected: false };
}
