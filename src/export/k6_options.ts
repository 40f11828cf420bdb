import { type Duration, durationMs } from "../base/format.ts";
import type { ExecutorKind, Scenario, ScenarioOf } from "../plan/kinds/executors.ts";
import { allFlows, listRequests } from "../plan/kinds/list_requests.ts";
import type { Plan, Threshold } from "../plan/schema/plan.ts";
import { isOwnMetric, type MetricName } from "../plan/text/metrics.ts";
import { parseSelector, parseThreshold } from "../plan/rules/thresholds.ts";
import { durationCode, listCode, type Member, objectCode, stringLiteral } from "./javascript.ts";
import type { Script } from "./scope.ts";

/**
 * Returns the code of the script's options. `functions` has the name of the function of each
 * scenario.
 */
export function optionsCode(script: Script, functions: ReadonlyMap<string, string>): string {
  const { plan } = script;
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]): Member => [
    name,
    objectCode([
      ...executorOptions(scenario),
      ...scenarioOptions(name, scenario, script),
      ["exec", `"${functions.get(name)}"`],
    ]),
  ]);
  const thresholds = thresholdMembers(script);
  const members: Member[] = [
    ["scenarios", objectCode(scenarios)],
    ...option("thresholds", thresholds.length > 0, () => objectCode(thresholds)),
    ...httpOptions(script),
    ...tagsOption(plan.defaults?.tags),
    ...throttleOption(script),
    ...option("setupTimeout", plan.setup, () => '"10m"'),
    ...option("teardownTimeout", plan.teardown, () => '"10m"'),
  ];
  return `export const options = ${objectCode(members)};`;
}

/** Returns the option in a list, or an empty list if the plan's `value` is absent or false. */
function option<Value>(
  name: string,
  value: Value,
  code: (value: NonNullable<Value>) => string,
): Member[] {
  return value === undefined || value === null || value === false ? [] : [[name, code(value)]];
}

function durationOption(name: string, duration: Duration | undefined): Member[] {
  return option(name, duration, (value) => durationCode(durationMs(value)!));
}

const EXECUTORS: {
  readonly [E in ExecutorKind]: (scenario: ScenarioOf<E>) => readonly Member[];
} = {
  "constant-vus": ({ vus, duration }) => [
    ["vus", String(vus)],
    ...durationOption("duration", duration),
  ],
  "ramping-vus": ({ start_vus = 0, stages, graceful_ramp_down }) => [
    ["startVUs", String(start_vus)],
    ["stages", stagesCode(stages, stages.map(({ target }) => target))],
    ...durationOption("gracefulRampDown", graceful_ramp_down),
  ],
  "per-vu-iterations": iterationOptions,
  // k6 requires at least as many iterations as VUs.
  "shared-iterations": (scenario) =>
    iterationOptions({ ...scenario, vus: Math.min(scenario.vus, scenario.iterations) }),
  "constant-arrival-rate": rateOptions,
  "ramping-arrival-rate": (scenario) => {
    const { start_rate = 0, stages, time_unit } = scenario;
    const rates = [start_rate, ...stages.map(({ target }) => target)];
    const { whole: [start, ...targets], unit } = wholeRates(rates, time_unit);
    return [
      ["startRate", String(start)],
      ["timeUnit", unit],
      ["stages", stagesCode(stages, targets)],
      ...poolOptions(scenario),
    ];
  },
  "recorded-arrivals": rateOptions,
  "externally-controlled": ({ vus, max_vus = vus, duration }) => [
    ["vus", String(vus)],
    ["maxVUs", String(max_vus)],
    ...durationOption("duration", duration),
  ],
};

function iterationOptions(
  { vus, iterations, max_duration }: ScenarioOf<"per-vu-iterations" | "shared-iterations">,
): Member[] {
  return [
    ["vus", String(vus)],
    ["iterations", String(iterations)],
    ...durationOption("maxDuration", max_duration),
  ];
}

function rateOptions(
  scenario: ScenarioOf<"constant-arrival-rate" | "recorded-arrivals">,
): Member[] {
  const timeUnit = "time_unit" in scenario ? scenario.time_unit : undefined;
  const { whole: [rate], unit } = wholeRates([scenario.rate], timeUnit);
  return [
    ["rate", String(rate)],
    ["timeUnit", unit],
    ...durationOption("duration", scenario.duration),
    ...poolOptions(scenario),
  ];
}

function stagesCode(
  stages: readonly { readonly duration: Duration }[],
  targets: readonly number[],
): string {
  return listCode(
    stages.map(({ duration }, i) =>
      objectCode([...durationOption("duration", duration), ["target", String(targets[i])]])
    ),
  );
}

function poolOptions(
  { pre_allocated_vus, max_vus = pre_allocated_vus }: {
    readonly pre_allocated_vus: number;
    readonly max_vus?: number;
  },
): Member[] {
  return [
    ["preAllocatedVUs", String(pre_allocated_vus)],
    ["maxVUs", String(Math.max(1, max_vus))],
  ];
}

