import type { ErrorKind } from "../../http/sender.ts";

/** Version of the summary's JSON. It is raised when a field changes its meaning or is removed. */
export const SUMMARY_SCHEMA = 2;

/** Statistics of a counter. */
export interface CounterStats {
  readonly count: number;
  /** Average count per second over the whole run. */
  readonly rate: number;
}

/** Statistics of a rate. */
export interface RateStats {
  /**
   * Fraction of samples that are true, from 0 to 1. For `http_req_failed`, it is the fraction of
   * failed requests.
   */
  readonly value: number;
  /**
   * Number of samples that are true, as in k6. For `http_req_failed`, it is the number of failed
   * requests.
   */
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
  /**
   * Metric name and tag selector as written in the plan, such as `http_req_duration{name:login}`.
   */
  readonly metric: string;
  /** Expression such as `p(95)<400`. */
  readonly expression: string;
  /**
   * True if the threshold passed. Null if it was not evaluated: in a shard, which has only a part
   * of the load, or before the first sample.
   */
  readonly passed: boolean | null;
  /**
   * Aggregated value in the unit of the metric. Null if no sample matched the selector; the
   * threshold then passes only if it is `optional`.
   */
  readonly value: number | null;
  /** True if the threshold passes when no sample matches its selector. Absent means false. */
  readonly optional?: boolean;
  /** True if the threshold aborted the run (`abort_on_fail`). */
  readonly aborted: boolean;
}

/** Number of passes and failures of a check. */
export interface CheckStats {
  readonly name: string;
  readonly scenario: string;
  /** Path of the group, such as `::outer::inner`; empty outside of groups. */
  readonly group: string;
  readonly passes: number;
  readonly fails: number;
}

/** Requests of an endpoint over time, in intervals of equal length from the run's start. */
export interface EndpointSeries {
  /** Seconds per interval: 1, doubled until at most 60 intervals cover the run. */
  readonly step: number;
  /** Number of requests that ended in each interval. */
  readonly count: readonly number[];
  readonly failed: readonly number[];
  /** Mean `http_req_duration` in each interval, in ms; 0 without requests. */
  readonly avg: readonly number[];
}

/** Statistics of one endpoint: the requests with the same scenario, group, name and method. */
export interface EndpointStats {
  readonly scenario: string;
  readonly group: string;
  readonly name: string;
  readonly method: string;
  /** Number of requests sent. */
  readonly count: number;
  /** Number of requests that failed, including those that could not be sent. */
  readonly failed: number;
  /**
   * Number of requests that could not be sent, for example because a variable is not set. Absent
   * means 0.
   */
  readonly unsent?: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  /** Number of responses by status; `0` counts requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly http_req_duration: TrendStats;
  /** Requests over time. Absent in summaries of older versions, which did not record the series. */
  readonly series?: EndpointSeries;
}

/** Number of requests of one endpoint that ended with one kind of error. */
export interface ErrorStats {
  readonly kind: ErrorKind;
  readonly scenario: string;
  readonly name: string;
  readonly count: number;
  /**
   * Message of the first such error, for display. It contains recorded text, so pass it through
   * `safeText` before printing.
   */
  readonly message: string;
}

/** Result of a scenario. */
export interface ScenarioSummary {
  readonly name: string;
  readonly executor: string;
  readonly iterations: number;
  /** Number of iterations canceled at the end of `graceful_stop` or `graceful_ramp_down`. */
  readonly interrupted: number;
  /**
   * Number of scheduled iterations of an open-model scenario that were dropped because no VU was
   * free.
   */
  readonly dropped: number;
  readonly max_vus: number;
  /** Delay of iterations after their scheduled start, in µs. Null for closed models. */
  readonly schedule_lag_us: TrendStats | null;
  /**
   * Duration of the schedule of an open model in ms, until it ended or was stopped. Absent for
   * closed models.
   */
  readonly scheduled_ms?: number;
}

