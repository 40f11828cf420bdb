import { asText } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import type { Note } from "../convert/notes/notes.ts";
import type { Scenario } from "../plan/kinds/executors.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { hidePasswords } from "../plan/text/user_info.ts";
import { scalarTextCode, templateCode } from "./expressions.ts";
import {
  blockCode,
  callCode,
  commentText,
  dataCode,
  durationCode,
  type Member,
  memberOf,
  objectCode,
  stringLiteral,
} from "./javascript.ts";
import { keepsCookies, optionsCode, runsOnce } from "./k6_options.ts";
import { callbackCode, defaultHeaders } from "./request.ts";
import { type FlowKind, FlowScope, neededBy, Script } from "./scope.ts";
import { stepsCode } from "./steps.ts";

export interface ExportOptions {
  /** Path of the plan for display, or `standard input`. */
  readonly plan: string;
  /** Version of rehearse to name in the script. */
  readonly version: string;
  /** Converts a file path in the plan to a path relative to the script. */
  readonly filePath: (path: string) => string;
}

/** A k6 script, and notes about what differs from the plan. */
export interface Exported {
  readonly text: string;
  readonly notes: readonly Note[];
}

/** Returns the k6 script of a plan. */
export function exportK6(plan: Plan, options: ExportOptions): Exported {
  const script = new Script(plan, options.filePath);
  const functions = new Map(
    Object.keys(plan.scenarios).map((name) => [name, script.names.take(name, "scenario")]),
  );
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]) =>
    flowCode(script, "scenario", name, functions.get(name)!, scenario.flow, scenario)
  );
  const [setup, teardown] = (["setup", "teardown"] as const).map((kind) =>
    plan[kind] === undefined ? "" : flowCode(script, kind, kind, kind, plan[kind])
  );
  const settings = optionsCode(script, functions);
  const body = [setup, ...scenarios, teardown];
  const main = [...constants(script, body.join("\n")), ...data(script), ...body];
  const { imports, helpers } = neededBy([settings, ...main].join("\n"));
  const sections = [firstComment(script, options), imports, settings, ...main, helpers];
  return {
    text: sections.filter((section) => section !== "").join("\n\n") + "\n",
    notes: script.notes,
  };
}

