import { isMap } from "../../base/exact_number.ts";
import {
  count,
  durationMs,
  formatMs,
  formatNumber,
  percent,
  perSecond,
  plural,
} from "../../base/format.ts";
import { safeJson, safeText } from "../../base/safe_text.ts";
import { readVariables } from "../../plan/expressions/expression.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import { type Request, requestName, socketName } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { ThinkTime } from "../../plan/values/values.ts";
import { requestTexts } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { hideAllPasswords, hidePasswords } from "../../plan/text/user_info.ts";
import { type Command, EXIT } from "../command/command.ts";
import { choice, command, toggle } from "../command/options.ts";
import { commandLine, isNamed, printNext } from "../output/messages.ts";
import { planOrUrl, planToRun } from "../run/plan_to_run.ts";
import { loadFacts, type PlanFacts, planFacts, type ScenarioFacts } from "../run/planned_load.ts";
import { LOAD_CHANGES, PLAN_CHANGES } from "../run/run_options.ts";

export const inspectCommand: Command = command({
  name: "inspect",
  usage: "PLAN [OPTIONS]",
  takes: "files",
  expects: { what: "one plan to inspect (- for standard input)" },
  kindOf: planOrUrl,
  about: [
    "Prints the targets, the expected number of requests, the peak rate, the duration, the files " +
    "and the thresholds of a plan, and draws each flow: `→` marks variables that a request " +
    "extracts, `←` variables that it uses. Sends nothing. `-` is standard input.",
    "Accepts the options of `run` that change the load, and shows their effect.",
    "Exit codes: 0 the plan is valid; 1 the plan is invalid or could not be read; 2 the command line " +
    "is invalid.",
  ],
  options: {
    format: choice(["text", "json"], { default: "text", help: "Format of the output" }),
    all: toggle({ help: "Draw all steps and choices instead of the first 20 of each list" }),
    ...PLAN_CHANGES,
    ...LOAD_CHANGES,
  },
  needs: [],
  examples: {
    "rehearse inspect plan.yaml": "Show what a run would send, and the flow.",
    "rehearse inspect plan.yaml --duration 10m --rate-scale 50":
      "Show the load of a run with these options.",
  },
  async run(given, io) {
    const { format, all, baseUrl, args } = given;
    const [path] = args.positionals;
    const read = await planToRun(path, given, io);
    if (read === undefined) return EXIT.FAILED;
    const { plan } = read;
    const facts = planFacts(plan);
    io.stdout.write(
      format === "json"
        ? safeJson(hideAllPasswords(facts)) + "\n"
        : inspectionText(facts, plan, all),
    );
    if (isNamed(path)) {
      const url = baseUrl ?? (facts.needsBaseUrl ? "http://127.0.0.1:8080" : undefined);
      const target = url === undefined ? [] : ["--base-url", url];
      printNext(commandLine("run", path, ...target, "--once"), args, io);
    }
    return EXIT.OK;
  },
});

const SHOWN = 20;

function inspectionText(facts: PlanFacts, plan: Plan, showsAll: boolean): string {
  const limit = showsAll ? Infinity : SHOWN;
  const lines = [
    facts.name || "Unnamed plan",
    ...table([
      ...loadFacts(facts),
      ["reads", facts.filesRead.join(", ")],
      ["writes", facts.filesWritten.join(", ")],
      [
        "thresholds",
        facts.thresholds.join(", ") || "none: a run fails only if no request gets a response",
      ],
    ]),
  ];
  for (const [title, flow] of [["setup", plan.setup], ["teardown", plan.teardown]] as const) {
    if (flow !== undefined) lines.push("", title, ...drawFlow(flow, limit));
  }
  for (const scenario of facts.scenarios) {
    lines.push("", `${scenario.name} (${scenarioText(scenario)})`);
    lines.push(...drawFlow(plan.scenarios[scenario.name].flow, limit));
  }
  return lines.map((line) => safeText(hidePasswords(line)) + "\n").join("");
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  return rows.filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${name.padEnd(12)}${text}`);
}

function scenarioText(scenario: ScenarioFacts): string {
  const { executor, after, startSeconds, maxVus, iterations, peakRate, requestsPerIteration } =
    scenario;
  const { min, max, mean } = requestsPerIteration;
  const range = min === max
    ? plural(min, "request")
    : mean !== undefined
    ? `${formatNumber(mean)} requests on average`
    : max === Infinity
    ? `at least ${plural(min, "request")}`
    : `${count(min)} to ${plural(max, "request")}`;
  return [
    executor,
    ...(after !== undefined
      ? [`starts after ${after}`]
      : startSeconds > 0
      ? [`starts at ${formatMs(startSeconds * 1_000)}`]
      : []),
    ...(peakRate === undefined ? [plural(maxVus, "VU")] : [`at most ${perSecond(peakRate)}`]),
    ...(iterations === undefined ? [] : [plural(iterations, "iteration")]),
    `${range} per iteration`,
  ].join(", ");
}

/** A line of the diagram of a flow, and the lines nested below it. */
interface Node {
  readonly text: string;
  readonly children?: readonly Node[];
}

/**
 * Draws a flow as a tree, one line per step. A request shows the variables that it extracts (`→`)
 * and those that it uses (`←`). Draws at most the first `limit` steps or choices in each list.
 */
function drawFlow(flow: readonly Step[], limit: number): string[] {
  const extracted = new Set(
    [...listRequests(flow)].flatMap(({ extract = [] }) => extract.map(({ name }) => name)),
  );
  return draw(listNodes(flow, { extracted, limit }), limit);
}

interface Drawing {
  readonly extracted: ReadonlySet<string>;
  readonly limit: number;
}

function draw(nodes: readonly Node[], limit: number): string[] {
  const shown = nodes.length > limit ? nodes.slice(0, limit) : nodes;
  const more = nodes.length - shown.length;
  const all = more > 0 ? [...shown, { text: `… and ${more} more (\`--all\` shows all)` }] : shown;
  return all.flatMap(({ text, children = [] }, i) => {
    const isLast = i === all.length - 1;
    const below = draw(children, limit).map((line) => (isLast ? "   " : "│  ") + line);
    return [(isLast ? "└─ " : "├─ ") + text, ...below];
  });
}

