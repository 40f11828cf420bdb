import { durationMs } from "../base/format.ts";
import type { Assertion, Condition } from "../plan/kinds/conditions.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { conditionName, type Request, requestName, socketName } from "../plan/kinds/request.ts";
import type { Step, StepKind } from "../plan/kinds/steps.ts";
import type { ThinkTime } from "../plan/values/values.ts";
import { printItems } from "../plan/print.ts";
import { hidePasswords } from "../plan/text/user_info.ts";
import { kindsOf } from "../plan/values/schema_walk.ts";
import { conditionCode, flowConditionCode } from "./conditions.ts";
import { operation, optional, templateCode, valueCode } from "./expressions.ts";
import { extractorCode } from "./extractors.ts";
import {
  base64Code,
  blockCode,
  callCode,
  commentText,
  indent,
  listCode,
  type Member,
  objectCode,
  stringLiteral,
} from "./javascript.ts";
import { headersCode, rangesOf, requestCode, tagMembers, urlCode } from "./request.ts";
import { type FlowScope, NotExported } from "./scope.ts";

/** Writes a step of kind `K` as JavaScript statements. Throws NotExported if it cannot. */
type StepWriter<K extends StepKind> = (value: NonNullable<Step[K]>, scope: FlowScope) => string;

const STEPS: { readonly [K in StepKind]: StepWriter<K> } = {
  request(request, scope) {
    if (request.sse) {
      const message = "k6 reads the whole response, not single events: set a short `timeout`";
      scope.script.note("k6-changed", requestName(request), message);
    }
    if (request.revalidate !== undefined) {
      scope.script.note("k6-omitted", requestName(request), "k6 sends no conditional requests");
    }
    const { call, needs } = requestCode(request, scope);
    const actions = actionLines(request, scope);
    const isRead = actions.length > 0 || scope.testsResponses;
    const sent = [`${isRead ? "res = " : ""}${call};`, ...actions].join("\n");
    if (needs.length === 0) return [...duePause(scope), sent].join("\n");
    const name = requestName(request);
    const guard = blockCode(`if (${callCode("canSend", [stringLiteral(name), ...needs])})`, sent);
    const otherwise = scope.kind === "setup"
      ? ` ${blockCode("else", failCode(`setup cannot send ${name}: a variable has no value`))}`
      : scope.testsResponses
      ? ` ${blockCode("else", "res = noResponse();")}`
      : "";
    return [...duePause(scope), guard + otherwise].join("\n");
  },
  think_time(value, scope) {
    const pause = pauseCode(value, scope);
    return scope.thinkTime === undefined ? pause : `${pause}\npauseDue = false;`;
  },
  set: (values, scope) =>
    Object.entries(values).map(([name, value]) => {
      const js = valueCode(value, scope);
      const isObject = typeof value === "object" && value !== null;
      const code = optional(isObject ? { ...js, code: `withText(${js.code})` } : js);
      return `${scope.variable(name)} = ${code};`;
    }).join("\n"),
  metric: notInK6("metric"),
  foreach: notInK6("foreach"),
  during: notInK6("during"),
  group({ name, steps }, scope) {
    const body = stepsCode(steps, scope);
    // k6 does not support groups that contain asynchronous code.
    return scope.isAsync || isAsynchronous(steps)
      ? `// group: ${commentText(name)}\n${body}`
      : blockCode(`group(${stringLiteral(name)}, () =>`, body) + ");";
  },
  random({ strategy = "weighted", choices }, scope) {
    const index = strategy === "round_robin"
      ? `exec.scenario.iterationInTest % ${choices.length}`
      : `choose(${
        listCode(choices.map(({ weight = 1 }) => strategy === "uniform" ? "1" : String(weight)))
      })`;
    return switchCode(
      index,
      choices.map(({ name, steps }, i) => ({ label: String(i), comment: name, steps })),
      scope,
    );
  },
  visits({ data, max_pause, requests }, scope) {
    const { names } = scope.script;
    const visits = scope.script.source(data);
    const choice = scope.isOpen ? "visitNow" : "randomItem";
    const visit = scope.perIteration(`visit ${data}`, "visit", `${choice}(${visits})`);
    const [due, row] = [names.take("due", "due"), names.take(`${data} row`, "row")];
    scope.rows.set(data, row);
    const longest = max_pause === undefined ? undefined : secondsText(durationMs(max_pause)!);
    const pause = longest === undefined ? `${row}.pause` : `Math.min(${row}.pause, ${longest})`;
    const body = [
      `${due} += ${pause};`,
      `${scope.isAsync ? "await pause" : "sleep"}(Math.max(0, ${due} - Date.now() / 1000));`,
      switchCode(
        `${row}.request`,
        requests.map(({ name, steps }) => ({ label: stringLiteral(name), steps })),
        scope,
      ),
    ].join("\n");
    return `let ${due} = Date.now() / 1000;\n${blockCode(`for (const ${row} of ${visit})`, body)}`;
  },
  repeat: ({ times, steps }, scope) =>
    blockCode(`for (let i = 0; i < ${times}; i++)`, stepsCode(steps, scope)),
  if({ condition, then, else: otherwise }, scope) {
    const test = flowConditionCode(condition, scope);
    const code = blockCode(`if (${test})`, stepsCode(then, scope));
    return otherwise === undefined
      ? code
      : `${code} ${blockCode("else", stepsCode(otherwise, scope))}`;
  },
  while({ condition, max_iterations = 10_000, steps }, scope) {
    const test = flowConditionCode(condition, scope);
    return blockCode(
      `for (let i = 0; i < ${max_iterations} && (${test}); i++)`,
      stepsCode(steps, scope),
    );
  },
  retry({ attempts, backoff = 0, until, required, steps }, scope) {
    const before = stepsCode(steps, scope);
    const test = flowConditionCode(until, scope);
    const name = typeof until === "string"
      ? until
      : "type" in until
      ? conditionName(until)
      : "the condition of `retry` is true";
    const check = required
      ? `${callCode("check", ["res", objectCode([[name, `() => ${test}`]])])};\n`
      : "";
    const end = blockCode(`if (round >= ${attempts} || (${test}))`, `${check}break;`);
    const pause = durationMs(backoff) === 0 ? [] : [pauseCode(backoff, scope)];
    return blockCode("for (let round = 1; ; round++)", [before, end, ...pause].join("\n"));
  },
  parallel({ branches, max = branches.length }, scope) {
    const functions = branches.map((steps) =>
      scope.async(() => {
        const due = scope.thinkTime === undefined ? "" : "let pauseDue = false;\n";
        return blockCode("async () =>", `let res;\n${due}${stepsCode(steps, scope)}`);
      })
    );
    return `await ${callCode("inParallel", [String(max), listCode(functions)])};`;
  },
  websocket(step, scope) {
    const { script } = scope;
    const name = socketName(step);
    const url = urlCode({ url: step.url }, scope);
    const protocols = (step.subprotocols ?? []).map((one) => templateCode(one, scope));
    const headers = headersCode({ url: step.url, headers: step.headers }, undefined, scope);
    const { needs } = operation("", [url, ...protocols, ...headers.values]);
    const own = headers.members.length === 0
      ? "HEADERS"
      : `params("", { headers: ${objectCode(headers.members)} }).headers`;
    const members: Member[] = [
      ["headers", own],
      ["tags", objectCode([...tagMembers(step.tags), ["name", stringLiteral(name)]])],
      ...step.compression ?? scope.http.compression ?? true
        ? [["compression", '"deflate"'] as const]
        : [],
      ...scope.jar === undefined ? [] : [["jar", scope.jar] as const],
    ];
    const variable = script.names.take(step.name ?? "socket", "socket");
    scope.sockets.push({ name, variable });
    const body = scope.async(() => stepsCode(step.steps, scope));
    scope.sockets.pop();
    const call = callCode("await withSocket", [
      `${url.code}.replace(/^http/i, "ws")`,
      listCode(protocols.map(({ code }) => code)),
      objectCode(members),
      blockCode(`async (${variable}) =>`, body),
      ...step.heartbeat === undefined ? [] : [
        objectCode(
          Object.entries(step.heartbeat).map(([key, text]) => [key, stringLiteral(text)]),
        ),
      ],
    ]);
    const guard = callCode("canSend", [stringLiteral(name), ...needs]);
    const code = needs.length === 0 ? `${call};` : blockCode(`if (${guard})`, `${call};`);
    return [...duePause(scope), code].join("\n");
  },
  send(value, scope) {
    const message = typeof value === "string" ? { text: value } : value;
    const socket = socketVariable("socket" in message ? message.socket : undefined, scope);
    if ("base64" in message && message.base64 !== undefined) {
      return `${socket}.send(${base64Code(message.base64)});`;
    }
    const isJson = "json" in message && message.json !== undefined;
    const content = isJson ? valueCode(message.json, scope) : templateCode(message.text!, scope);
    const text = isJson ? `JSON.stringify(${content.code})` : content.code;
    const code = `${socket}.send(${text});`;
    return content.needs.length === 0 ? code : `if (isSet(${content.needs.join(", ")})) ${code}`;
  },
  expect({ socket, condition, timeout, extract = [] }, scope) {
    const test = condition === undefined ? "true" : conditionCode(condition, "r", scope);
    const seconds = secondsText(durationMs(timeout ?? scope.http.timeout ?? "30s")!);
    const wait = `${socketVariable(socket, scope)}.expect((r) => ${test}, ${seconds})`;
    return [`res = await ${wait};`, ...extract.map((one) => extractLine(one, scope))].join("\n");
  },
  wait: (duration, scope) =>
    `await ${socketVariable(undefined, scope)}.wait(${secondsText(durationMs(duration)!)});`,
  close: ({ socket, code = 1000, reason = "" }, scope) =>
    `await ${socketVariable(socket, scope)}.close(${code}, ${stringLiteral(reason)});`,
};

