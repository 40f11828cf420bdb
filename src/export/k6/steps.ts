import { durationMs } from "../../base/format.ts";
import { conditionCode, flowConditionCode } from "./conditions.ts";
import { expressionCode } from "./expression_code.ts";
import { extractorCode } from "./extractors.ts";
import type { FlowScope } from "./flow_scope.ts";
import { defaultHeaders, headersCode } from "./headers_code.ts";
import {
  base64Literal,
  blockCode,
  callCode,
  commentText,
  indent,
  listCode,
  type Member,
  objectCode,
  secondsText,
  stringLiteral,
} from "./javascript.ts";
import { optional } from "./js_value.ts";
import {
  duePause,
  pauseCode,
  request,
  type StepValue,
  type StepWriter,
  thinkTimeStep,
} from "./request.ts";
import { dataCode } from "./rows.ts";
import { templateCode, valueCode } from "./template_code.ts";
import { urlCode } from "./url_code.ts";
import type { FlowCondition } from "../../plan/kinds/flow_conditions.ts";
import { listSteps } from "../../plan/kinds/list_requests.ts";
import { conditionName, socketName } from "../../plan/kinds/names.ts";
import type { Step, StepKind } from "../../plan/kinds/steps.ts";
import { printItems } from "../../plan/print.ts";
import { sampleTags } from "../../plan/text/tags.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { kindsOf } from "../../plan/values/schema_walk.ts";

