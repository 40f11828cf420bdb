import { type ComparedResponse, mediaTypeOf } from "../correlation/compared_response.ts";
import { withoutValues } from "../correlation/align_text.ts";
import { CLOCK_STEP_MS } from "../correlation/weigh_sources.ts";
import type { ResponseView } from "../extract/response_view.ts";
import { ContentError, contentText, decodeContent } from "../http/content.ts";
import type { HttpResponse } from "../http/sender.ts";
import { asksForPassword } from "../outcome/refusal.ts";
import type { Request } from "../plan/kinds/request.ts";
import { isText, parseMediaType } from "../traffic/har/body_bytes.ts";
import { originMover } from "../traffic/har/origins.ts";
import {
  type Exchange,
  headerValue,
  type NameValue,
  type RecordedResponse,
  type Recording,
} from "../traffic/har/recording.ts";
import { isEventStream, streamEvents } from "../traffic/har/socket_messages.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { parseSetCookies } from "../traffic/session/headers.ts";
import { type RecordedCall, splitCalls } from "../traffic/session/recorded_call.ts";
import { eventTest, RecordedView } from "../traffic/session/recorded_view.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { isPasswordName } from "../traffic/session/secret_names.ts";
import { boundedOffsets } from "./literal_edit.ts";

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

/** The recorded calls that a plan replays, keyed by the number of the request in the plan. */
export class RecordedSide {
  readonly #steps: ReadonlyMap<number, RecordedStep>;
  readonly #sent = new Map<number, string>();

  #polls: ReadonlySet<number> | undefined;

  /** The recorded responses to each read request, keyed by the result of `readKey`. */
  #reads: Map<string | undefined, { index: number; response: ResponseSnapshot }[]> | undefined;

  /** The recorded calls of all steps, in recorded order. */
  readonly calls: readonly RecordedCall[];
  readonly #areTogether: (index: number, other: number) => boolean;

  /**
   * Uses the recorded calls in `steps`. `areTogether` reports whether two requests of the plan are
   * sent by the same user.
   */
  constructor(
    steps: ReadonlyMap<number, RecordedStep>,
    areTogether: (index: number, other: number) => boolean,
  ) {
    this.#steps = steps;
    this.calls = [...new Set(steps.values().map(({ call }) => call))]
      .sort((a, b) => a.order - b.order);
    this.#areTogether = areTogether;
  }