function constants(script: Script, body: string): string[] {
  const { plan } = script;
  const { variables = {}, secrets = {} } = plan;
  const { expected_statuses, timeout } = plan.defaults?.http ?? {};
  const scope = new FlowScope(script, "scenario", "", []);
  const values = Object.entries(variables).map(([name, value]): Member => [
    name,
    typeof value === "string" ? templateCode(value, scope).code : stringLiteral(asText(value)),
  ]);
  const keys = Object.entries(secrets).map(([name, secret]): Member => [
    name,
    "env" in secret ? `env(${stringLiteral(secret.env)})` : `${script.open(secret.file)}.trimEnd()`,
  ]);
  return [
    expected_statuses === undefined
      ? ""
      : `http.setResponseCallback(${callbackCode(expected_statuses)});`,
    values.length === 0 ? "" : `const vars = ${objectCode(values)};`,
    keys.length === 0 ? "" : `const secrets = ${objectCode(keys)};`,
    /\b(?:BASE_URL\b|resolveUrl\()/.test(body) ? baseUrlLine(scope) : "",
    `// Headers and timeout of every request.
const HEADERS = ${objectCode(defaultHeaders(scope))};
const TIMEOUT = ${durationCode(durationMs(timeout ?? "30s")!)};`,
    /\bmultipart\(/.test(body) ? "const BOUNDARY = `rehearse-${crypto.randomUUID()}`;" : "",
  ];
}

function baseUrlLine(scope: FlowScope): string {
  const base = scope.http.base_url?.replace(/[?#].*$/s, "").replace(/\/$/, "");
  const code = base === undefined
    ? 'env("BASE_URL")'
    : `__ENV.BASE_URL || ${scalarTextCode(base, scope).code}`;
  return `// Target of relative URLs; replace it with \`k6 run -e BASE_URL=URL\`.
const BASE_URL = ${code};`;
}

function data(script: Script): string[] {
  const { plan } = script;
  const flows = Object.values(plan.scenarios).flatMap(({ flow }) => [...listSteps(flow)]);
  const visits = new Set(flows.map((step) => step.visits?.data));
  const lines = Object.entries(plan.data ?? {}).flatMap(([name, feeder]) => {
    const rows = script.source(name);
    let code = feeder.type === "inline"
      ? dataCode(feeder.rows)
      : feeder.type === "json"
      ? `JSON.parse(${script.open(feeder.path)})`
      : callCode("parseCsv", [
        script.open(feeder.path),
        stringLiteral(feeder.delimiter ?? ","),
        String(feeder.has_header ?? true),
      ]);
    if (feeder.type === "csv" && (feeder.encoding ?? "utf-8") !== "utf-8") {
      const message = `k6 reads the file as UTF-8, not as ${feeder.encoding}: convert it`;
      script.note("k6-changed", feeder.path, message);
    }
    if (feeder.pick === "shuffle") {
      script.note("k6-changed", `data.${name}`, "the rows are in their order in the data");
    }
    if (visits.has(name)) code = `visitsIn(${code})`;
    const weight = memberOf("row", feeder.weight_column ?? "");
    return [
      `const ${rows} = new ${callCode("SharedArray", [stringLiteral(name), `() => ${code}`])};`,
      ...feeder.pick === "weighted"
        ? [`const ${rows}Weights = ${rows}.map((row) => Number(${weight}));`]
        : [],
    ];
  });
  return [[...lines, ...script.fileLines()].join("\n")];
}

function flowCode(
  script: Script,
  kind: FlowKind,
  name: string,
  functionName: string,
  steps: readonly Step[],
  scenario?: Scenario,
): string {
  const scope = new FlowScope(script, kind, name, steps, scenario);
  if (scenario?.new_user && scope.jar === undefined && keepsCookies(script.plan)) {
    scope.jar = "jar";
    scope.startLines.set("jar", "const jar = new http.CookieJar();");
  }
  const body = stepsCode(steps, scope);
  const variables = [...scope.variables.values()];
  const isFresh = scenario === undefined || scenario.new_user === true || runsOnce(scenario);
  const own = [.../\bres\b/.test(body) ? ["res"] : [], ...isFresh ? variables : []];
  const start = [
    ...scope.startLines.values(),
    ...own.length > 0 ? [`let ${own.join(", ")};`] : [],
    .../\bpauseDue\b/.test(body) ? ["let pauseDue = false;"] : [],
  ].join("\n");
  const result = kind === "setup" && variables.length > 0
    ? `return ${objectCode([...scope.variables])};`
    : "";
  const parameter = kind !== "setup" && /\bsetupData\b/.test(body) ? "setupData" : "";
  const head = `export ${scope.needsAsync ? "async " : ""}function ${functionName}(${parameter})`;
  const code = blockCode(head, [start, body, result].filter((text) => text !== "").join("\n\n"));
  if (isFresh || variables.length === 0) return code;
  return "// A VU keeps these variables from one iteration to the next.\n" +
    `let ${variables.join(", ")};\n\n${code}`;
}

function firstComment(
  { plan: { name, description }, notes }: Script,
  { plan, version }: ExportOptions,
): string {
  const lines = [
    `k6 script of ${name ?? plan}, exported from ${plan} by rehearse ${version}.`,
    ...description === undefined ? [] : [description],
    ...notes.length === 0 ? [] : ["", "What k6 does differently from the plan:"],
    ...notes.map(({ code, subject, message }) => `- ${subject}: ${message} [${code}]`),
  ];
  return lines.map((line) => `// ${hidePasswords(commentText(line))}`.trimEnd()).join("\n");
}