function executorOptions(scenario: Scenario): readonly Member[] {
  // k6 cannot replay recorded arrivals: the script has a constant rate.
  const executor = scenario.executor === "recorded-arrivals"
    ? "constant-arrival-rate"
    : scenario.executor;
  return [["executor", `"${executor}"`], ...optionsOfKind(scenario.executor, scenario)];
}

function optionsOfKind<E extends ExecutorKind>(kind: E, scenario: ScenarioOf<E>) {
  return EXECUTORS[kind](scenario);
}

/** Returns the planned duration of a scenario in milliseconds. */
function plannedMs(scenario: Scenario): number {
  if ("stages" in scenario) {
    return scenario.stages.reduce((sum, { duration }) => sum + durationMs(duration)!, 0);
  }
  return durationMs("duration" in scenario ? scenario.duration : scenario.max_duration ?? "10m")!;
}

/** Maximum number of decimal places of a rate. Rates are rounded to this precision. */
const MAX_PLACES = 9;

/**
 * Returns the rates as whole numbers, which k6 requires, and their time unit as code. Multiplies
 * both by a power of 10, and then divides both by their common factors.
 */
function wholeRates(rates: readonly number[], timeUnit: Duration = "1s") {
  const places = Math.min(MAX_PLACES, Math.max(0, ...rates.map(decimalPlaces)));
  const scaled = rates.map((rate) => Math.round(rate * 10 ** places));
  const unitMs = durationMs(timeUnit)! * 10 ** places;
  // The unit stays a multiple of a second, so that it is easy to read.
  const base = unitMs % 1_000 === 0 ? unitMs / 1_000 : unitMs;
  const factor = places === 0 || !Number.isInteger(base)
    ? 1
    : [...scaled, base].reduce(greatestDivisor, 0);
  return { whole: scaled.map((rate) => rate / factor), unit: durationCode(unitMs / factor) };
}

function decimalPlaces(rate: number): number {
  const [, fraction = "", exponent = "0"] = /^\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(rate)) ??
    [];
  return Math.max(0, fraction.length - Number(exponent));
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

function scenarioOptions(name: string, scenario: Scenario, script: Script): Member[] {
  const { graceful_stop, tags, after, executor } = scenario;
  const isPoisson = "arrivals" in scenario && scenario.arrivals === "poisson";
  if (executor === "recorded-arrivals" || isPoisson) {
    script.note("k6-changed", `scenarios.${name}`, "k6 starts iterations at equal intervals");
  }
  const start = startMs(name, script.plan);
  if (after !== undefined) {
    const message = `the scenario starts at a fixed time, ${durationCode(start).slice(1, -1)} ` +
      "after the start of the test, because k6 cannot wait for another scenario";
    script.note("k6-changed", `scenarios.${name}.after`, message);
  }
  return [
    ...option("startTime", start > 0, () => durationCode(start)),
    ...durationOption("gracefulStop", graceful_stop),
    ...tagsOption(tags),
  ];
}

/** Returns the planned start of a scenario in milliseconds after the start of the run. */
function startMs(name: string, plan: Plan): number {
  const { after, start_time = 0 } = plan.scenarios[name];
  const delay = durationMs(start_time)!;
  if (after === undefined) return delay;
  return startMs(after, plan) + plannedMs(plan.scenarios[after]) + delay;
}

function tagsOption(tags: Readonly<Record<string, unknown>> = {}): Member[] {
  const members = Object.entries(tags)
    .map(([tag, value]): Member => [tag, stringLiteral(String(value))]);
  return option("tags", members.length > 0, () => objectCode(members));
}

function httpOptions(script: Script): Member[] {
  const { plan } = script;
  const http = plan.defaults?.http ?? {};
  const { tls = {}, hosts = {}, max_redirects = 10 } = http;
  const redirects = http.follow_redirects === false ? 0 : max_redirects;
  const headers = allFlows(plan).flatMap((flow) => [...listRequests(flow)])
    .map((request) => request.headers);
  const hasNoAgent = [http.headers, ...headers].some((map = {}) =>
    Object.entries(map).some(([name, value]) =>
      name.toLowerCase() === "user-agent" && value === null
    )
  );
  const known = Object.entries(hosts).filter(([, address]) => !address.startsWith("unix:"));
  const { min_version, max_version, cert_file, key_file } = tls;
  noteNetwork(script);
  return [
    ...option("maxRedirects", redirects !== 10, () => String(redirects)),
    ...option("noCookiesReset", keepsCookies(plan), () => "true"),
    ...option("userAgent", hasNoAgent, () => '""'),
    ...option(
      "noVUConnectionReuse",
      Object.values(plan.scenarios).every(({ new_connections }) => new_connections),
      () => "true",
    ),
    ...option("noConnectionReuse", http.keep_alive === false, () => "true"),
    ...option("discardResponseBodies", http.discard_response_bodies, () => "true"),
    ...option(
      "hosts",
      known.length > 0,
      () => objectCode(known.map(([name, to]) => [name, stringLiteral(to)])),
    ),
    ...option("insecureSkipTLSVerify", tls.insecure_skip_verify, () => "true"),
    ...option("tlsVersion", min_version ?? max_version, () =>
      objectCode([
        ["min", `"tls${min_version ?? "1.2"}"`],
        ["max", `"tls${max_version ?? "1.3"}"`],
      ])),
    ...option("tlsAuth", cert_file && key_file, () =>
      listCode([
        objectCode([["cert", script.open(cert_file!)], ["key", script.open(key_file!)]]),
      ])),
  ];
}