/** Counts of a one-second interval of the run. */
export interface TimelinePoint {
  /** Seconds from the start of the run to the end of this interval. */
  readonly at: number;
  /** Maximum number of VUs that were busy at the same time in this interval. */
  readonly vus: number;
  /**
   * Number of iterations due in this interval by open-model schedules. For closed models, it equals
   * the number of iterations started.
   */
  readonly scheduled: number;
  readonly started: number;
  readonly dropped: number;
  /** Number of sent requests that ended in this interval. */
  readonly requests: number;
  /** Number of requests that failed in this interval, including those that could not be sent. */
  readonly failed: number;
  /** Number of requests that could not be sent in this interval. Absent means 0. */
  readonly unsent?: number;
  /**
   * Median `http_req_duration` in ms of the requests that ended in this interval; 0 without
   * requests. `p95` and `p99` are its other percentiles.
   */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /**
   * Histogram of `http_req_duration` in µs, in HdrHistogram's compressed encoding (base64); empty
   * without requests.
   */
  readonly histogram: string;
}

/**
 * Reason why a run ended. `finished`: it completed. `interrupted`: the user stopped it, for example
 * with Ctrl-C. `threshold`: a threshold with `abort_on_fail` failed. `assertion`: an assertion with
 * `abort_test` failed.
 */
export type Ending = "finished" | "interrupted" | "threshold" | "assertion";

/** One shard of a run, or the whole run. */
export interface ShardRun {
  /** Shard as `i/n`, where `i` counts from 1; `1/1` is a whole run. */
  readonly shard: string;
  /** Start time in ISO 8601, UTC, from the clock of the machine that ran the shard. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly ending: Ending;
}

/**
 * Reason why a set of summaries is not one complete run. These are the names that `merge --allow`
 * accepts.
 */
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
  /**
   * Options that change the load, such as `--rate-scale 2`. Of variables, only the names are
   * recorded.
   */
  readonly options: readonly string[];
  /** Number of CPU cores of the machine. */
  readonly cores: number;
  /** Number of threads that generated the load. */
  readonly workers: number;
}

/**
 * Reason why a run failed as a whole, regardless of its thresholds. Reports print this text
 * unchanged.
 */
export type RunFailure = typeof RUN_FAILURES[number];
/** All values of `RunFailure`. `run --once` uses the second one. */
export const RUN_FAILURES = ["no request got a response", "a request failed"] as const;

/** Result of a run: the JSON of `--summary-export`, and the source of reports. */
export interface Summary {
  readonly schema: typeof SUMMARY_SCHEMA;
  readonly name: string;
  /**
   * SHA-256 (hex) of the plan as it was run, with options and overlay applied, and of its data
   * files. Null in summaries of older versions, which did not record it.
   */
  readonly plan_hash: string | null;
  /** Start time in ISO 8601, UTC. */
  readonly started_at: string;
  /** Milliseconds from the start to the end of the last iteration. */
  readonly duration_ms: number;
  readonly ending: Ending;
  /**
   * False if a threshold failed, the run was aborted or there is a `failure`. True if all
   * thresholds passed and the run is complete. Null (unknown) otherwise, also without thresholds.
   */
  readonly passed: boolean | null;
  /** Reason why the run failed as a whole. Absent otherwise. */
  readonly failure?: RunFailure;
  /** Seed of random numbers. A run with the same seed draws the same numbers. */
  readonly seed: number;
  /** Seed for the order of shuffled data that VUs share. Null if the plan has no such data. */
  readonly data_seed: number | null;
  /** Shards that this summary covers. */
  readonly shards: readonly ShardRun[];
  /** Reasons why a merged summary is not one complete run. Empty for other summaries. */
  readonly accepted: readonly AcceptedFlaw[];
  /**
   * Conditions under which the run was started. Absent in summaries of older versions, which did
   * not record them.
   */
  readonly environment?: RunEnvironment;
  /** Metrics by name, including the sub-metrics that thresholds select (`name{tag:value}`). */
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
   * Histograms in µs with 3 significant digits, in HdrHistogram's compressed encoding (base64).
   * `metrics` has one for each trend by name. `endpoints` and `scenarios` (schedule lag, empty for
   * closed models) have the order of the lists with these names in the summary.
   */
  readonly histograms: {
    readonly metrics: Readonly<Record<string, string>>;
    readonly endpoints: readonly string[];
    readonly scenarios: readonly string[];
  };
}
