import { compileExtractor, rowTemplate, type TakeValue } from "../../extract/extractors.ts";
import { allParts } from "../../extract/response_view.ts";
import type { ResponseNeeds } from "../../http/sender.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { conditionName, type Request, requestName } from "../../plan/kinds/request.ts";
import { type MetricKind, sampleTags, statusTest } from "../../plan/text/metrics.ts";
import { compileTemplate } from "../flow/expressions.ts";
import { assignedIndex, type Scope, staticTags } from "../flow/scope.ts";
import { metricValue, type Rendered } from "../flow/values.ts";
import { compileCondition, type ConditionTest, partsRead } from "../kinds/conditions.ts";
import type { Fault } from "../metrics/failures.ts";
import type { RequestSeries } from "../metrics/request_series.ts";
import { type EndScope, FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import type { Vu } from "../vu/vu.ts";

/**
 * Compiled assertion. `ends` is the scope that ends early if the assertion fails, or undefined if
 * only the request fails.
 */
export interface CompiledAssertion {
  readonly name: string;
  readonly test: ConditionTest;
  readonly ends: EndScope | undefined;
}

/** Compiled extractor and the variable that it sets. */
export interface Extraction {
  readonly name: string;
  readonly index: number;
  readonly take: TakeValue;
  /**
   * String that identifies the list row in which the extractor searches. Undefined if the extractor
   * searches the whole response.
   */
  readonly row: Rendered<string> | undefined;
  /**
   * Records the value in a metric of the plan. Returns the reason if the metric does not accept the
   * value, otherwise undefined.
   */
  readonly record: ((value: unknown) => string | undefined) | undefined;
}

/** Compiled extractors, assertions and checks of a request step. */
export interface ResponseActions {
  /** Parts of the response that these actions or later steps read. */
  readonly needs: ResponseNeeds;
  readonly extractors: readonly Extraction[];
  readonly asserts: readonly CompiledAssertion[];
  readonly checks: readonly {
    readonly test: ConditionTest;
    readonly record: (passed: boolean) => void;
  }[];
  /**
   * True if an assertion tests the status. If false, an unexpected status fails the request (see
   * `expected`).
   */
  readonly statusAsserted: boolean;
  /**
   * Reports whether a status is one of the plan's `expected_statuses`. Undefined if the plan does
   * not have this key. Statuses of 400 and above are then unexpected.
   */
  readonly expected: ((status: number) => boolean) | undefined;
}

/** Compiles the extractors, assertions and checks of a request step. */
export function compileActions(request: Request, scope: Scope): ResponseActions {
  const { extract = [], assert = [], checks = [] } = request;
  const compiled = extract.map(compileExtractor);
  const reads = allParts([
    scope.reads,
    ...compiled.map((extractor) => extractor.reads),
    ...[...assert, ...checks].map(partsRead),
  ]);
  return {
    needs: {
      headers: reads.headers,
      body: reads.body && !scope.http.discard_response_bodies,
    },
    extractors: compiled.map(({ take }, i) => ({
      name: extract[i].name,
      index: assignedIndex(scope, extract[i].name),
      take,
      row: compileRow(extract[i], scope),
      record: compileInto(
        extract[i].into,
        staticTags(scope, sampleTags(request.tags ?? {})),
        scope,
      ),
    })),
    asserts: [
      ...assert.map((condition) => ({
        name: conditionName(condition),
        test: observedTest(compileCondition(condition, scope), condition, scope),
        ends: ENDS[condition.on_failure ?? "continue"],
      })),
      ...(scope.required === undefined ? [] : [{ ...scope.required, ends: undefined }]),
    ],
    checks: checks.map((condition) => ({
      test: observedTest(compileCondition(condition, scope), condition, scope),
      record: scope.recorder.check({
        ...staticTags(scope, sampleTags(request.tags ?? {})),
        name: requestName(request),
        check: conditionName(condition),
      }),
    })),
    statusAsserted: assert.some(({ type }) => type === "status"),
    expected: statusTest(scope.http.expected_statuses),
  };
}

function observedTest(
  test: ConditionTest,
  condition: Condition | Assertion,
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

/**
 * Runs the actions on the last response of a VU and records the response. `arrived` is false if the
 * redirect limit was exceeded, so that the last response is still a redirect. Throws FlowEnd if a
 * failed assertion ends the iteration, scenario or run.
 */
export function finishRequest(
  vu: Vu,
  series: RequestSeries,
  actions: ResponseActions,
  arrived: boolean,
): void {
  const { response } = vu.received;
  let fault: Fault;
  let ends: EndScope | undefined;
  if (response.error !== undefined) {
    fault = { kind: response.error, message: response.message ?? response.error };
  } else if (!arrived) fault = { kind: "redirects", message: "too many redirects" };
  for (const extractor of actions.extractors) fault = takeValue(extractor, vu, fault);
  for (const assert of actions.asserts) {
    const failed = testFault(assert, vu);
    fault ??= failed;
    if (failed) ends ??= assert.ends;
  }
  for (const { test, record } of actions.checks) {
    const { passed, unread } = runCheck(test, vu);
    record(passed);
    fault ??= unread;
  }
  const failed = fault !== undefined || !actions.statusAsserted && (
        actions.expected === undefined ? response.status >= 400 : !actions.expected(response.status)
      );
  series.record(response, failed, fault, vu.takeScheduledAt());
  if (failed && vu.received.request) series.keepFailure(vu.received.request, response, fault);
  if (ends !== undefined) throw new FlowEnd(ends);
}

/**
 * Extracts a value and sets the variable. Returns `previous`, the fault of an earlier action, if it
 * is defined. Otherwise, if the extraction failed, returns the fault.
 */
export function takeValue(
  { name, index, take, row, record }: Extraction,
  vu: Vu,
  previous: Fault,
): Fault {
  vu.variables[index] = undefined;
  if (vu.received.response.error !== undefined) return previous;
  try {
    const text = row?.render(vu);
    const value = vu.variables[index] = take(vu.received, vu.random, text);
    if (value !== undefined) return record === undefined ? previous : into(record, value, previous);
    const place = text === undefined ? "" : ` in a row that shows "${text}"`;
    const message = `no value found for the variable "${name}"${place}`;
    return previous ?? { kind: "extract", message };
  } catch (error) {
    return previous ?? unreadable(error, "extract");
  }
}

/** Compiles the `row` option of an extractor, if it has that option. */
export function compileRow(extractor: Extractor, scope: Scope): Extraction["row"] {
  const row = rowTemplate(extractor);
  return row === undefined ? undefined : compileTemplate(row, scope);
}

function into(
  record: NonNullable<Extraction["record"]>,
  value: unknown,
  previous: Fault,
): Fault {
  const message = record(value);
  return message === undefined ? previous : previous ?? { kind: "extract", message };
}

/**
 * Compiles the `into` key of an extractor to a function that records values in the metric `target`,
 * with the tags of the step. Returns undefined if the extractor does not have this key.
 */
export function compileInto(
  target: { readonly metric: string; readonly type: MetricKind } | undefined,
  tags: Readonly<Record<string, string>>,
  { recorder }: Scope,
): Extraction["record"] {
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

function testFault({ name, test }: CompiledAssertion, vu: Vu): Fault {
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
