import { asText } from "../../base/exact_json.ts";
import { durationMs } from "../../base/format.ts";
import { type Note, noteLevel } from "../../convert/notes/note.ts";
import { type FlowKind, FlowScope } from "./flow_scope.ts";
import { defaultHeaders } from "./headers_code.ts";
import {
  blockCode,
  commentText,
  formatDuration,
  type Member,
  objectCode,
  stringLiteral,
} from "./javascript.ts";
import { keepsCookies, optionsCode, runsOnce } from "./options.ts";
import { expectedStatusesCode } from "./request_code.ts";
import { dataLines } from "./rows.ts";
import { Script } from "./script.ts";
import { stepsCode } from "./steps.ts";
import { templateCode } from "./template_code.ts";
import { recordsFailures, selectsCheckRequest } from "./thresholds.ts";
import type { Exported, ExportOptions } from "../target/export_target.ts";
import type { Scenario } from "../../plan/kinds/executors.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";

/** Returns the k6 script of a plan, and notes about how the script differs from the plan. */
export function exportK6(plan: Plan, options: ExportOptions): Exported {
  const script = new Script(
    plan,
    options.filePath,
    recordsFailures(plan),
    selectsCheckRequest(plan),
  );
  const functions = new Map(
    Object.keys(plan.scenarios).map((name) => [name, script.names.take(name, "scenario")]),
  );
  const flows = [
    ...(plan.setup ? [flowCode("setup", "setup", plan.setup, script)] : []),
    ...Object.entries(plan.scenarios).map(([name, scenario]) =>
      scenarioCode(name, functions.get(name)!, scenario, script)
    ),
    ...(plan.teardown ? [flowCode("teardown", "teardown", plan.teardown, script)] : []),
  ];
  if ((plan.setup ?? plan.teardown) && plan.thresholds) {
    script.note(
      "k6-setup-metrics",
      "setup, teardown",
      "k6 includes the requests of `setup` and `teardown` in its metrics",
    );
  }
  if (plan.outputs) script.note("k6-output", "outputs", "pass them to k6 with `--out`");
  const body = flows.join("\n\n");
  const constants = constantLines(script, body);
  const settings = optionsCode(script, functions);
  const failed = script.recordsFailures
    ? `const requestFailed = new ${script.import("k6/metrics", "Rate")}('request_failed');`
    : "";
  const data = [...dataLines(script), ...script.fileLines()];
  const helpers = [
    ...(/\bparams\(/.test(body) ? [paramsHelper(script)] : []),
    ...script.helperSources(),
  ];
  const sections = [
    commentLines(plan, script.notes(), options),
    script.importLines().join("\n"),
    settings,
    callbackLine(script),
    constants.join("\n\n"),
    failed,
    data.join("\n"),
    body,
    helpers.join("\n\n"),
  ];
  return {
    text: sections.filter((section) => section !== "").join("\n\n") + "\n",
    notes: script.notes(),
  };
}

function callbackLine(script: Script): string {
  const list = script.plan.defaults?.http?.expected_statuses;
  if (list === undefined) return "";
  script.import("k6/http", "default");
  return `http.setResponseCallback(${expectedStatusesCode(list)});`;
}

/** Returns the declarations of the values that do not change during a test. */
function constantLines(script: Script, body: string): string[] {
  const { plan } = script;
  const scope = new FlowScope(script, "scenario", "", []);
  const lines: string[] = [];
  const variables = Object.entries(plan.variables ?? {}).map(([name, value]): Member => [
    name,
    typeof value === "string" ? templateCode(value, scope).code : stringLiteral(asText(value)),
  ]);
  if (variables.length > 0) lines.push(`const vars = ${objectCode(variables)};`);
  const secrets = Object.entries(plan.secrets ?? {}).map(([name, secret]): Member => [
    name,
    "env" in secret
      ? `${script.use("env")}(${stringLiteral(secret.env)})`
      : `open(${stringLiteral(script.scriptPath(secret.file))}).trimEnd()`,
  ]);
  if (secrets.length > 0) lines.push(`const secrets = ${objectCode(secrets)};`);
  if (/\bBASE_URL\b/.test(body) || usesHelper(script, "resolveUrl")) lines.push(baseUrlLine(scope));
  if (/\b(?:params\(|HEADERS\b)/.test(body)) {
    const { members } = defaultHeaders(scope);
    lines.push(`// Headers of every request.\nconst HEADERS = ${objectCode(members)};`);
  }
  if (usesHelper(script, "multipart")) {
    lines.push("const BOUNDARY = `rehearse-${crypto.randomUUID()}`;");
  }
  return lines;
}

function usesHelper(script: Script, name: string): boolean {
  return script.helperSources().some((source) => source.includes(`function ${name}(`));
}

function baseUrlLine({ http: { base_url }, script, ...scope }: FlowScope): string {
  const line = (code: string) =>
    `// Target of relative URLs; replace it with \`k6 run -e BASE_URL=URL\`.\nconst BASE_URL = ${code};`;
  if (base_url === undefined) return line(`${script.use("env")}('BASE_URL')`);
  const trimmed = base_url.replace(/[?#].*$/s, "").replace(/\/$/, "");
  if (!trimmed.includes("${")) return line(`__ENV.BASE_URL || ${stringLiteral(trimmed)}`);
  const flow = new FlowScope(script, scope.kind, scope.name, []);
  return line(`__ENV.BASE_URL || ${templateCode(trimmed, flow).code}`);
}

/** Returns the code of the script function that builds the parameters of requests. */
function paramsHelper({ plan }: Script): string {
  const timeout = formatDuration(durationMs(plan.defaults?.http?.timeout ?? "30s")!);
  return `// Returns the parameters of a request: its name in metrics, and what differs from the defaults.
// A header that is null is not sent.
function params(name, { headers, tags, ...more } = {}) {
  const all = Object.entries({ ...HEADERS, ...headers });
  return {
    timeout: '${timeout}',
    ...more,
    headers: Object.fromEntries(all.filter(([, value]) => value !== null)),
    tags: { ...tags, name },
  };
}`;
}

function scenarioCode(
  name: string,
  functionName: string,
  scenario: Scenario,
  script: Script,
): string {
  const { plan } = script;
  const flow = new FlowScope(script, "scenario", name, scenario.flow, scenario.think_time);
  if (plan.defaults?.http?.cookies === false) flow.jar = "new http.CookieJar()";
  else if (scenario.new_user && keepsCookies(plan)) {
    flow.jar = "jar";
    flow.startLines.set("jar", "const jar = new http.CookieJar();");
  }
  if (scenario.pacing !== undefined) {
    script.note(
      "k6-pacing",
      `scenarios.${name}.pacing`,
      "k6 counts the wait for the next start as part of the iteration",
    );
    const seconds = Number((1 / scenario.pacing.iterations_per_second).toFixed(9));
    const code = `${script.use("keepPace")}(${stringLiteral(name)}, ${seconds});`;
    flow.startLines.set("pace", code);
  }
  const isFresh = scenario.new_user === true || runsOnce(scenario);
  return functionCode(functionName, scenario.flow, flow, isFresh);
}

function flowCode(
  functionName: string,
  kind: FlowKind,
  steps: readonly Step[],
  script: Script,
): string {
  const flow = new FlowScope(script, kind, functionName, steps);
  if (script.plan.defaults?.http?.cookies === false) flow.jar = "new http.CookieJar()";
  return functionCode(functionName, steps, flow, true);
}

/**
 * Returns the code for the function of a flow. If `isFresh` is false, variables that an iteration
 * may read before it sets them are declared outside the function, so that a VU keeps them between
 * iterations.
 */
function functionCode(
  name: string,
  steps: readonly Step[],
  scope: FlowScope,
  isFresh: boolean,
): string {
  const body = stepsCode(steps, scope);
  const variables = [...scope.variables()];
  const kept = isFresh ? [] : variables.filter(([plan]) => scope.persistent.has(plan));
  const own = variables.filter((pair) => !kept.includes(pair)).map(([, variable]) => variable);
  const declared = [...(scope.usesResponse ? ["res"] : []), ...own];
  const results = scope.kind === "setup" && variables.length > 0
    ? [`return ${objectCode(variables)};`]
    : [];
  const lines = [
    ...scope.startLines.values(),
    ...(declared.length > 0 ? [`let ${declared.join(", ")};`] : []),
    ...(scope.pauses === "tracked" ? ["let pauseDue = false;"] : []),
  ];
  const data = scope.kind !== "setup" && /\bsetupData\b/.test(body) ? "setupData" : "";
  const head = `export ${scope.needsAsync ? "async " : ""}function ${name}(${data})`;
  const comment = kept.length === 0
    ? ""
    : `// A VU keeps these variables from one iteration to the next.\n` +
      `let ${kept.map(([, variable]) => variable).join(", ")};\n\n`;
  const sections = [lines.join("\n"), body, ...results].filter((text) => text !== "");
  return comment + blockCode(head, sections.join("\n\n"));
}

/** Maximum number of notes in a script's first comment. Warnings are listed beyond this limit. */
const MAX_NOTES = 20;

/**
 * Returns the comment at the start of a script: the plan, the version of rehearse, and the
 * differences between how k6 runs the script and how rehearse runs the plan.
 */
function commentLines(
  { name, description }: Plan,
  notes: readonly Note[],
  { plan, version }: ExportOptions,
): string {
  const lines = [
    `k6 script of ${commentText(name ?? plan)}, exported from ${
      commentText(plan)
    } by rehearse ${version}.`,
    ...(description === undefined ? [] : [commentText(description)]),
  ];
  const isWarning = (note: Note) => noteLevel(note) === "warning";
  const sorted = [...notes.filter(isWarning), ...notes.filter((note) => !isWarning(note))];
  const groups = [...Map.groupBy(sorted, ({ code, message }) => `${code} ${message}`).values()];
  if (groups.length > 0) lines.push("", "What k6 does differently from the plan:");
  // Warnings are always listed, because they can concern parts of the plan that the script omits.
  const shown = groups.filter(([note], i) => i < MAX_NOTES || isWarning(note));
  for (const [note, ...others] of shown) {
    const mark = isWarning(note) ? "warning: " : "";
    const subject = commentText(note.subject);
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    lines.push(commentText(`- ${mark}${subject}${more}: ${note.message} [${note.code}]`));
  }
  if (groups.length > shown.length) lines.push(`- ${groups.length - shown.length} more`);
  return lines.map((line) => `// ${hidePasswords(line)}`.trimEnd()).join("\n");
}
