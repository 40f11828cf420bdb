import { compileExtractor, rowTemplate } from "../../extract/extractors.ts";
import { allParts, type PartsRead } from "../../extract/response_view.ts";
import type { BodyStream, HttpResponse, ResponseNeeds } from "../../http/sender.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { conditionName, type Request, requestName } from "../../plan/kinds/request.ts";
import { type MetricKind, sampleTags, statusTest } from "../../plan/text/metrics.ts";
import { compileTemplate } from "../flow/expressions.ts";
import { type Scope, staticTags, variableIndex } from "../flow/scope.ts";
import { metricValue } from "../flow/values.ts";
import { compileCondition, type ConditionTest, partsRead } from "../kinds/conditions.ts";
import type { Fault } from "../metrics/failures.ts";
import type { RequestSeries } from "../metrics/request_series.ts";
import { type EndScope, FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";
import { durationMs, plural } from "../../base/format.ts";
import { EventParser } from "../../http/content.ts";
import type { Tags } from "../metrics/snapshot.ts";

/** Checks, assertions and extractions of a request step. */
export interface ResponseActions {
  readonly needs: ResponseNeeds;
  /**
   * Runs the actions on the last response of a VU and records the response. `arrived` is false if
   * the redirect limit was exceeded, so that the last response is still a redirect. Throws FlowEnd
   * if a failed assertion ends the iteration, scenario or run.
   */
  readonly finish: (vu: Vu, arrived: boolean) => void;
}

export function compileActions(
  request: Request,
  series: RequestSeries,
  scope: Scope,
): ResponseActions {
  const { extract = [], assert = [], checks = [] } = request;
  const tags = staticTags(scope, sampleTags(request.tags ?? {}));
  const extractions = extract.map((extractor) => compileExtraction(extractor, tags, scope));
  const reads = allParts([
    scope.reads,
    ...extractions.map((extraction) => extraction.reads),
    ...[...assert, ...checks].map(partsRead),
  ]);
  const testOf = (condition: Condition) =>
    observedTest(compileCondition(condition, scope), condition, scope);
  const asserts = assert.map((condition) => ({
    name: conditionName(condition),
    test: testOf(condition),
    ends: ENDS[condition.on_failure ?? "continue"],
  }));
  if (scope.required !== undefined) asserts.push({ ...scope.required, ends: undefined });
  const recorded = checks.map((condition) => ({
    test: testOf(condition),
    record: scope.recorder.check({
      ...tags,
      name: requestName(request),
      check: conditionName(condition),
    }),
  }));
  const isExpected = assert.some(({ type }) => type === "status")
    ? () => true
    : statusTest(scope.http.expected_statuses) ?? ((status) => status < 400);

  function finish(vu: Vu, arrived: boolean): void {
    const { response } = vu.received;
    let fault: Fault;
    let ends: EndScope | undefined;
    if (response.error !== undefined) {
      fault = { kind: response.error, message: response.message ?? response.error };
    } else if (!arrived) fault = { kind: "redirects", message: "too many redirects" };
    for (const { take } of extractions) {
      const missing = take(vu);
      fault ??= missing;
    }
    for (const assert of asserts) {
      const failed = testFault(assert.name, assert.test, vu);
      fault ??= failed;
      if (failed) ends ??= assert.ends;
    }
    for (const { test, record } of recorded) {
      const { passed, unread } = runCheck(test, vu);
      record(passed);
      fault ??= unread;
    }
    const failed = fault !== undefined || !isExpected(response.status);
    series.record(response, failed, fault, vu.takeScheduledAt());
    if (failed && vu.received.request) series.keepFailure(vu.received.request, response, fault);
    if (ends !== undefined) throw new FlowEnd(ends);
  }
  const body = reads.body && !scope.http.discard_response_bodies;
  return { needs: { headers: reads.headers, body }, finish };
}

function observedTest(
  test: ConditionTest,
  condition: Condition,
  { observer }: Scope,
): ConditionTest {
  if (observer === undefined) return test;
  return (vu) => {
    let passed = false;
    try {
      passed = test(vu);
      return passed;
    } finally {
      if (!passed) observer.failed(condition, vu.session, vu.received);
    }
  };
}

const ENDS: Readonly<Record<string, EndScope | undefined>> = {
  continue: undefined,
  abort_iteration: "iteration",
  abort_scenario: "scenario",
  abort_test: "test",
};

/** Extractor of a step. */
export interface Extraction {
  readonly reads: PartsRead;
  /** Index of the variable. */
  readonly index: number;
  /** Extracts a value from the last response and sets the variable, or returns the fault. */
  readonly take: (vu: Vu) => Fault;
}

export function compileExtraction(
  extractor: Extractor,
  tags: Readonly<Record<string, string>>,
  scope: Scope,
): Extraction {
  const { name } = extractor;
  const index = variableIndex(scope, name);
  const { take, reads } = compileExtractor(extractor);
  const shown = rowTemplate(extractor);
  const row = shown === undefined ? undefined : compileTemplate(shown, scope);
  const record = compileInto(extractor.into, tags, scope);

  function extract(vu: Vu): Fault {
    vu.variables[index] = undefined;
    if (vu.received.response.error !== undefined) return undefined;
    try {
      const text = row?.render(vu);
      const value = vu.variables[index] = take(vu.received, vu.random, text);
      const place = text === undefined ? "" : ` in a row that shows "${text}"`;
      const message = value === undefined
        ? `no value found for the variable "${name}"${place}`
        : record?.(value);
      return message === undefined ? undefined : { kind: "extract", message };
    } catch (error) {
      return unreadable(error, "extract");
    }
  }
  return { reads, index, take: extract };
}

/**
 * Compiles the `into` key of an extractor to a function that records values in the metric `target`,
 * with the tags of the step. The function returns the reason if the metric does not accept the
 * value. Returns undefined if the extractor does not have this key.
 */
function compileInto(
  target: { readonly metric: string; readonly type: MetricKind } | undefined,
  tags: Readonly<Record<string, string>>,
  { recorder }: Scope,
): ((value: unknown) => string | undefined) | undefined {
  if (target === undefined) return undefined;
  const record = recorder.ownMetric(target.metric, target.type, tags);
  return (value) => {
    try {
      return record(metricValue(target.type, value));
    } catch (error) {
      if (error instanceof TemplateFault) return error.message;
      throw error;
    }
  };
}

function testFault(name: string, test: ConditionTest, vu: Vu): Fault {
  try {
    return test(vu) ? undefined : { kind: "assert", message: `the assertion failed: ${name}` };
  } catch (error) {
    return unreadable(error, "assert");
  }
}

/**
 * Reports whether a check passes. A check fails if it cannot be evaluated. If that is because the
 * body cannot be decoded, also returns the fault of the request.
 */
function runCheck(test: ConditionTest, vu: Vu): { passed: boolean; unread?: Fault } {
  try {
    return { passed: test(vu) };
  } catch (error) {
    const fault = unreadable(error, "assert");
    return { passed: false, ...(fault.kind === "body" && { unread: fault }) };
  }
}

function unreadable(error: unknown, kind: "extract" | "assert"): NonNullable<Fault> {
  if (error instanceof FlowEnd) throw error;
  const { name, message } = error as Error;
  if (name === "ContentError") return { kind: "body", message };
  return { kind: name === "TemplateFault" ? "template" : kind, message };
}

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
