import { durationMs } from "../../base/format.ts";
import { conditionCode } from "./conditions.ts";
import { extractorCode } from "./extractors.ts";
import type { FlowScope } from "./flow_scope.ts";
import {
  blockCode,
  callCode,
  type Member,
  objectCode,
  secondsText,
  stringLiteral,
} from "./javascript.ts";
import { noteRequest, requestCode, statusListCode, tagMembers, tagsCode } from "./request_code.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";
import { conditionName, requestName } from "../../plan/kinds/names.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step, StepKind } from "../../plan/kinds/steps.ts";
import type { ThinkTime } from "../../plan/kinds/think_time.ts";

/** Value of a step of kind `K`, as written in the plan. */
export type StepValue<K extends StepKind> = NonNullable<Step[K]>;

/** Returns the statements for a list of steps. */
export type WriteSteps = (steps: readonly Step[], scope: FlowScope) => string;

/** Writes steps of kind `K` as JavaScript. `src/plan/kinds/steps` defines their syntax. */
export interface StepWriter<K extends StepKind> {
  /** Returns the statements for a step. Use `writeSteps` for the steps that it contains. */
  write(value: StepValue<K>, scope: FlowScope, writeSteps: WriteSteps): string;
}

/** Writes `think_time` steps as JavaScript. */
export const thinkTimeStep: StepWriter<"think_time"> = {
  write(value, scope) {
    const pause = pauseCode(value, scope);
    const isTracked = scope.pauses === "tracked";
    scope.pauseDue = false;
    return isTracked ? `${pause}\npauseDue = false;` : pause;
  },
};

/** Returns the statement that pauses for a think time. */
export function pauseCode(thinkTime: ThinkTime, scope: FlowScope): string {
  const seconds = secondsCode(thinkTime, scope);
  if (scope.isAsync) return `await ${scope.script.use("pause")}(${seconds});`;
  return `${scope.script.import("k6", "sleep")}(${seconds});`;
}

function secondsCode(thinkTime: ThinkTime, scope: FlowScope): string {
  if (typeof thinkTime !== "object") return secondsText(durationMs(thinkTime)!);
  switch (thinkTime.type) {
    case "constant":
      return secondsText(durationMs(thinkTime.duration)!);
    case "uniform": {
      const [min, max] = [durationMs(thinkTime.min)!, durationMs(thinkTime.max)!];
      return `${secondsText(min)} + Math.random() * ${secondsText(max - min)}`;
    }
    case "gaussian": {
      const [mean, deviation] = [durationMs(thinkTime.mean)!, durationMs(thinkTime.std_dev)!];
      return `${scope.script.use("gaussian")}(${secondsText(mean)}, ${secondsText(deviation)})`;
    }
  }
}

/** Writes `request` steps as JavaScript. */
export const request: StepWriter<"request"> = {
  write(request, scope) {
    noteRequest(request, scope);
    const pause = duePause(scope);
    const { call, needs } = requestCode(request, scope);
    const hoisted = scope.takeHoisted();
    // If the request is not sent, a VU keeps the earlier values of the variables.
    const write = () => actionLines(request, scope);
    const actions = needs.length === 0 ? write() : scope.branch(write);
    const isRead = actions.length > 0 || scope.testsResponses;
    if (isRead) scope.usesResponse = true;
    const send = isRead ? `res = ${call};` : `${call};`;
    const lines = [send, ...actions].join("\n");
    if (needs.length === 0) return [...pause, ...hoisted, lines].join("\n");
    const { script } = scope;
    const guard = script.use(script.recordsFailures ? "canSendOrFail" : "canSend");
    const name = stringLiteral(requestName(request));
    const head = `if (${callCode(guard, [name, ...needs])})`;
    const message = `setup cannot send the request ${
      requestName(request)
    }, because a variable has no value`;
    const otherwise = scope.kind === "setup"
      ? ` ${blockCode("else", `${script.import("k6", "fail")}(${stringLiteral(message)});`)}`
      : scope.testsResponses
      ? ` else {\n  res = ${script.use("noResponse")}();\n}`
      : "";
    return [...pause, ...hoisted, blockCode(head, lines) + otherwise].join("\n");
  },
};

/**
 * Returns the statements that pause for the think time before a request or a WebSocket. They pause
 * only if the iteration has already started a request or a WebSocket, and no `think_time` step has
 * run since.
 */
export function duePause(scope: FlowScope): string[] {
  const { thinkTime, pauses } = scope;
  if (thinkTime === undefined) return [];
  const pause = pauseCode(thinkTime, scope);
  if (pauses === "tracked") return [`if (pauseDue) ${pause}`, "pauseDue = true;"];
  const isDue = scope.pauseDue;
  scope.pauseDue = true;
  return isDue ? [pause] : [];
}

