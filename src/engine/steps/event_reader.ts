import { durationMs, plural } from "../../base/format.ts";
import { EventParser } from "../../http/event_stream.ts";
import type { BodyStream, HttpResponse } from "../../http/sender.ts";
import { conditionName, type Request } from "../../plan/kinds/request.ts";
import type { Scope } from "../flow/scope.ts";
import { compileCondition, type ConditionTest } from "../kinds/conditions.ts";
import type { Tags } from "../metrics/metrics.ts";
import { TemplateFault } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";

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

export type OpenReader = (vu: Vu) => EventReader;

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
  return (vu) => openReader(vu, wanted, { most, maxMs, record });
}

/** Condition on an event. When an event meets it, reading ends. */
interface Wanted {
  readonly test: ConditionTest;
  readonly name: string;
}

function openReader(
  vu: Vu,
  wanted: Wanted | undefined,
  { most, maxMs, record }: {
    readonly most: number;
    readonly maxMs: number;
    readonly record: (firstMs?: number) => void;
  },
): EventReader {
  const startedAt = vu.clock.now();
  let events = 0;
  /** Clock time at which the first chunk of the body arrived. */
  let firstAt: number | undefined;
  let isDone = false;
  let isMet = false;
  let templateFault: string | undefined;
  const parser = new EventParser((data) => {
    // Events in the same piece of the stream as the last one are not read.
    if (isDone) return;
    const isFirst = events++ === 0;
    record(isFirst ? vu.clock.now() - startedAt : undefined);
    vu.received.replaceText(data);
    isMet = wanted !== undefined && isTrue(wanted.test);
    isDone = isMet || events >= most;
  });
  /**
   * Reports whether the current event meets the condition. Returns false if the condition cannot be
   * evaluated on the event. If a template cannot be rendered, saves the error and returns true, so
   * that reading ends.
   */
  function isTrue(test: ConditionTest): boolean {
    try {
      return test(vu);
    } catch (error) {
      if (!(error instanceof TemplateFault)) return false;
      templateFault = error.message;
      return true;
    }
  }
  function endAtLimit(response: HttpResponse): void {
    const elapsed = vu.clock.now() - startedAt;
    const isAtLimit = response.error === "timeout" && elapsed >= maxMs;
    if (!isAtLimit || !isEventStream(response)) return;
    response.error = response.message = undefined;
    if (firstAt === undefined) return;
    response.receivingMs = startedAt + elapsed - firstAt;
    response.waitingMs = Math.max(0, response.waitingMs - response.receivingMs);
  }
  return {
    maxMs,
    push(chunk, response) {
      firstAt ??= vu.clock.now();
      if (!isDone && isEventStream(response)) parser.push(chunk);
      return isDone;
    },
    finish(response) {
      endAtLimit(response);
      const { status, error } = response;
      if (error !== undefined || status < 200 || status >= 300) return;
      if (!isEventStream(response)) {
        const type = contentType(response) || "none";
        response.error = "protocol";
        response.message = `the response is not an event stream: its content type is ${type}`;
      } else if (templateFault !== undefined) {
        response.error = "template";
        response.message = templateFault;
      } else if (wanted !== undefined && !isMet) {
        response.error = "closed";
        response.message = `the stream ended after ${plural(events, "event")}, none of which ` +
          `meets the condition ${wanted.name}`;
      }
    },
  };
}

function isEventStream(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300 &&
    /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType(response));
}

function contentType({ headers }: HttpResponse): string {
  return headers.find(([name]) => name === "content-type")?.[1] ?? "";
}