  /** Numbers of the requests that replay a recorded call, in ascending order. */
  get indexes(): number[] {
    return [...this.#steps.keys()];
  }

  /** Returns the recorded call of a request, or undefined if the request does not replay a call. */
  at(index: number): RecordedStep | undefined {
    return this.#steps.get(index);
  }

  /**
   * Returns the recorded responses to the other requests that have the same method, URL and body as
   * the request `index`. Returns an empty list if the request may change data.
   */
  alike(index: number): readonly ResponseSnapshot[] {
    return this.#equalReads(index).filter((one) => one.index !== index)
      .map(({ response }) => response);
  }

  #equalReads(index: number): readonly { index: number; response: ResponseSnapshot }[] {
    const key = readKey(this.#steps.get(index));
    if (key === undefined) return [];
    this.#reads ??= Map.groupBy(
      [...this.#steps].map(([index, { response }]) => ({ index, response })),
      ({ index }) => readKey(this.#steps.get(index)),
    );
    return this.#reads.get(key)!;
  }

  /**
   * Returns the recorded responses to the other requests that have the same method, and the same
   * URL and body except for generated values, such as the requests of a poll.
   */
  repeats(index: number): readonly ResponseSnapshot[] {
    const key = repeatKey(this.#steps.get(index));
    return [...this.#steps].flatMap(([other, step]) =>
      other !== index && repeatKey(step) === key ? [step.response] : []
    );
  }

  /**
   * Returns the recorded response to the first request after `index` that equals the earlier read
   * `read`.
   */
  readAgain(read: number, index: number): ResponseSnapshot | undefined {
    if (read > index) return undefined;
    return this.#equalReads(read).find((one) => one.index > index)?.response;
  }

  /** Reports whether the plan replays at least three equal requests like the request `index`. */
  isPoll(index: number): boolean {
    this.#polls ??= new Set(
      [...Map.groupBy(this.indexes, (other) => requestKey(this.#steps.get(other))).values()]
        .filter(({ length }) => length > 2).flat(),
    );
    return this.#polls.has(index);
  }

  /**
   * Reports whether the recorded request `index`, or another request from the same user that was
   * sent before the end of its response, sends a value.
   */
  isSentUpTo(index: number, value: string): boolean {
    return [...this.#steps.keys()].some((i) =>
      (i <= index || !this.mayRead(i, index)) && this.#areTogether(i, index) &&
      this.isSentIn(i, value)
    );
  }

  /**
   * Reports whether a recorded response to the same user before the request `index` contains a
   * value.
   */
  isReceivedBefore(index: number, value: string): boolean {
    return [...this.#steps.keys()].some((i) =>
      i < index && this.#areTogether(i, index) && this.isReceivedIn(i, value)
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
      names.some((name) => all.filter((one) => one === name).length <= MOST_SESSION_COOKIES);
  }

  /** Reports whether a recorded response to a request for a path asks for a password. */
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
    const [call, earlier] = [index, source].map((one) => this.#steps.get(one)?.call);
    return call === undefined || earlier === undefined || call === earlier ||
      call.startedAt < earlier.startedAt || call.startedAt + CLOCK_STEP_MS >= earlier.endedAt ||
      /html|event-stream/.test(mediaTypeOf(earlier.exchange.response));
  }

  /** Reports whether the recorded response to the request `index` contains a value. */
  isReceivedIn(index: number, value: string): boolean {
    const { response, event, exchange } = this.#steps.get(index)!;
    return boundedOffsets(response.text ?? "", value).length > 0 ||
      (event !== undefined && exchange.response.text?.includes(value) === true) ||
      response.headers.some((header) => boundedOffsets(header.value, value).length > 0);
  }

  /** Reports whether the recorded request `index` sends a value. */
  isSentIn(index: number, value: string): boolean {
    let text = this.#sent.get(index);
    if (text === undefined) {
      const { fields } = this.#steps.get(index)?.call ?? { fields: [] };
      text = fields.flatMap(({ value, recorded }) => [value, recorded]).join("\n");
      this.#sent.set(index, text);
    }
    return text.includes(value) && boundedOffsets(text, value).length > 0;
  }
}

/** Reports whether the body of a recorded request contains a password, as that of a login does. */
export function sendsPassword({ fields }: RecordedCall): boolean {
  return fields.some(({ kind, name, value }) =>
    IN_BODY.has(kind) && isPasswordName(name) && value !== ""
  );
}

/** Returns a key that is equal for requests that differ only in generated values. */
function repeatKey(step: RecordedStep | undefined): string {
  if (step === undefined) return "";
  const { method, url, body } = step.exchange.request;
  return JSON.stringify([method, withoutValues(url), withoutValues(JSON.stringify(body) ?? "")]);
}

/** Returns a key that is equal for equal requests, or undefined if the request may change data. */
function readKey(step: RecordedStep | undefined): string | undefined {
  return step && isSafeMethod(step.exchange.request.method) ? requestKey(step) : undefined;
}

function requestKey(step: RecordedStep | undefined): string {
  const { method, url, body } = step?.exchange.request ?? {};
  return JSON.stringify([method, url, body]);
}

/**
 * Reads the recorded calls of a plan. `entries` maps the number of a request in the plan to the
 * number of its entry in the HAR, from 1. `areTogether` reports whether two requests of the plan
 * are sent by the same user (default: always). `requestAt` returns the plan's request with a given
 * number. If it is omitted, each stream of events is read as a whole.
 */
export function readRecordedSide(
  recording: Recording,
  entries: ReadonlyMap<number, number>,
  origins: { readonly recorded: string; readonly target: string },
  { areTogether = () => true, requestAt }: {
    readonly areTogether?: (index: number, other: number) => boolean;
    readonly requestAt?: (index: number) => Request;
  } = {},
): RecordedSide {
  const move = originMover(origins.recorded, origins.target);
  const replayed = new Set(entries.values());
  const exchanges = recording.exchanges.filter(({ index }) => replayed.has(index + 1));
  const calls = splitCalls(exchanges.map((exchange) => ({
    ...exchange,
    request: { ...exchange.request, url: move(exchange.request.url) },
  })));
  const byEntry = new Map(exchanges.map((one, i) => [one.index + 1, [one, calls[i]] as const]));
  const steps = new Map<number, RecordedStep>();
  for (const [index, entry] of entries) {
    const [exchange, call] = byEntry.get(entry) ?? [];
    if (exchange === undefined || call === undefined) continue;
    const { response } = exchange;
    const event = requestAt && findStoppingEvent(requestAt(index), exchange);
    const read = event === undefined ? response : { ...response, text: event.data };
    steps.set(index, {
      exchange,
      call,
      response: snapshotRecorded(read, move),
      ...(event !== undefined && { event }),
    });
  }
  return new RecordedSide(steps, areTogether);
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
    const found = meets && events.find(({ data }) => meets(data));
    return found && { data: found.data, isSelected: true };
  }
  const last = sse.max_events === undefined ? undefined : events[sse.max_events - 1];
  return last && { data: last.data, isSelected: false };
}

/** A recorded or live response, for comparisons and extractors. */
export class ResponseSnapshot implements ComparedResponse {
  readonly status: number;
  readonly headers: readonly NameValue[];
  readonly mimeType: string;
  readonly text: string | undefined;
  readonly payload?: string;
  readonly #storedCookie: (name: string) => string | undefined;
  #view: ResponseView | undefined;

  constructor(
    response: ComparedResponse,
    storedCookie: (name: string) => string | undefined = () => undefined,
  ) {
    this.status = response.status;
    this.headers = response.headers;
    this.mimeType = response.mimeType;
    this.text = response.text;
    this.payload = response.payload;
    this.#storedCookie = storedCookie;
  }

  get view(): ResponseView {
    return this.#view ??= new RecordedView(this, this.#storedCookie);
  }
}

/**
 * Creates a snapshot of a recorded response. `move` is applied to its strings, for example to
 * replace origins.
 */
export function snapshotRecorded(
  { status, headers, mimeType, text, payload }: RecordedResponse,
  move: (text: string) => string,
): ResponseSnapshot {
  return new ResponseSnapshot({
    status,
    headers: headers.map(({ name, value }) => ({ name, value: move(value) })),
    mimeType,
    text: text === undefined ? undefined : move(text),
    ...(payload !== undefined && { payload: move(payload) }),
  });
}

/**
 * Creates a snapshot of a live response. The snapshot has no text if the body is not text or is
 * damaged.
 */
export function snapshotLive(
  response: HttpResponse,
  storedCookie?: (name: string) => string | undefined,
): ResponseSnapshot {
  const headers = response.headers.map(([name, value]) => ({ name, value }));
  const mimeType = parseMediaType(headerValue(headers, "content-type") ?? "").essence;
  const text = mimeType === "" || isText(mimeType) ? decodedBody(response) : undefined;
  return new ResponseSnapshot({ status: response.status, headers, mimeType, text }, storedCookie);
}

/** Creates a snapshot of a live stream of events. Its text is the data of the last event. */
export function snapshotEvent(
  received: ResponseView & { readonly response: HttpResponse },
  storedCookie: (name: string) => string | undefined,
): ResponseSnapshot {
  const { status, headers, mimeType } = snapshotLive(received.response);
  const text = readable(() => received.text);
  return new ResponseSnapshot({ status, headers, mimeType, text }, storedCookie);
}

function decodedBody(response: HttpResponse): string | undefined {
  const type = response.headers.find(([name]) => name === "content-type")?.[1];
  return readable(() => contentText(decodeContent(response), type));
}

function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ContentError) return undefined;
    throw error;
  }
}