/** Writer for each kind of step. */
const STEPS: { readonly [K in StepKind]: StepWriter<K> } = {
  request,
  think_time: thinkTimeStep,
  set: {
    write: (values, scope) =>
      Object.entries(values).map(([name, value]) => {
        const code = optional(valueCode(value, scope), scope);
        return `${scope.assign(name)} = ${code};`;
      }).join("\n"),
  },
  metric: omit("metric"),
  // k6 does not support groups that contain asynchronous code.
  group: {
    write({ name, steps }, scope, writeSteps) {
      const isAsync = scope.isAsync || isAsynchronous(steps);
      const body = writeSteps(steps, scope);
      if (isAsync) {
        scope.script.note("k6-group", name, "k6 runs the steps outside of a group");
        return `// group: ${commentText(name)}\n${body}`;
      }
      const call = scope.script.import("k6", "group");
      return `${call}(${stringLiteral(name)}, () => {\n${indent(body)}\n});`;
    },
  },
  random: {
    write({ strategy = "weighted", choices }, scope, writeSteps) {
      const { script } = scope;
      const weights = choices.map(({ weight = 1 }) => strategy === "uniform" ? 1 : weight);
      const cases = choices.map(({ name, steps }, i) => {
        const comment = name === undefined ? "" : ` // ${commentText(name)}`;
        const body = scope.branch(() => writeSteps(steps, scope));
        return `case ${i}: {${comment}\n${indent(`${body}\nbreak;`)}\n}`;
      });
      const index = strategy === "round_robin"
        ? roundRobin(choices.length)
        : `${script.use("choose")}(${listCode(weights.map(String))})`;
      return `switch (${index}) {\n${indent(cases.join("\n"))}\n}`;

      function roundRobin(count: number): string {
        script.note("k6-round-robin", scope.name, "the iteration number selects the choice");
        if (scope.kind !== "scenario") return "0";
        script.import("k6/execution", "default");
        return `exec.scenario.iterationInTest % ${count}`;
      }
    },
  },
  visits: omit("visits"),
  repeat: {
    write({ times, steps }, scope, writeSteps) {
      const body = scope.branch(() => writeSteps(steps, scope));
      return blockCode(`for (let i = 0; i < ${times}; i++)`, body);
    },
  },
  foreach: {
    write({ items, as, steps }, scope, writeSteps) {
      const list = listOf();
      const item = scope.assign(as);
      const body = scope.withItem(as, () => writeSteps(steps, scope));
      return blockCode(`for (${item} of ${list})`, body);

      function listOf(): string {
        if (typeof items !== "string") return dataCode(items, scope.script);
        const [expression, ...more] = parseTemplate(items);
        if (more.length > 0 || expression.kind === "text") return "[]";
        return `${scope.script.use("listIn")}(${
          optional(expressionCode(expression, scope), scope)
        })`;
      }
    },
  },
  if: {
    write({ condition, then, else: otherwise }, scope, writeSteps) {
      const test = flowConditionCode(condition, scope);
      const code = blockCode(`if (${test})`, scope.branch(() => writeSteps(then, scope)));
      if (otherwise === undefined) return code;
      return `${code} ${blockCode("else", scope.branch(() => writeSteps(otherwise, scope)))}`;
    },
  },
  while: {
    write({ condition, max_iterations = 10_000, steps }, scope, writeSteps) {
      const test = flowConditionCode(condition, scope);
      const body = scope.branch(() => writeSteps(steps, scope));
      return blockCode(`for (let i = 0; i < ${max_iterations} && (${test}); i++)`, body);
    },
  },
  during: omit("during"),
  retry: {
    write({ attempts, backoff = 0, until, required, steps }, scope, writeSteps) {
      const body = scope.branch(() => {
        const before = writeSteps(steps, scope);
        const test = flowConditionCode(until, scope);
        const pause = durationMs(backoff) === 0 ? [] : [pauseCode(backoff, scope)];
        const end = `if (round >= ${attempts} || (${test})) `;
        const ending = required
          ? blockCode(end.trimEnd(), `${checkCode(until, test, scope)}\nbreak;`)
          : `${end}break;`;
        return [before, ending, ...pause].join("\n");
      });
      return blockCode("for (let round = 1; ; round++)", body);
    },
  },
  parallel: {
    write({ branches, max = branches.length }, scope, writeSteps) {
      const functions = branches.map((steps) =>
        scope.parallelBranch(() => {
          const body = writeSteps(steps, scope);
          const declarations = [
            ...(scope.usesResponse ? ["let res;"] : []),
            ...(scope.pauses === "tracked" ? ["let pauseDue = false;"] : []),
          ];
          return blockCode("async () =>", [...declarations, body].join("\n"));
        })
      );
      const call = scope.script.use("inParallel");
      return `await ${callCode(call, [String(max), listCode(functions)])};`;
    },
  },
  websocket: {
    write(step, scope, writeSteps) {
      const { script } = scope;
      const name = socketName(step);
      script.note("k6-websocket", name, "k6 counts WebSocket sessions in separate metrics");
      const pause = duePause(scope);
      const url = urlCode({ url: step.url }, scope);
      const protocols = (step.subprotocols ?? []).map((one) => templateCode(one, scope));
      const headers = headersCode(
        { url: step.url, headers: step.headers },
        undefined,
        defaultHeaders(scope),
        scope,
      );
      const needs = [url, ...protocols, ...headers.values].flatMap((value) => value.needs);
      const tags = Object.entries(sampleTags(step.tags ?? {})).map((
        [tag, value],
      ): Member => [tag, stringLiteral(String(value))]);
      const members: Member[] = [
        ["headers", headers.code === undefined ? "HEADERS" : withDefaults(headers.code)],
        ["tags", objectCode([...tags, ["name", stringLiteral(name)]])],
      ];
      if (step.compression ?? scope.http.compression ?? true) {
        members.push(["compression", "'deflate'"]);
      }
      if (scope.jar !== undefined) members.push(["jar", scope.jar]);
      const variable = scope.names.take(step.name ?? "socket", "socket");
      const body = scope.withSocket(name, variable, () => writeSteps(step.steps, scope));
      const target = url.fails ? optional(url, scope) : url.code;
      const call = callCode(`await ${script.use("withSocket")}`, [
        `${script.use("socketUrl")}(${target})`,
        listCode(protocols.map(({ code }) => code)),
        objectCode(members),
        blockCode(`async (${variable}) =>`, body),
      ]);
      if (needs.length === 0) return [...pause, `${call};`].join("\n");
      const guard = callCode(script.use("canSend"), [stringLiteral(name), ...new Set(needs)]);
      return [...pause, blockCode(`if (${guard})`, `${call};`)].join("\n");
    },
  },
  send: {
    write(value, scope) {
      const { script } = scope;
      const message = typeof value === "string" ? { text: value } : value;
      const socket = scope.socket("socket" in message ? message.socket : undefined);
      if ("base64" in message && message.base64 !== undefined) {
        const decode = script.import("k6/encoding", "b64decode");
        return `${socket}.send(${decode}(${base64Literal(message.base64)}));`;
      }
      const isJson = "json" in message && message.json !== undefined;
      const content = isJson
        ? valueCode(message.json, scope)
        : templateCode(message.text ?? "", scope);
      const text = isJson ? `JSON.stringify(${content.code})` : content.code;
      const sent = content.fails ? optional({ ...content, code: text }, scope) : text;
      const code = `${socket}.send(${sent});`;
      if (content.needs.length === 0) return code;
      return `if (${script.use("isSet")}(${content.needs.join(", ")})) ${code}`;
    },
  },
  expect: {
    write({ socket, condition, timeout, extract = [] }, scope) {
      const consequence = "the script waits for a message in vain";
      const test = condition === undefined
        ? "true"
        : conditionCode(condition, "r", scope, consequence) ?? "false";
      const seconds = secondsText(durationMs(timeout ?? scope.http.timeout ?? "30s")!);
      scope.usesResponse = true;
      const lines = extract.map((extractor) => {
        const value = extractorCode(extractor, scope);
        return `${scope.assign(extractor.name)} = ${value};`;
      });
      const parameter = condition === undefined ? "()" : "(r)";
      const wait = `await ${scope.socket(socket)}.expect(${parameter} => ${test}, ${seconds})`;
      return [`res = ${wait};`, ...lines].join("\n");
    },
  },
  wait: {
    write: (duration, scope) =>
      `await ${scope.socket(undefined)}.wait(${secondsText(durationMs(duration)!)});`,
  },
  close: {
    write: ({ socket, code = 1000, reason = "" }, scope) =>
      `await ${scope.socket(socket)}.close(${code}, ${stringLiteral(reason)});`,
  },
};