const KINDS = kindsOf(STEPS);

function notInK6(kind: StepKind): (value: unknown) => string {
  return () => {
    throw new NotExported(`scripts have no \`${kind}\``);
  };
}

/**
 * Returns the statements for a list of steps. Steps of several lines have blank lines around them.
 */
export function stepsCode(steps: readonly Step[], scope: FlowScope): string {
  const written = steps.map((step) => {
    const kind = KINDS.find((kind) => step[kind] !== undefined)!;
    const write = STEPS[kind] as (value: unknown, scope: FlowScope) => string;
    return orComment(() => write(step[kind], scope), step, `${scope.name}: ${kind}`, scope);
  });
  return written.map((code, i) => {
    const isApart = i > 0 && (code.includes("\n") || written[i - 1].includes("\n"));
    return isApart ? `\n${code}` : code;
  }).join("\n");
}

function orComment(write: () => string, part: unknown, subject: string, scope: FlowScope): string {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof NotExported)) throw error;
    scope.script.note("k6-omitted", subject, error.message);
    return printItems([part], undefined).split("\n").map((line) => {
      const [space] = /^ */.exec(line)!;
      return `// ${space}${commentText(hidePasswords(line))}`;
    }).join("\n");
  }
}

function isAsynchronous(steps: readonly Step[]): boolean {
  return [...listSteps(steps)].some(({ parallel, websocket }) => parallel ?? websocket);
}