function listNodes(steps: readonly Step[], drawing: Drawing): Node[] {
  return steps.map((step) => stepNode(step, drawing));
}

function stepNode(step: Step, drawing: Drawing): Node {
  const node = (text: string, steps: readonly Step[]): Node => ({
    text,
    children: listNodes(steps, drawing),
  });
  const { group, visits, repeat, foreach, during, retry, parallel, websocket } = step;
  if (step.request) return { text: requestText(step.request, drawing.extracted) };
  if (step.think_time !== undefined) return { text: `pause ${pauseText(step.think_time)}` };
  if (step.random) return randomNode(step.random, drawing);
  if (group) return node(`group ${group.name}`, group.steps);
  if (repeat) return node(`repeat ${repeat.times} times`, repeat.steps);
  if (foreach) return node(`for each ${foreach.as}`, foreach.steps);
  if (step.while) return node("while", step.while.steps);
  if (during) return node(`during ${during.duration}`, during.steps);
  if (retry) return node(`up to ${retry.attempts} attempts`, retry.steps);
  if (websocket) return node(socketName(websocket), websocket.steps);
  if (step.if) {
    const { then, else: other } = step.if;
    const otherwise = other === undefined ? [] : [node("else", other)];
    return { text: "if", children: [...listNodes(then, drawing), ...otherwise] };
  }
  const list = (steps: readonly Step[], name: string) => single(listNodes(steps, drawing), name);
  if (visits) {
    const children = visits.requests.map(({ name, steps }) => list(steps, name));
    return { text: `visits from data.${visits.data}`, children };
  }
  if (parallel) {
    const children = parallel.branches.map((branch, i) => list(branch, `branch ${i + 1}`));
    const count = plural(children.length, "branch").replace("branchs", "branches");
    return { text: `${count} in parallel`, children };
  }
  return { text: Object.keys(step)[0] };
}

/**
 * Returns the node in `nodes` if there is exactly one, otherwise a new node with the text `text`
 * that contains all of `nodes`. The text of the returned node starts with `mark`.
 */
function single(nodes: readonly Node[], text: string, mark = ""): Node {
  if (nodes.length !== 1) return { text: mark + text, children: nodes };
  return { ...nodes[0], text: mark + nodes[0].text };
}

function randomNode(random: NonNullable<Step["random"]>, drawing: Drawing): Node {
  const { strategy = "weighted", choices } = random;
  const weights = choices.map(({ weight }) => strategy === "weighted" ? Number(weight ?? 1) : 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    text: `one of ${plural(choices.length, "choice")}${
      strategy === "round_robin" ? ", in turn" : ""
    }`,
    children: choices.map(({ name, steps }, i) =>
      single(
        listNodes(steps, drawing),
        name ?? `choice ${i + 1}`,
        `${percent(weights[i] / total).padStart(6)}  `,
      )
    ),
  };
}

function requestText(request: Request, extracted: ReadonlySet<string>): string {
  const sets = (request.extract ?? []).map(({ name }) => name);
  const parts = requestTexts(request).flatMap(({ template }) => parseTemplate(template));
  const uses = [...extracted].filter((name) =>
    parts.some((part) => readVariables(part).includes(name))
  );
  return requestName(request) + marked("←", uses) + marked("→", sets);
}

function marked(mark: string, names: readonly string[]): string {
  return names.length === 0 ? "" : `  ${mark} ${[...new Set(names)].join(", ")}`;
}

function pauseText(pause: ThinkTime): string {
  if (!isMap(pause)) return formatMs(durationMs(pause as string | number)!);
  switch (pause.type) {
    case "constant":
      return String(pause.duration);
    case "uniform":
      return `${pause.min} to ${pause.max}`;
    case "gaussian":
      return `about ${pause.mean}`;
  }
}
