import { type Duration, durationMs } from "../base/format.ts";
import type { ExecutorKind, Scenario, ScenarioOf } from "../plan/kinds/executors.ts";
import { allFlows, listRequests } from "../plan/kinds/list_requests.ts";
import type { HttpDefaults } from "../plan/values/http.ts";
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
  const options = EXECUTORS[scenario.executor] as (scenario: Scenario) => readonly Member[];
  return [["executor", `"${executor}"`], ...options(scenario)];
}

/** Maximum number of decimal places of a rate. Rates are rounded to this precision. */
const MAX_PLACES = 9;

/**
 * Returns the rates as whole numbers, which k6 requires, and their time unit as code: multiplies
 * both by a power of 10.
 */
function wholeRates(rates: readonly number[], timeUnit: Duration = "1s") {
  const isWhole = (places: number) => rates.every((rate) => Number.isInteger(scaled(rate, places)));
  let places = 0;
  while (places < MAX_PLACES && !isWhole(places)) places++;
  return {
    whole: rates.map((rate) => Math.round(scaled(rate, places))),
    unit: durationCode(durationMs(timeUnit)! * 10 ** places),
  };
}

/** Returns `rate` multiplied by a power of 10, without the error of a multiplication. */
function scaled(rate: number, places: number): number {
  return Number((rate * 10 ** places).toPrecision(15));
}

/** Keys of scenarios that k6 does not have. */
const NO_OPTIONS = {
  after: "k6 cannot wait for another scenario: set its `startTime`",
  pacing: "k6 does not limit the iterations of a VU: set `minIterationDuration`",
  throttle: "k6 limits only the whole test: set `rps`",
} as const;

function scenarioOptions(name: string, scenario: Scenario, script: Script): Member[] {
  const { graceful_stop, tags, executor, start_time } = scenario;
  const isPoisson = "arrivals" in scenario && scenario.arrivals === "poisson";
  if (executor === "recorded-arrivals" || isPoisson) {
    script.note("k6-changed", `scenarios.${name}`, "k6 starts iterations at equal intervals");
  }
  for (const key of ["after", "pacing", "throttle"] as const) {
    if (scenario[key] === undefined) continue;
    script.note("k6-omitted", `scenarios.${name}.${key}`, NO_OPTIONS[key]);
  }
  return [
    ...durationOption("startTime", start_time),
    ...durationOption("gracefulStop", graceful_stop),
    ...tagsOption(tags),
  ];
}

function tagsOption(tags: Readonly<Record<string, unknown>> = {}): Member[] {
  const members = Object.entries(tags)
    .map(([tag, value]): Member => [tag, stringLiteral(String(value))]);
  return option("tags", members.length > 0, () => objectCode(members));
}

/** What to do about the keys of `defaults.http` that scripts do not contain. */
const NO_HTTP_OPTIONS: { readonly [Key in keyof HttpDefaults]?: string } = {
  proxy: "set HTTP_PROXY and HTTPS_PROXY for k6",
  connect_timeout: "k6 has only `timeout`",
  version: "k6 negotiates the version, and HTTP/2 only over TLS",
};

function httpOptions(script: Script): Member[] {
  const { plan } = script;
  const http = plan.defaults?.http ?? {};
  const { tls: { insecure_skip_verify, ...tls } = {}, hosts = {}, max_redirects = 10 } = http;
  const redirects = http.follow_redirects === false ? 0 : max_redirects;
  const headers = allFlows(plan).flatMap((flow) => [...listRequests(flow)])
    .map((request) => request.headers);
  const hasNoAgent = [http.headers, ...headers].some((map = {}) =>
    Object.entries(map).some(([name, value]) =>
      name.toLowerCase() === "user-agent" && value === null
    )
  );
  const omit = (key: string, message: string) =>
    script.note("k6-omitted", `defaults.http.${key}`, message);
  for (const [key, message] of Object.entries(NO_HTTP_OPTIONS)) {
    if (Object.hasOwn(http, key)) omit(key, message);
  }
  if (Object.keys(tls).length > 0) omit("tls", "set `tlsAuth` and `tlsVersion`, or SSL_CERT_FILE");
  const known = Object.entries(hosts).filter(([, address]) => !address.startsWith("unix:"));
  if (known.length < Object.keys(hosts).length) {
    omit("hosts", "k6 cannot connect to a Unix socket");
  }
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
    ...option("insecureSkipTLSVerify", insecure_skip_verify, () => "true"),
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

/** Metrics that a plan can use in thresholds but that k6 does not have. */
const MISSING: ReadonlySet<string> = new Set<MetricName>([
  ...["http_req_latency_corrected", "http_req_retries", "ws_session_failed"] as const,
  ...["ws_connecting", "ws_msgs_received", "ws_msgs_sent", "ws_session_duration"] as const,
  ...["sse_events", "sse_first_event"] as const,
]);

function thresholdMembers(script: Script): Member[] {
  const members = new Map<string, string[]>();
  for (const [text, list] of Object.entries(script.plan.thresholds ?? {})) {
    const { metric, tags } = parseSelector(text);
    const odd = tags.find(([tag, value]) =>
      tag === "error_kind" || metric === "checks" && tag === "name" ||
      /[,]|^["'\s]|["'\s]$/.test(value)
    );
    if (MISSING.has(metric) || isOwnMetric(metric) || odd !== undefined) {
      const message = odd === undefined
        ? `k6 has no metric \`${metric}\``
        : `k6 cannot select the value ${JSON.stringify(odd[1])} of the tag \`${odd[0]}\``;
      script.note("k6-omitted", text, message);
      continue;
    }
    if (metric === "http_req_failed" && script.extractsOrAsserts) {
      const message = "k6 does not count failed extractors and assertions as failed requests";
      script.note("k6-changed", text, message);
    }
    const selected = tags.map(([tag, value]) => `${tag}:${value}`).join(",");
    const key = selected === "" ? metric : `${metric}{${selected}}`;
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