/** A case of a switch statement: its label as code, an optional comment, and its steps. */
interface Case {
  readonly label: string;
  readonly comment?: string | undefined;
  readonly steps: readonly Step[];
}

function switchCode(value: string, cases: readonly Case[], scope: FlowScope): string {
  const written = cases.map(({ label, comment, steps }) => {
    const head = `case ${label}: {${comment === undefined ? "" : ` // ${commentText(comment)}`}`;
    return `${head}\n${indent(`${stepsCode(steps, scope)}\nbreak;`)}\n}`;
  });
  return `switch (${value}) {\n${indent(written.join("\n"))}\n}`;
}

function socketVariable(name: string | undefined, { sockets }: FlowScope): string {
  return sockets.findLast((socket) => name === undefined || socket.name === name)!.variable;
}

function pauseCode(thinkTime: ThinkTime, scope: FlowScope): string {
  const seconds = secondsCode(thinkTime);
  return scope.isAsync ? `await pause(${seconds});` : `sleep(${seconds});`;
}

/** Formats milliseconds as a number of seconds, the unit of `sleep` in k6. */
function secondsText(ms: number): string {
  return String(Number((ms / 1_000).toFixed(9)));
}

function secondsCode(thinkTime: ThinkTime): string {
  const seconds = (duration: string | number) => secondsText(durationMs(duration)!);
  if (typeof thinkTime !== "object") return seconds(thinkTime);
  switch (thinkTime.type) {
    case "constant":
      return seconds(thinkTime.duration);
    case "uniform": {
      const [min, max] = [durationMs(thinkTime.min)!, durationMs(thinkTime.max)!];
      return `${secondsText(min)} + Math.random() * ${secondsText(max - min)}`;
    }
    case "gaussian":
      return `gaussian(${seconds(thinkTime.mean)}, ${seconds(thinkTime.std_dev)})`;
  }
}