/** Reports whether a VU keeps its cookies from one iteration to the next in any scenario. */
export function keepsCookies(plan: Plan): boolean {
  return plan.defaults?.http?.cookies !== false &&
    Object.values(plan.scenarios).some((scenario) => !scenario.new_user && !runsOnce(scenario));
}

/** Reports whether each VU of a scenario runs only one iteration. */
export function runsOnce(scenario: Scenario): boolean {
  return scenario.executor === "per-vu-iterations" && scenario.iterations === 1;
}

function noteNetwork(script: Script): void {
  const { proxy, connect_timeout, tls = {}, hosts = {}, version } = script.plan.defaults?.http ??
    {};
  const problems: [key: string, isUsed: boolean, message: string][] = [
    ["proxy", typeof proxy === "string", "set HTTP_PROXY and HTTPS_PROXY for k6"],
    ["proxy", proxy === false, "unset HTTP_PROXY and HTTPS_PROXY for k6"],
    ["connect_timeout", connect_timeout !== undefined, "k6 has only `timeout`"],
    ["version", version === "http1", "run k6 with GODEBUG=http2client=0"],
    ["version", version === "http2", "k6 negotiates the version, and HTTP/2 only over TLS"],
    ["tls.ca_file", tls.ca_file !== undefined, "set SSL_CERT_FILE for k6"],
    ["tls.server_name", tls.server_name !== undefined, "k6 uses the host of the URL"],
    ...Object.entries(hosts).map(([name, address]): [string, boolean, string] => [
      `hosts.${name}`,
      address.startsWith("unix:"),
      "k6 cannot connect to a Unix socket",
    ]),
  ];
  for (const [key, isUsed, message] of problems) {
    if (isUsed) script.note("k6-changed", `defaults.http.${key}`, message);
  }
}

function throttleOption(script: Script): Member[] {
  const scenarios = Object.entries(script.plan.scenarios);
  return scenarios.flatMap(([name, { throttle }]): Member[] => {
    if (throttle === undefined) return [];
    const { requests_per_second: rate } = throttle;
    if (scenarios.length === 1 && Number.isInteger(rate)) return [["rps", String(rate)]];
    const message = "k6 limits the whole test, to a whole number of requests per second";
    script.note("k6-omitted", `scenarios.${name}.throttle`, message);
    return [];
  });
}

/** Metrics that a plan can use in thresholds but that k6 does not have. */
const MISSING: ReadonlySet<string> = new Set<MetricName>([
  ...["http_req_latency_corrected", "http_req_retries", "ws_session_failed"] as const,
  ...["ws_connecting", "ws_msgs_received", "ws_msgs_sent", "ws_session_duration"] as const,
  ...["sse_events", "sse_first_event"] as const,
]);

/** Tags that the script sets on the metric `request_failed`. */
const RECORDED_TAGS: ReadonlySet<string> = new Set(["name", "scenario", "group"]);

function thresholdMembers(script: Script): Member[] {
  const members = new Map<string, string[]>();
  for (const [text, list] of Object.entries(script.plan.thresholds ?? {})) {
    const { metric, tags } = parseSelector(text);
    const odd = tags.find(([tag, value]) =>
      tag === "error_kind" || /[,]|^["'\s]|["'\s]$/.test(value)
    );
    if (MISSING.has(metric) || isOwnMetric(metric) || odd !== undefined) {
      const message = odd === undefined
        ? `k6 has no metric \`${metric}\``
        : `k6 cannot select the value ${JSON.stringify(odd[1])} of the tag \`${odd[0]}\``;
      script.note("k6-omitted", text, message);
      continue;
    }
    const isFailed = metric === "http_req_failed" && script.recordsFailures &&
      tags.every(([tag]) => RECORDED_TAGS.has(tag));
    const name = isFailed ? "request_failed" : metric;
    const selected = tags.map(([tag, value]) => `${tag}:${value}`).join(",");
    const key = selected === "" ? name : `${name}{${selected}}`;
    members.set(key, [...members.get(key) ?? [], ...list.map(thresholdCode)]);
  }
  return [...members].map(([name, list]) => [name, listCode(list)]);
}

/** Returns the code for a threshold, with durations in milliseconds. */
function thresholdCode(threshold: Threshold): string {
  const { threshold: text, abort_on_fail, delay_abort_eval } = typeof threshold === "string"
    ? { threshold }
    : threshold;
  const { aggregation, percentile, operator, value } = parseThreshold(text);
  const subject = percentile === undefined ? aggregation : `p(${percentile})`;
  const expression = `"${subject}${operator}${value}"`;
  if (!abort_on_fail) return expression;
  return objectCode([
    ["threshold", expression],
    ["abortOnFail", "true"],
    ...durationOption("delayAbortEval", delay_abort_eval),
  ]);
}
