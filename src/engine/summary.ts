import type { ErrorKind } from "./sender.ts";

/** Version of the summary's JSON, raised when a field changes its meaning or is removed. */
export const SUMMARY_SCHEMA = 2;

/** Statistics of a counter. */
export interface CounterStats {
  readonly count: number;
  /** Count per second of the run. */
  readonly rate: number;
}

/** Statistics of a rate. */
export interface RateStats {
  /** Fraction that passed, 0 to 1; for `http_req_failed`, the fraction that failed. */
  readonly value: number;
  /** Number of samples that were true, as in k6: for `http_req_failed`, the failures. */
  readonly passes: number;
  readonly fails: number;
}

/** Statistics of a gauge: last, lowest and highest value. */
export interface GaugeStats {
  readonly value: number;
  readonly min: number;
  readonly max: number;
}

/** Statistics of a trend in milliseconds; all 0 without samples. */
export interface TrendStats {
  readonly count: number;
  readonly avg: number;
  readonly min: number;
  readonly med: number;
  readonly max: number;
  readonly "p(90)": number;
  readonly "p(95)": number;
  readonly "p(99)": number;
  readonly "p(99.9)": number;
}

/** Statistics of one metric, in the shape of k6's summary export. */
export type MetricStats = CounterStats | RateStats | GaugeStats | TrendStats;

/** Result of one threshold. */
export interface ThresholdVerdict {
  /** Metric with its tags as written in the plan: `http_req_duration{name:login}`. */
  readonly metric: string;
  /** Expression such as `p(95)<400`. */
  readonly expression: string;
  /**
   * Null if it was not evaluated: in a shard, which has only a part of the load, or before the
   * first sample.
   */
  readonly passed: boolean | null;
  /**
   * Aggregated value in the metric's unit; null if no sample matched the selector. Such a threshold
   * passes only if it is `optional`.
   */
  readonly value: number | null;
  /** Whether the plan allows that no sample matches. Absent means false. */
  readonly optional?: boolean;
  /** Whether it aborted the run (`abort_on_fail`). */
  readonly aborted: boolean;
}

/** Number of passes and failures of a check. */
export interface CheckStats {
  readonly name: string;
  readonly scenario: string;
  /** `::outer::inner`, or empty outside of groups. */
  readonly group: string;
  readonly passes: number;
  readonly fails: number;
}

/** Requests of an endpoint over time, in intervals of equal length from the run's start. */
export interface EndpointSeries {
  /** Seconds per interval: 1, doubled until at most 60 intervals cover the run. */
  readonly step: number;
  /** Requests that ended in each interval. */
  readonly count: readonly number[];
  readonly failed: readonly number[];
  /** Mean `http_req_duration` in each interval, in ms; 0 without requests. */
  readonly avg: readonly number[];
}

/** Statistics of the requests with one name. */
export interface EndpointStats {
  readonly scenario: string;
  readonly group: string;
  readonly name: string;
  readonly method: string;
  /** Number of requests sent. */
  readonly count: number;
  /** Requests that failed, those that could not be sent included. */
  readonly failed: number;
  /** Requests that could not be sent, such as for a variable that is not set. Absent means 0. */
  readonly unsent?: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  /** Number of responses by status; `0` counts requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly http_req_duration: TrendStats;
  /** Absent in summaries of versions that did not record it. */
  readonly series?: EndpointSeries;
}

/** Requests of one endpoint that ended in one kind of error. */
export interface ErrorStats {
  readonly kind: ErrorKind;
  readonly scenario: string;
  readonly name: string;
  readonly count: number;
  /**
   * First message of that kind, for display. It contains recorded text: pass it through `safeText`
   * before printing.
   */
  readonly message: string;
}

/** Result of a scenario. */
export interface ScenarioSummary {
  readonly name: string;
  readonly executor: string;
  readonly iterations: number;
  /** Iterations cancelled after `graceful_stop` or `graceful_ramp_down`. */
  readonly interrupted: number;
  /** Scheduled iterations of an open-model scenario for which no VU was free. */
  readonly dropped: number;
  readonly max_vus: number;
  /** Delay of the iterations of an open-model scenario, in µs; null for closed models. */
  readonly schedule_lag_us: TrendStats | null;
  /** Duration of an open model's schedule in ms, until it ended or was stopped. */
  readonly scheduled_ms?: number;
}

/** One second of the run. */
export interface TimelinePoint {
  /** Seconds from the run's start to the end of this second. */
  readonly at: number;
  /** Maximum number of busy VUs. */
  readonly vus: number;
  /**
   * Iterations that open-model schedules contain in this second, and iterations started (any
   * model).
   */
  readonly scheduled: number;
  readonly started: number;
  readonly dropped: number;
  /** Requests that were sent and ended in this second. */
  readonly requests: number;
  /** Requests that failed in this second, those that could not be sent included. */
  readonly failed: number;
  /** Requests that could not be sent. Absent means 0. */
  readonly unsent?: number;
  /** `http_req_duration` of the requests that ended in this second, in ms; 0 without requests. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Histogram of the percentiles in HdrHistogram's compressed encoding; empty without requests. */
  readonly histogram: string;
}

/**
 * Why a run ended: it completed, by Ctrl-C, by a threshold with `abort_on_fail`, or by an assertion
 * with `abort_test`.
 */
export type Ending = "finished" | "interrupted" | "threshold" | "assertion";

