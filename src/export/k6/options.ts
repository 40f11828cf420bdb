import { durationMs } from "../../base/format.ts";
import type { Scenario } from "../../plan/kinds/executors.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { allFlows, listRequests } from "../../plan/kinds/list_requests.ts";
import { formatDuration, type Member, objectCode, stringLiteral } from "./javascript.ts";
import { executorOptions, plannedMs } from "./executors.ts";
import { removesUserAgent } from "./headers_code.ts";
import type { Script } from "./script.ts";
import { thresholdMembers } from "./thresholds.ts";

/** Names of the script functions that run the scenarios, by scenario name. */
export type ScenarioFunctions = ReadonlyMap<string, string>;

/** Returns the code that declares the script's options. */
export function optionsCode(script: Script, functions: ScenarioFunctions): string {
  const { plan } = script;
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]): Member => [
    name,
    objectCode([
      ...executorOptions(scenario),
      ...scenarioOptions(name, scenario, script),
      ["exec", `'${functions.get(name)}'`],
    ]),
  ]);
  const thresholds = thresholdMembers(script);
  const members: Member[] = [
    ["scenarios", objectCode(scenarios)],
    ...(thresholds.length === 0 ? [] : [["thresholds", objectCode(thresholds)] as const]),
    ...httpOptions(script),
    ...tagsOption(plan.defaults?.tags),
    ...throttleOption(script),
    ...(plan.setup ? [["setupTimeout", "'10m'"] as const] : []),
    ...(plan.teardown ? [["teardownTimeout", "'10m'"] as const] : []),
  ];
  return `export const options = ${objectCode(members)};`;
}

function scenarioOptions(name: string, scenario: Scenario, script: Script): Member[] {
  const { graceful_stop, tags } = scenario;
  if (
    scenario.executor === "recorded-arrivals" ||
    "arrivals" in scenario && scenario.arrivals === "poisson"
  ) {
    const message = "k6 starts iterations at equal intervals";
    script.note("k6-arrivals", `scenarios.${name}`, message);
  }
  const start = startMs(name, script.plan);
  if (scenario.after !== undefined) {
    const time = formatDuration(start);
    script.note(
      "k6-after",
      `scenarios.${name}.after`,
      `the scenario starts ${time} after the start of the test`,
    );
  }
  return [
    ...(start > 0 ? [["startTime", `'${formatDuration(start)}'`] as const] : []),
    ...(graceful_stop === undefined
      ? []
      : [["gracefulStop", `'${formatDuration(durationMs(graceful_stop)!)}'`] as const]),
    ...tagsOption(tags),
  ];
}

/** Returns the planned start of a scenario in milliseconds after the start of the run. */
function startMs(name: string, plan: Plan): number {
  const { after, start_time = 0 } = plan.scenarios[name];
  const delay = durationMs(start_time)!;
  return after === undefined
    ? delay
    : startMs(after, plan) + plannedMs(plan.scenarios[after]) + delay;
}

function tagsOption(tags: Readonly<Record<string, unknown>> = {}): Member[] {
  const members = Object.entries(tags).map((
    [tag, value],
  ): Member => [tag, stringLiteral(String(value))]);
  return members.length === 0 ? [] : [["tags", objectCode(members)]];
}

function httpOptions(script: Script): Member[] {
  const { plan } = script;
  const http = plan.defaults?.http ?? {};
  const { tls = {}, hosts = {}, max_redirects = 10 } = http;
  const redirects = http.follow_redirects === false ? 0 : max_redirects;
  const requests = allFlows(plan).flatMap((flow) => [...listRequests(flow)]);
  const members: Member[] = [];
  if (redirects !== 10) members.push(["maxRedirects", String(redirects)]);
  if (keepsCookies(plan)) members.push(["noCookiesReset", "true"]);
  if (removesUserAgent([http.headers, ...requests.map(({ headers }) => headers)])) {
    members.push(["userAgent", "''"]);
  }
  if (Object.values(plan.scenarios).every((scenario) => scenario.new_connections)) {
    members.push(["noVUConnectionReuse", "true"]);
  }
  if (http.keep_alive === false) members.push(["noConnectionReuse", "true"]);
  if (http.discard_response_bodies) members.push(["discardResponseBodies", "true"]);
  const known = Object.entries(hosts).filter(([, address]) => !address.startsWith("unix:"));
  if (known.length > 0) {
    members.push(["hosts", objectCode(known.map(([name, to]) => [name, stringLiteral(to)]))]);
  }
  if (tls.insecure_skip_verify) members.push(["insecureSkipTLSVerify", "true"]);
  const { min_version, max_version, cert_file, key_file } = tls;
  if (min_version !== undefined || max_version !== undefined) {
    members.push([
      "tlsVersion",
      objectCode([
        ["min", `'tls${min_version ?? "1.2"}'`],
        ["max", `'tls${max_version ?? "1.3"}'`],
      ]),
    ]);
  }
  if (cert_file !== undefined && key_file !== undefined) {
    const read = (path: string) => `open(${stringLiteral(script.scriptPath(path))})`;
    members.push([
      "tlsAuth",
      `[${objectCode([["cert", read(cert_file)], ["key", read(key_file)]])}]`,
    ]);
  }
  noteNetwork(script);
  return members;
}

/** Reports whether a VU keeps its cookies from one iteration to the next in any scenario. */
export function keepsCookies(plan: Plan): boolean {
  if (plan.defaults?.http?.cookies === false) return false;
  return Object.values(plan.scenarios).some((scenario) =>
    !scenario.new_user && !runsOnce(scenario)
  );
}

/** Reports whether each VU of a scenario runs only one iteration. */
export function runsOnce(scenario: Scenario): boolean {
  return scenario.executor === "per-vu-iterations" && scenario.iterations === 1;
}

function noteNetwork(script: Script): void {
  const { proxy, connect_timeout, tls = {}, hosts = {}, version } = script.plan.defaults?.http ??
    {};
  const note = (key: string, message: string) =>
    script.note("k6-network", `defaults.http.${key}`, message);
  if (typeof proxy === "string") note("proxy", "set HTTP_PROXY and HTTPS_PROXY for k6");
  if (proxy === false) note("proxy", "unset HTTP_PROXY and HTTPS_PROXY for k6");
  if (connect_timeout !== undefined) note("connect_timeout", "k6 has only `timeout`");
  if (version === "http1") note("version", "run k6 with GODEBUG=http2client=0");
  if (version === "http2") {
    note("version", "k6 cannot require HTTP/2: it negotiates the version, and only over TLS");
  }
  if (tls.ca_file !== undefined) note("tls.ca_file", "set SSL_CERT_FILE for k6");
  if (tls.server_name !== undefined) {
    note("tls.server_name", "k6 uses the host of the URL as the server name");
  }
  for (const [name, address] of Object.entries(hosts)) {
    if (address.startsWith("unix:")) note(`hosts.${name}`, "k6 cannot connect to a Unix socket");
  }
}

/**
 * Returns the `rps` option if the plan has only one scenario and the limit of its `throttle` is a
 * whole number. Adds a note for any other `throttle`.
 */
function throttleOption(script: Script): Member[] {
  const scenarios = Object.entries(script.plan.scenarios);
  return scenarios.flatMap(([name, { throttle }]): Member[] => {
    if (throttle === undefined) return [];
    const { requests_per_second: rate } = throttle;
    if (scenarios.length === 1 && Number.isInteger(rate)) return [["rps", String(rate)]];
    script.note("k6-throttle", `scenarios.${name}.throttle`, `${rate} requests per second`);
    return [];
  });
}
