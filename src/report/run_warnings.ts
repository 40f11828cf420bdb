import { count, formatMs, formatThousands, percent, plural, time } from "../base/format.ts";
import type { LoadChange, ScenarioSummary, Summary } from "../engine/summary/summary.ts";
import { safeText } from "../base/safe_text.ts";

/** A reason to doubt the results of a run. Contains no recorded text. */
export interface RunWarning {
  /** Scenario that the warning is about. Absent for a warning about the whole run. */
  readonly scenario?: string;
  readonly text: string;
}

/** Start delay (p99), in milliseconds, up to which there is no warning. */
const MIN_LATE_MS = 10;
/** Minimum number of start delays for a meaningful p99. */
const MIN_SAMPLES = 100;
/**
 * Longest start delay (p99) that never causes a warning, as a share of the median response time.
 */
const LATENCY_SHARE = 0.1;

export function runWarnings(summary: Summary): RunWarning[] {
  return [
    ...[
      ...uncheckedWarning(summary),
      ...changesWarning(summary),
      ...lossyOutputsWarning(summary),
      ...unsentWarning(summary),
      ...omittedHeadersWarning(summary),
      ...noResponseWarning(summary),
      ...refusedWarning(summary),
      ...openFilesWarning(summary),
    ].map((text) => ({ text })),
    ...summary.scenarios.flatMap((scenario) =>
      scenarioWarnings(scenario, summary).map((text) => ({ scenario: scenario.name, text }))
    ),
  ];
}

function uncheckedWarning({ unchecked = false }: Summary): string[] {
  if (!unchecked) return [];
  return [
    "the plan replays a recording, but none of its requests has checks: a refused login also counts " +
    "as successful if its status is below 400; add checks with `convert --checks status`, or prove " +
    "the plan with `calibrate`",
  ];
}

const MAX_CHANGES = 5;

function changesWarning({ changes = [] }: Summary): string[] {
  if (changes.length === 0) return [];
  const more = changes.length - MAX_CHANGES;
  const texts = changes.slice(0, MAX_CHANGES).map(({ at_ms, ...load }) =>
    `${describeLoad(load)} at ${formatMs(Math.round(at_ms / 100) * 100)}`
  );
  const list = [...texts, ...(more > 0 ? [`${more} more`] : [])].join("; ");
  return [`the load was changed during the run and differs from the plan: ${list}`];
}

/**
 * Describes a load that a user has set during the run, such as `paused` or `rate 110%, 20 VUs`. The
 * text does not name scenarios.
 */
export function describeLoad({ paused, rate, vus }: Omit<LoadChange, "at_ms">): string {
  const counts = Object.values(vus);
  const parts = [
    ...(rate === 1 ? [] : [`rate ${Math.round(100 * rate)}%`]),
    ...(counts.length === 0 ? [] : [plural(counts.reduce((sum, n) => sum + n, 0), "VU")]),
  ];
  if (paused) return "paused";
  return parts.length === 0 ? "as planned" : parts.join(", ");
}

function lossyOutputsWarning({ lossy_outputs = [] }: Summary): string[] {
  return lossy_outputs.map(({ name, written, dropped, error }) =>
    safeText(
      `the output ${name} is incomplete: ${count(written)} written, ${count(dropped)} dropped` +
        (error === undefined ? "" : `: ${error}`),
    )
  );
}

function unsentWarning({ endpoints }: Summary): string[] {
  const unsent = endpoints.reduce((sum, { unsent = 0 }) => sum + unsent, 0);
  if (unsent === 0) return [];
  return [
    `${plural(unsent, "request")} not sent: a \`\${…}\` had no value (see the list of failures)`,
  ];
}

function omittedHeadersWarning({ endpoints }: Summary): string[] {
  const omitted = endpoints.reduce((sum, { omitted_headers = 0 }) => sum + omitted_headers, 0);
  if (omitted === 0) return [];
  return [
    `${plural(omitted, "`Referer` or `Origin` header")} omitted or shortened: a \`\${…}\` in ` +
    `${omitted === 1 ? "it" : "them"} had no value`,
  ];
}

/**
 * Minimum share of requests without a response that causes a warning. Such requests can change the
 * p99.
 */
const NO_RESPONSE_SHARE = 0.01;

function noResponseWarning({ endpoints }: Summary): string[] {
  const lost = endpoints.reduce((sum, { statuses }) => sum + (statuses["0"] ?? 0), 0);
  const sent = endpoints.reduce((sum, { count }) => sum + count, 0);
  if (lost === 0 || lost < NO_RESPONSE_SHARE * sent) return [];
  return [
    `${formatThousands(lost)} of ${plural(sent, "request")} got no response; ` +
    "their durations count toward the response times and thresholds",
  ];
}

/** Minimum share of refused requests that causes a warning. */
const REFUSED_SHARE = 0.01;

function refusedWarning({ failures, endpoints }: Summary): string[] {
  const sent = endpoints.reduce((sum, { count }) => sum + count, 0);
  const refused = failures.reduce(
    (sum, { status, count }) => sum + (status === 429 ? count : 0),
    0,
  );
  if (refused === 0 || refused < REFUSED_SHARE * sent) return [];
  return [
    `a rate limit refused ${formatThousands(refused)} of ${
      plural(sent, "request")
    } (status 429): ` +
    "the metrics describe the limit, not the capacity of the server; lower the rate, or exempt the " +
    "load generator from the limit",
  ];
}