/** One shard of a run, or the whole run. */
export interface ShardRun {
  /** `i/n`, from 1; `1/1` is a whole run. */
  readonly shard: string;
  /** ISO 8601, UTC, by the clock of its machine. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly ending: Ending;
}

/** Why a set of summaries is not one complete run; the names that `merge --allow` accepts. */
export type MergeFlaw = "missing" | "interrupted" | "aborted" | "shifted" | "unknown-plan";

/** Flaw that `merge --allow` accepted. */
export interface AcceptedFlaw {
  readonly flaw: MergeFlaw;
  /** Message with the affected shards. It contains no recorded text. */
  readonly message: string;
}

/** Conditions under which a run was started. */
export interface RunEnvironment {
  /** Version of rehearse. */
  readonly version: string;
  /** Path of the plan as given on the command line; `-` is standard input. */
  readonly plan: string;
  /** Origins of the requests, such as `https://shop.example:8443`, without user names. */
  readonly targets: readonly string[];
  /** Options that change the load, such as `--rate-scale 2`; only the names of variables. */
  readonly options: readonly string[];
  /** Cores of the machine, and threads that generated the load. */
  readonly cores: number;
  readonly workers: number;
}

/** Why a run failed as a whole, regardless of its thresholds. Reports print it verbatim. */
export type RunFailure = typeof RUN_FAILURES[number];
/** All values of `RunFailure`; the second is for `run --once`. */
export const RUN_FAILURES = ["no request got a response", "a request failed"] as const;

/** Result of a run: the JSON of `--summary-export`, and the source of reports. */
export interface Summary {
  readonly schema: typeof SUMMARY_SCHEMA;
  readonly name: string;
  /**
   * SHA-256 (hex) of the plan as run, with options and overlay applied, and of its data files. Null
   * in summaries of versions that did not record it.
   */
  readonly plan_hash: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** Milliseconds from the start to the end of the last iteration. */
  readonly duration_ms: number;
  readonly ending: Ending;
  /**
   * False if a threshold failed, the run was aborted or there is a `failure`. True if all
   * thresholds passed and the run is complete. Null (unknown) otherwise, also without thresholds.
   */
  readonly passed: boolean | null;
  /** Why the run as a whole failed; absent otherwise. */
  readonly failure?: RunFailure;
  /** Seed of random numbers: a run with the same seed draws the same numbers. */
  readonly seed: number;
  /** Seed of the order of shuffled data that VUs share; null if the plan has none. */
  readonly data_seed: number | null;
  /** Shards that this summary covers. */
  readonly shards: readonly ShardRun[];
  /** Why a merged summary is not the complete run; otherwise empty. */
  readonly accepted: readonly AcceptedFlaw[];
  /** Conditions of the run. Absent in summaries of versions that did not record it. */
  readonly environment?: RunEnvironment;
  /** Metrics by name, with the sub-metrics of thresholds' selectors (`name{tag:value}`). */
  readonly metrics: Readonly<Record<string, MetricStats>>;
  readonly thresholds: readonly ThresholdVerdict[];
  readonly checks: readonly CheckStats[];
  /** Endpoints, those with the most requests first. */
  readonly endpoints: readonly EndpointStats[];
  /** Errors, most frequent first. */
  readonly errors: readonly ErrorStats[];
  readonly scenarios: readonly ScenarioSummary[];
  readonly timeline: readonly TimelinePoint[];
  /**
   * Histograms (µs, 3 significant digits) in HdrHistogram's compressed encoding, base64. `metrics`
   * is by the trend's name; `endpoints` and `scenarios` (schedule lag) are in the order of their
   * lists.
   */
  readonly histograms: {
    readonly metrics: Readonly<Record<string, string>>;
    readonly endpoints: readonly string[];
    readonly scenarios: readonly string[];
  };
}

/** Progress of a scenario. */
export interface ScenarioProgress {
  readonly name: string;
  readonly executor: string;
  readonly state: "waiting" | "running" | "ended";
  /** Start of its schedule, in ms after the run's start. */
  readonly startMs: number;
  /**
   * Fraction done, 0 to 1: of its iterations if their number is fixed, or of its schedule if that
   * is further.
   */
  readonly done: number;
  /** Maximum number of busy VUs in the last second. */
  readonly vus: number;
  readonly iterations: number;
  readonly dropped: number;
}

/** Progress of a run; `onTick` gets one every second. */
export interface Progress {
  readonly elapsedMs: number;
  /** End of the schedules, in ms after the run's start; graceful stops may end later. */
  readonly plannedMs: number;
  /** Fraction done, 0 to 1: of the time, or of the iterations if those are further. */
  readonly done: number;
  readonly vus: number;
  readonly iterations: number;
  readonly dropped: number;
  readonly requests: number;
  readonly failed: number;
  /** Requests that could not be sent; they count as failed. */
  readonly unsent: number;
  /** The last second: rates are counts, percentiles are in ms. */
  readonly last: TimelinePoint;
  /** `http_req_duration` of the run so far, in ms. */
  readonly times: Pick<TimelinePoint, "p50" | "p95" | "p99">;
  readonly scenarios: readonly ScenarioProgress[];
  /**
   * Thresholds evaluated on the run so far; not evaluated in a shard or before the first sample.
   */
  readonly thresholds: readonly ThresholdVerdict[];
}