const KINDS = kindsOf(STEPS);

/**
 * Writes a kind of step that scripts do not contain as a comment with its YAML, so that the reader
 * of the script can add the code.
 */
function omit<K extends StepKind>(kind: K): StepWriter<K> {
  return {
    write(value, { script, name }) {
      script.note("k6-step", `${name}: ${kind}`, "the script has the step only as a comment");
      return printItems([{ [kind]: value }], undefined).split("\n").map((line) => {
        const [space] = /^ */.exec(line)!;
        return `// ${space}${commentText(hidePasswords(line))}`;
      }).join("\n");
    },
  };
}

/**
 * Returns the statements for a list of steps. Adds a blank line before and after the statements of
 * a step if they span several lines.
 */
export function stepsCode(steps: readonly Step[], scope: FlowScope): string {
  const written = steps.map((step) => {
    const kind = KINDS.find((kind) => step[kind] !== undefined)!;
    return writeStep(kind, step[kind]!, scope);
  }).filter((code) => code !== "");
  return written.map((code, i) => {
    const isApart = i > 0 && (code.includes("\n") || written[i - 1].includes("\n"));
    return isApart ? `\n${code}` : code;
  }).join("\n");
}

function writeStep<K extends StepKind>(kind: K, value: StepValue<K>, scope: FlowScope): string {
  return STEPS[kind].write(value, scope, stepsCode);
}

/** Returns the statement that records, as a check, whether the condition of a step became true. */
function checkCode(until: FlowCondition, test: string, scope: FlowScope): string {
  const name = typeof until === "string"
    ? until
    : "type" in until
    ? conditionName(until)
    : "the `retry` condition is true";
  scope.usesResponse = true;
  scope.script.note("k6-assertions", name, "the script turns the assertion into a check");
  const checks = objectCode([[name.toWellFormed(), `() => ${test}`]]);
  return `${callCode(scope.script.import("k6", "check"), ["res", checks])};`;
}

/**
 * Returns the JavaScript code that combines the default headers with the headers in `code`. Headers
 * whose value is null are removed.
 */
function withDefaults(code: string): string {
  return `params('', { headers: ${code} }).headers`;
}

/** Reports whether any of the steps, including nested ones, requires asynchronous code. */
function isAsynchronous(steps: Parameters<typeof listSteps>[0]): boolean {
  return [...listSteps(steps)].some(({ parallel, websocket }) => parallel ?? websocket);
}