/** Returns the statements that extract values from the response and test it. */
function actionLines(request: Request, scope: FlowScope): string[] {
  const { extract = [], assert = [], checks = [] } = request;
  const { script } = scope;
  const omits = (what: string) => `the script omits the ${what} of \`${requestName(request)}\``;
  const tags = tagsCode(request);
  const variables: string[] = [];
  const lines = extract.map((extractor) => {
    const value = extractorCode(extractor, scope);
    const variable = scope.assign(extractor.name);
    variables.push(variable);
    if (extractor.into !== undefined) {
      script.note("k6-metric", extractor.into.metric, "the script does not record the metric");
    }
    return `${variable} = ${value};`;
  });
  const tests = assert.flatMap((assertion) => {
    const code = conditionCode(
      assertion,
      assertion.type === "status" ? "res" : "r",
      scope,
      omits("assertion"),
    );
    return code === undefined ? [] : [{ assertion, code }];
  });
  lines.push(...checkLines(
    [
      ...tests.filter(({ assertion }) => assertion.type !== "status").map(({ assertion, code }) =>
        [assertion, code] as const
      ),
      ...checks.map((check) => [check, conditionCode(check, "r", scope, omits("check"))] as const),
    ],
    script.tagsChecks
      ? objectCode([["name", stringLiteral(requestName(request))], ...tagMembers(request)])
      : tags,
    scope,
  ));
  const responses = tests.map(({ assertion, code }) => ({
    assertion,
    test: assertion.type === "status"
      ? code
      : conditionCode(assertion, "res", scope, omits("assertion"))!,
  }));
  if (script.recordsFailures || scope.kind === "setup") {
    const conditions = [
      ...(variables.length === 0 ? [] : [`${script.use("isSet")}(${variables.join(", ")})`]),
      ...responses.map(({ test }) => `(${test})`),
    ];
    const isExpected = assert.some(({ type }) => type === "status")
      ? "res.status !== 0"
      : expectedCode(scope);
    const failed = `!(${[isExpected, ...conditions].join(" && ")})`;
    if (scope.kind === "setup") {
      lines.push(endCode(failed, `the setup failed: ${requestName(request)}`, scope));
    } else {
      const members: Member[] = [
        ["name", stringLiteral(requestName(request))],
        ...tagMembers(request),
      ];
      const object = objectCode(members);
      lines.push(`${callCode("requestFailed.add", [failed, object])};`);
    }
  }
  for (const { assertion, test } of responses) lines.push(...abortLines(assertion, test, scope));
  return lines;
}

/** Returns JavaScript code that tests whether a response has an expected status. */
function expectedCode({ http: { expected_statuses } }: FlowScope): string {
  return expected_statuses === undefined
    ? "res.status > 0 && res.status < 400"
    : `(${statusListCode(expected_statuses, "res.status")})`;
}

/**
 * Returns the calls to `check`. Within a call, each name is unique, so that no check replaces
 * another.
 */
function checkLines(
  checks: readonly (readonly [condition: Condition | Assertion, code: string | undefined])[],
  tags: string | undefined,
  scope: FlowScope,
): string[] {
  const calls: Map<string, string>[] = [];
  for (const [condition, code] of checks) {
    if (code === undefined) continue;
    // k6 stores names as UTF-8.
    const name = conditionName(condition).toWellFormed();
    let call = calls.find((known) => !known.has(name));
    if (call === undefined) calls.push(call = new Map());
    call.set(name, `(r) => ${code}`);
  }
  const check = calls.length === 0 ? "check" : scope.script.import("k6", "check");
  return calls.map((call) => {
    const args = ["res", objectCode([...call]), ...tags === undefined ? [] : [tags]];
    return `${callCode(check, args)};`;
  });
}

/**
 * Returns the statement that ends the iteration or the test if an assertion fails. Returns an empty
 * list if a failed assertion ends neither.
 */
function abortLines(
  { on_failure = "continue", ...assertion }: Assertion,
  test: string,
  scope: FlowScope,
) {
  if (on_failure === "continue") return [];
  const message = `the assertion failed: ${conditionName(assertion as Assertion)}`;
  if (on_failure === "abort_iteration") return [endCode(`!(${test})`, message, scope)];
  if (on_failure === "abort_scenario") {
    scope.script.note(
      "k6-abort-scenario",
      conditionName(assertion as Assertion),
      "it ends the test",
    );
  }
  scope.script.import("k6/execution", "default");
  return [`if (!(${test})) exec.test.abort(${stringLiteral(message)});`];
}

function endCode(failed: string, message: string, { script }: FlowScope): string {
  return blockCode(`if (${failed})`, `${script.import("k6", "fail")}(${stringLiteral(message)});`);
}
