import { durationMs, plural } from "../../base/format.ts";
import { EventParser } from "../../http/event_stream.ts";
import type { BodyStream, HttpResponse } from "../../http/sender.ts";
import { conditionName, type Request } from "../../plan/kinds/request.ts";
import type { Scope } from "../flow/scope.ts";
import { compileCondition, type ConditionTest } from "../kinds/conditions.ts";
import type { Tags } from "../metrics/metrics.ts";
import { TemplateFault } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";

/** Reads the server-sent events of one response. */
export interface EventReader extends BodyStream {
  /** Time after which reading ends, in milliseconds from the start of the request, or Infinity. */
  readonly maxMs: number;
  /**
   * Sets the error of the response if it was not an event stream, if no event met the condition, or
   * if the condition's template could not be rendered. Clears a timeout error if the response ended
   * because `maxMs` was reached.
   */
  finish(response: HttpResponse): void;
}

/** Creates the reader for the response that a VU is about to receive. */
export type OpenReader = (vu: Vu) => EventReader;

/** Compiles the `sse` key of a request. Returns undefined if the request does not read events. */
export function compileEvents(
  { sse }: Request,
  tags: Tags,
  scope: Scope,
): OpenReader | undefined {
  if (sse === undefined || sse === false) return undefined;
  const { until, max_events: most = Infinity, max_duration } = sse === true
    ? {} as Partial<Exclude<typeof sse, true>>
    : sse;
  const maxMs = max_duration === undefined ? Infinity : durationMs(max_duration) ?? Infinity;
  const wanted = until && { test: compileCondition(until, scope), name: conditionName(until) };
  const record = scope.recorder.event(tags);
  return (vu) => new Reader(vu, wanted, { most, maxMs }, record);
}

/** Condition on an event. When an event meets it, reading ends. */
interface Wanted {
  readonly test: ConditionTest;
  readonly name: string;
}

/** Limits at which the reader stops reading events without an error. */
interface Limits {
  /** Maximum number of events. */
  readonly most: number;
  /** Maximum time since the start of the request, in milliseconds. */
  readonly maxMs: number;
}

class Reader implements EventReader {
  readonly maxMs: number;
  readonly #vu: Vu;
  readonly #wanted: Wanted | undefined;
  readonly #most: number;
  readonly #record: (firstMs?: number) => void;
  readonly #parser = new EventParser((data) => this.#take(data));
  readonly #startedAt: number;
  #events = 0;
  /** Clock time at which the first chunk of the body arrived. NaN until then. */
  #firstAt = NaN;
  #isDone = false;
  #isMet = false;
  #templateFault: string | undefined;

  constructor(
    vu: Vu,
    wanted: Wanted | undefined,
    { most, maxMs }: Limits,
    record: (firstMs?: number) => void,
  ) {
    this.#vu = vu;
    this.#wanted = wanted;
    this.#most = most;
    this.maxMs = maxMs;
    this.#record = record;
    this.#startedAt = vu.clock.now();
  }

  push(chunk: Uint8Array, response: HttpResponse): boolean {
    if (Number.isNaN(this.#firstAt)) this.#firstAt = this.#vu.clock.now();
    if (!this.#isDone && isEventStream(response)) this.#parser.push(chunk);
    return this.#isDone;
  }

  finish(response: HttpResponse): void {
    this.#endAtLimit(response);
    const { status, error } = response;
    if (error !== undefined || status < 200 || status >= 300) return;
    if (!isEventStream(response)) {
      const type = contentType(response) || "none";
      response.error = "protocol";
      response.message = `the response is not an event stream: its content type is ${type}`;
    } else if (this.#templateFault !== undefined) {
      response.error = "template";
      response.message = this.#templateFault;
    } else if (this.#wanted !== undefined && !this.#isMet) {
      response.error = "closed";
      response.message = `the stream ended after ${plural(this.#events, "event")}, none of ` +
        `which meets the condition ${this.#wanted.name}`;
    }
  }

  #endAtLimit(response: HttpResponse): void {
    const elapsed = this.#vu.clock.now() - this.#startedAt;
    const isAtLimit = response.error === "timeout" && elapsed >= this.maxMs;
    if (!isAtLimit || !isEventStream(response)) return;
    response.error = response.message = undefined;
    const receivingMs = this.#startedAt + elapsed - this.#firstAt;
    if (Number.isNaN(receivingMs)) return;
    response.receivingMs = receivingMs;
    response.waitingMs = Math.max(0, response.waitingMs - receivingMs);
  }

  #take(data: string): void {
    // Events in the same piece of the stream as the last one are not read.
    if (this.#isDone) return;
    const isFirst = this.#events++ === 0;
    this.#record(isFirst ? this.#vu.clock.now() - this.#startedAt : undefined);
    this.#vu.received.replaceText(data);
    this.#isMet = this.#wanted !== undefined && this.#isTrue(this.#wanted.test);
    this.#isDone = this.#isMet || this.#events >= this.#most;
  }

  /**
   * Reports whether the current event meets the condition. Returns false if the condition cannot be
   * evaluated on the event. If a template cannot be rendered, saves the error and returns true, so
   * that reading ends.
   */
  #isTrue(test: ConditionTest): boolean {
    try {
      return test(this.#vu);
    } catch (error) {
      if (!(error instanceof TemplateFault)) return false;
      this.#templateFault = error.message;
      return true;
    }
  }
}

function isEventStream(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300 &&
    /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType(response));
}

function contentType({ headers }: HttpResponse): string {
  return headers.find(([name]) => name === "content-type")?.[1] ?? "";
}