/**
 * Returns the statements that pause for the think time before a request or a WebSocket, if the
 * iteration has sent a request since its start and since the last `think_time` step.
 */
function duePause(scope: FlowScope): string[] {
  if (scope.thinkTime === undefined) return [];
  return [`if (pauseDue) ${pauseCode(scope.thinkTime, scope)}`, "pauseDue = true;"];
}

function extractLine(extractor: Extractor, scope: FlowScope): string {
  const { name, into } = extractor;
  const { script } = scope;
  if (into !== undefined) {
    script.note("k6-omitted", into.metric, "the script does not record the metric");
  }
  return orComment(
    () => `${scope.variable(name)} = ${extractorCode(extractor, scope)};`,
    extractor,
    name,
    scope,
  );
}

/** A condition, its code, and its kind. A failed assertion fails the request. */
interface Test {
  readonly condition: Condition | Assertion;
  readonly code: string;
  readonly isAssertion: boolean;
}

function actionLines(request: Request, scope: FlowScope): string[] {
  const { extract = [], assert = [], checks = [] } = request;
  const { script } = scope;
  const name = requestName(request);
  const tags = tagMembers(request.tags);
  const lines = extract.map((one) => extractLine(one, scope));
  const tests: Test[] = [];
  for (const condition of [...assert, ...checks]) {
    const isAssertion = (assert as readonly unknown[]).includes(condition);
    const write = () => {
      tests.push({ condition, code: conditionCode(condition, "r", scope), isAssertion });
      return "";
    };
    const comment = orComment(write, condition, `${name}: ${conditionName(condition)}`, scope);
    if (comment !== "") lines.push(comment);
  }
  lines.push(...checkLines(
    tests.filter(({ condition, isAssertion }) => !isAssertion || condition.type !== "status"),
    tags,
  ));
  const assertions = tests.filter(({ isAssertion }) => isAssertion);
  const onRes = (condition: Condition) => conditionCode(condition, "res", scope);
  if (scope.kind === "setup") {
    const variables = extract.map((one) => scope.variable(one.name));
    const passed = [
      assert.some(({ type }) => type === "status") ? "res.status !== 0" : expectedCode(scope),
      ...variables.length === 0 ? [] : [`isSet(${variables.join(", ")})`],
      ...assertions.map(({ condition }) => `(${onRes(condition)})`),
    ];
    lines.push(
      blockCode(`if (!(${passed.join(" && ")}))`, failCode(`the setup failed: ${name}`)),
    );
  }
  for (const { condition } of assertions) {
    const { on_failure = "continue" } = condition as Assertion;
    if (on_failure === "continue") continue;
    const message = `the assertion failed: ${conditionName(condition)}`;
    if (on_failure === "abort_scenario") {
      script.note("k6-changed", conditionName(condition), "a failed assertion ends the whole test");
    }
    const end = on_failure === "abort_iteration"
      ? failCode(message)
      : `exec.test.abort(${stringLiteral(message)});`;
    lines.push(blockCode(`if (!(${onRes(condition)}))`, end));
  }
  return lines;
}

function failCode(message: string): string {
  return `fail(${stringLiteral(message)});`;
}

function expectedCode({ http: { expected_statuses } }: FlowScope): string {
  if (expected_statuses === undefined) return "res.status > 0 && res.status < 400";
  const ranges = rangesOf(expected_statuses).map(([from, to]) =>
    from === to ? `res.status === ${from}` : `res.status >= ${from} && res.status <= ${to}`
  );
  return `(${ranges.join(" || ")})`;
}

/** Equal names are in different calls, because a check replaces another of its name. */
function checkLines(tests: readonly Test[], tags: readonly Member[]): string[] {
  const calls: Map<string, string>[] = [];
  for (const { condition, code } of tests) {
    const name = conditionName(condition);
    let call = calls.find((known) => !known.has(name));
    if (call === undefined) calls.push(call = new Map());
    call.set(name, `(r) => ${code}`);
  }
  const more = tags.length === 0 ? [] : [objectCode(tags)];
  return calls.map((call) => `${callCode("check", ["res", objectCode([...call]), ...more])};`);
}
