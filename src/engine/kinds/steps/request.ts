import { conditionName } from "../../../plan/kinds/conditions/condition_name.ts";
import { requestMethod, requestName } from "../../../plan/kinds/steps/request_name.ts";
import type { Request } from "../../../plan/kinds/steps/steps.ts";
import { compileCondition, type ConditionTest } from "../conditions/compile_condition.ts";
import { compileExtractor, type TakeValue } from "../../../extract/compile_extractor.ts";
import type { CheckSeries } from "../../metrics/check_series.ts";
import type { Fault } from "../../metrics/error_log.ts";
import type { RequestSeries } from "../../metrics/request_series.ts";
import type { Origin, Outgoing } from "../../../http/sender.ts";
import { prepareExchange, settleExchange } from "./exchange.ts";
import { type EndScope, FlowEnd, TemplateFault } from "../../vu/flow_end.ts";
import type { Op } from "../../vu/op.ts";
import { compileOutgoing, type MakeOutgoing } from "./outgoing.ts";
import { type Scope, variableIndex } from "../../flow/scope.ts";
import { staticTags } from "../../flow/static_tags.ts";
import { compilePause } from "./think_time.ts";
import type { Vu } from "../../vu/vu.ts";

interface Assert {
  readonly name: string;
  readonly test: ConditionTest;
  readonly ends: EndScope | undefined;
}

interface CompiledExtractor {
  readonly name: string;
  readonly index: number;
  readonly take: TakeValue;
}

/** Compiled actions that run when a request has ended. */
interface ResponseActions {
  readonly extractors: readonly CompiledExtractor[];
  readonly asserts: readonly Assert[];
  readonly checks: readonly { readonly test: ConditionTest; readonly series: CheckSeries }[];
  /**
   * True if an assertion checks the status. Otherwise the request fails if the status is 400 or
   * above.
   */
  readonly statusAsserted: boolean;
}

/**
 * Compiles a request step. A request fails in these cases:
 * - No response arrives, or a variable is not set.
 * - The status is 400 or above, unless an assertion checks the status.
 * - An extraction or assertion fails.
 */
export async function compileRequest(request: Request, scope: Scope): Promise<Op> {
  const tags = {
    ...staticTags(scope, request.tags),
    name: requestName(request),
    method: requestMethod(request),
  };
  const series = scope.recorder.request(tags);
  const make = compileOutgoing(request, scope);
  const after = await compileAfter(request, scope);
  const options = {
    redirects: redirectLimit(request, scope),
    policy: {
      isPlanned: (origin: Origin) => scope.origins.has(origin),
      isSecret: (value: string) => scope.constants.hide(value) !== value,
    },
    series,
    reused: typeof make !== "function",
  };
  const pause = scope.thinkTime === undefined ? undefined : compilePause(scope.thinkTime);
  const { throttle } = scope;
  const exchange: Op = (vu, now) => {
    vu.pauseDue = true;
    const request = prepare(make, vu, series);
    if (request === undefined) return;
    const outgoing = prepareExchange(request, vu, options);
    // `now` is stale if the request had to be rendered.
    const startsAt = outgoing === make ? now : undefined;
    // `.then` instead of `await`: half the cost per request.
    return vu.session.send(outgoing, vu.received.response, startsAt).then(() => {
      const arrived = settleExchange(outgoing, vu, options);
      if (typeof arrived === "boolean") return finish(vu, series, after, arrived);
      return arrived.then((arrived) => finish(vu, series, after, arrived));
    });
  };
  if (pause === undefined && throttle === undefined) return exchange;
  return async (vu) => {
    if (vu.pauseDue) await pause?.(vu);
    await throttle?.(vu);
    await exchange(vu);
  };
}

function redirectLimit(request: Request, { http }: Scope): number | undefined {
  const follows = request.follow_redirects ?? http.follow_redirects ?? true;
  return follows ? http.max_redirects ?? 10 : undefined;
}

async function compileAfter(request: Request, scope: Scope): Promise<ResponseActions> {
  const { extract = [], assert = [], checks = [] } = request;
  return {
    extractors: await Promise.all(extract.map(async (extractor) => ({
      name: extractor.name,
      index: variableIndex(scope, extractor.name),
      take: await compileExtractor(extractor),
    }))),
    asserts: await Promise.all(assert.map(async (condition) => ({
      name: conditionName(condition),
      test: await compileCondition(condition, scope),
      ends: ENDS[condition.on_failure ?? "continue"],
    }))),
    checks: await Promise.all(checks.map(async (condition) => ({
      test: await compileCondition(condition, scope),
      series: scope.recorder.check({
        ...staticTags(scope, request.tags),
        check: conditionName(condition),
      }),
    }))),
    statusAsserted: assert.some(({ type }) => type === "status"),
  };
}

const ENDS: Readonly<Record<string, EndScope | undefined>> = {
  continue: undefined,
  abort_iteration: "iteration",
  abort_scenario: "scenario",
  abort_test: "test",
};

function prepare(make: MakeOutgoing, vu: Vu, series: RequestSeries): Outgoing | undefined {
  if (typeof make !== "function") return make;
  try {
    return make(vu);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    vu.received.empty();
    series.recordUnsent({ kind: "template", message: error.message });
    return undefined;
  }
}

function finish(vu: Vu, series: RequestSeries, after: ResponseActions, arrived: boolean): void {
  const { response } = vu.received;
  let fault: Fault;
  let ends: EndScope | undefined;
  if (response.error !== undefined) {
    fault = { kind: response.error, message: response.message ?? response.error };
  } else if (!arrived) fault = { kind: "redirects", message: "too many redirects" };
  for (const extractor of after.extractors) fault = takeValue(extractor, vu, fault);
  for (const assert of after.asserts) {
    const failed = testFault(assert, vu);
    fault ??= failed;
    if (failed) ends ??= assert.ends;
  }
  for (const { test, series } of after.checks) series.record(passes(test, vu));
  const failed = fault !== undefined || (response.status >= 400 && !after.statusAsserted);
  series.record(response, failed, fault, vu.scheduledAt);
  vu.scheduledAt = NaN;
  if (ends !== undefined) throw new FlowEnd(ends);
}

function takeValue({ name, index, take }: CompiledExtractor, vu: Vu, previous: Fault): Fault {
  vu.variables[index] = undefined;
  if (vu.received.response.error !== undefined) return previous;
  try {
    vu.variables[index] = take(vu.received, vu.random);
    if (vu.variables[index] !== undefined) return previous;
    return previous ?? { kind: "extract", message: `no value found for the variable "${name}"` };
  } catch (error) {
    return previous ?? unreadable(error, "extract");
  }
}

function testFault({ name, test }: Assert, vu: Vu): Fault {
  try {
    return test(vu) ? undefined : { kind: "assert", message: `the assertion failed: ${name}` };
  } catch (error) {
    return unreadable(error, "assert");
  }
}

/** Reports whether a check passes. A check fails if the response cannot be decoded. */
function passes(test: ConditionTest, vu: Vu): boolean {
  try {
    return test(vu);
  } catch (error) {
    if (error instanceof FlowEnd) throw error;
    return false;
  }
}

function unreadable(error: unknown, kind: "extract" | "assert"): NonNullable<Fault> {
  if (error instanceof FlowEnd) throw error;
  const { name, message } = error as Error;
  if (name === "ContentError") return { kind: "body", message };
  return { kind: name === "TemplateFault" ? "template" : kind, message };
}