/** Matches the error messages of operating systems for a process that has too many open files. */
const OPEN_FILES = /\btoo many open files\b|\bos error (?:23|24|10024)\b|\bE[MN]FILE\b/i;

function openFilesWarning({ errors }: Summary): string[] {
  if (!errors.some(({ kind, message }) => kind === "connect" && OPEN_FILES.test(message))) {
    return [];
  }
  return [
    "the load generator, not the server, reached its limit on open files: use fewer VUs, raise the " +
    "limit (`ulimit -n`), or use more machines",
  ];
}

function scenarioWarnings(scenario: ScenarioSummary, summary: Summary): string[] {
  const { dropped, iterations, interrupted, max_vus, ended } = scenario;
  const scheduled = iterations + interrupted + dropped;
  const busy = `${max_vus === 1 ? "the only VU was" : `all ${plural(max_vus, "VU")} were`} busy; ` +
    "raise `max_vus`, or find out why responses are slow";
  const why = ended === "aborted"
    ? "an assertion aborted the scenario"
    : scenario.schedule_lag_us !== null
    ? busy
    : ended === "time"
    ? "the time ran out; raise `max_duration`, or find out why responses are slow"
    : "all VUs ended early";
  return [
    ...(dropped === 0
      ? []
      : [`${plural(dropped, "iteration")} dropped (${percent(dropped / scheduled)}): ${why}`]),
    ...(interrupted === 0 ? [] : [
      `${plural(interrupted, "iteration")} cut off: still running when \`graceful_stop\` expired`,
    ]),
    ...lateWarning(scenario, summary),
    ...lateVusWarning(scenario, summary),
  ];
}

/**
 * Returns a warning if the load generator could not keep up with the schedule. This is the case if
 * the p99 of the start delay exceeds all of these: 10 ms, the mean interval between two iterations,
 * and a tenth of the median response time.
 */
function lateWarning({ schedule_lag_us: lag }: ScenarioSummary, summary: Summary): string[] {
  if (lag === null || lag.count < MIN_SAMPLES) return [];
  const late = lag["p(99)"] / 1_000;
  const interval = intervalMs(summary);
  const median = medianMs(summary);
  if (late <= Math.max(MIN_LATE_MS, interval, LATENCY_SHARE * median)) return [];
  return [
    `iterations started late (p99 ${time(late)}, with ${
      time(interval)
    } between two iterations and a ` +
    `median response time of ${time(median)}): the load generator could not keep up; ` +
    remedy(summary),
  ];
}

/** Longest start delay of a VU, in milliseconds, that never causes a warning. */
const MIN_LATE_VU_MS = 100;
/** Start delay of a VU, in milliseconds, above which a warning is always shown. */
const MAX_LATE_VU_MS = 1_000;
/** Start delay of a VU above which a warning is shown, as a share of the run's duration. */
const LATE_VU_SHARE = 0.05;
/**
 * Minimum share of unstarted VUs at which a warning is shown, even if the other VUs started in
 * time.
 */
const UNSTARTED_SHARE = 0.1;

/**
 * Returns a warning if the load generator could not start the VUs of a closed model in time. A
 * delay matters more in a short run, so the limit is a share of the duration, but at least 100 ms
 * and at most 1 s. If the run ended as planned, also warns about many VUs that never started.
 */
function lateVusWarning(scenario: ScenarioSummary, summary: Summary): string[] {
  const { start_delay_ms: late = 0, unstarted_vus: unstarted = 0, max_vus } = scenario;
  const limit = Math.max(
    MIN_LATE_VU_MS,
    Math.min(MAX_LATE_VU_MS, LATE_VU_SHARE * summary.duration_ms),
  );
  const areMissing = summary.ending === "finished" && unstarted > 0 &&
    unstarted >= UNSTARTED_SHARE * max_vus;
  if (late <= limit && !areMissing) return [];
  const some = unstarted === 0
    ? `VUs started late (up to ${time(late)})`
    : `${formatThousands(unstarted)} of ${plural(max_vus, "VU")} did not start within ${
      time(late)
    }`;
  return [
    `${some}: the load generator could not keep up; start them gradually with \`ramping-vus\`; ` +
    remedy(summary),
  ];
}

/**
 * Returns the mean interval between two scheduled iterations, in milliseconds. Weights the mean by
 * the rate, so that idle periods do not count.
 */
function intervalMs({ timeline, duration_ms, scenarios }: Summary): number {
  const sum = (of: (scheduled: number) => number) =>
    timeline.reduce((total, { scheduled }) => total + of(scheduled), 0);
  const starts = sum((scheduled) => scheduled);
  if (starts > 0) return 1_000 * starts / sum((scheduled) => scheduled * scheduled);
  const iterations = scenarios.reduce((total, scenario) => total + scenario.iterations, 0);
  return iterations === 0 ? Infinity : duration_ms / iterations;
}

function medianMs({ metrics: { http_req_duration: stats } }: Summary): number {
  return stats !== undefined && "med" in stats ? stats.med : 0;
}

function remedy({ environment }: Summary): string {
  if (environment === undefined) return "try more `--workers` or more machines";
  const { cores, workers } = environment;
  if (workers >= cores) return "all cores of this machine were in use; try more machines";
  return `try \`--workers ${cores}\` if this machine has idle cores, or use more machines`;
}
