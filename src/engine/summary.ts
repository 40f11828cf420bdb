import type { ErrorKind } from "./sender.ts";

/** The version of the summary's JSON: raised when a field changes its meaning or goes away. */
export const SUMMARY_SCHEMA = 2;

/** A counter. */
export interface CounterStats {
  readonly count: number;
  /** Per second of the run. */
  readonly rate: number;
}

/** How often something was true. */
export interface RateStats {
  /** Share that passed, 0 to 1; for `http_req_failed`, the share that failed. */
  readonly value: number;
  /** How often the rate's own event was true, as k6 counts: for `http_req_failed`, the failures. */
  readonly passes: number;
  readonly fails: number;
}

/** A level: the last one, the lowest, the highest. */
export interface GaugeStats {
  readonly value: number;
  readonly min: number;
  readonly max: number;
}

/** Milliseconds; all 0 when nothing was recorded. */
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

/** The figures of one metric, in the shape of k6's summary export. */
export type MetricStats = CounterStats | RateStats | GaugeStats | TrendStats;

/** The result of one threshold. */
export interface ThresholdVerdict {
  /** The metric's name with its tags, as the plan writes it: `http_req_duration{name:login}`. */
  readonly metric: string;
  /** Such as `p(95)<400`. */
  readonly expression: string;
  /** Null if it was not judged: one shard sees only its part of the load, and a sample may still come. */
  readonly passed: boolean | null;
  /**
   * The aggregated value in the metric's unit; null if no sample matched the selector. Such a threshold
   * passes only if it is `optional`.
   */
  readonly value: number | null;
  /** Whether the plan lets the threshold match no sample. Absent means false. */
  readonly optional?: boolean;
  /** Whether it ended the run (`abort_on_fail`). */
  readonly aborted: boolean;
}

/** How often a check held. */
export interface CheckStats {
  readonly name: string;
  readonly scenario: string;
  /** `::outer::inner`, or empty outside of groups. */
  readonly group: string;
  readonly passes: number;
  readonly fails: number;
}

/** An endpoint's requests over time, in stretches of equal length from the run's start on. */
export interface EndpointSeries {
  /** Seconds of a stretch: 1, doubled as often as it takes to come by with 60 of them. */
  readonly step: number;
  /** Requests that ended in each stretch. */
  readonly count: readonly number[];
  readonly failed: readonly number[];
  /** The mean `http_req_duration` in each stretch, ms; 0 without requests. */
  readonly avg: readonly number[];
}

/** What came of the requests of one name. */
export interface EndpointStats {
  readonly scenario: string;
  readonly group: string;
  readonly name: string;
  readonly method: string;
  /** Requests sent. */
  readonly count: number;
  /** Requests that failed, those that could not be sent included. */
  readonly failed: number;
  /** Requests that could not be sent, such as for lack of a variable. Absent means 0. */
  readonly unsent?: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  /** Answers by status; `0` counts those without one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly http_req_duration: TrendStats;
  /** Absent in summaries of versions that did not keep it. */
  readonly series?: EndpointSeries;
}

/** Requests that ended in one kind of fault at one endpoint. */
export interface ErrorStats {
  readonly kind: ErrorKind;
  readonly scenario: string;
  readonly name: string;
  readonly count: number;
  /** The first message of that kind, for a person. Holds recorded text: make it safe before printing. */
  readonly message: string;
}

/** What a scenario played. */
export interface ScenarioSummary {
  readonly name: string;
  readonly executor: string;
  readonly iterations: number;
  /** Cut off when `graceful_stop` or `graceful_ramp_down` was over. */
  readonly interrupted: number;
  /** Starts of an open-model scenario for which no VU was free. */
  readonly dropped: number;
  readonly max_vus: number;
  /** How late iterations of an open-model scenario were started, in µs; null for closed models. */
  readonly schedule_lag_us: TrendStats | null;
  /** How long the schedule of an open model lasted, in ms, until it ended or was stopped. */
  readonly scheduled_ms?: number;
}

/** One second of the run. */
export interface TimelinePoint {
  /** Seconds from the run's start to the end of this point's second. */
  readonly at: number;
  /** The most at work at once. */
  readonly vus: number;
  /** Iterations that the open-model schedules asked for in this second, and those started (any model). */
  readonly scheduled: number;
  readonly started: number;
  readonly dropped: number;
  /** Requests that were sent and ended in this second. */
  readonly requests: number;
  /** Requests that failed in this second, those that could not be sent included. */
  readonly failed: number;
  /** Requests that could not be sent. Absent means 0. */
  readonly unsent?: number;
  /** `http_req_duration` of the requests that ended in this second, ms; 0 without any. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** The histogram behind the percentiles, HdrHistogram's compressed encoding; empty without requests. */
  readonly histogram: string;
}

/** Why a run ended: on its own, by Ctrl-C, by a threshold with `abort_on_fail`, by an `abort_test` assertion. */
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

/** Why a set of summaries is not one complete run; `merge --allow` accepts such a set by these names. */
export type MergeFlaw = "missing" | "interrupted" | "aborted" | "shifted" | "unknown-plan";

/** A flaw that `merge --allow` accepted. */
export interface AcceptedFlaw {
  readonly flaw: MergeFlaw;
  /** Names the shards. Holds no recorded text. */
  readonly message: string;
}

/** What a run was started with. */
export interface RunEnvironment {
  /** The version of rehearse. */
  readonly version: string;
  /** The plan's path as given on the command line; `-` is standard input. */
  readonly plan: string;
  /** The origins of the requests, such as `https://shop.example:8443`, without user names. */
  readonly targets: readonly string[];
  /** The options that change the load, such as `--rate-scale 2`; of variables only the names. */
  readonly options: readonly string[];
  /** Cores of the machine, and the threads that made the load. */
  readonly cores: number;
  readonly workers: number;
}

/** Why a run failed as a whole, regardless of its thresholds. Reports print it as it is. */
export type RunFailure = typeof RUN_FAILURES[number];
/** Every `RunFailure`; the second one is for `run --once`. */
export const RUN_FAILURES = ["no request got a response", "a request failed"] as const;

/** The result of a run: the JSON of `--summary-export`, and the source of reports. */
export interface Summary {
  readonly schema: typeof SUMMARY_SCHEMA;
  readonly name: string;
  /**
   * SHA-256 (hex) of the plan as run, with options and overlay applied, and of its data files. Null in
   * summaries of versions that did not record it.
   */
  readonly plan_hash: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** From the start to the end of the last iteration. */
  readonly duration_ms: number;
  readonly ending: Ending;
  /**
   * False if a threshold failed, the run was aborted or there is a `failure`. True if all thresholds passed and the run is
   * complete. Otherwise null, which is unknown; also without thresholds.
   */
  readonly passed: boolean | null;
  /** Why the run as a whole failed; absent otherwise. */
  readonly failure?: RunFailure;
  /** The same seed draws the same random numbers again. */
  readonly seed: number;
  /** Seed of the order of shuffled data that VUs share; null if the plan has none. */
  readonly data_seed: number | null;
  /** The shards that this summary covers. */
  readonly shards: readonly ShardRun[];
  /** Why a merged summary is not the complete run; empty otherwise. */
  readonly accepted: readonly AcceptedFlaw[];
  /** What the run was started with. Absent in summaries of versions that did not keep it. */
  readonly environment?: RunEnvironment;
  /** By name; the sub-metrics of thresholds' selectors stand beside their metric (`name{tag:value}`). */
  readonly metrics: Readonly<Record<string, MetricStats>>;
  readonly thresholds: readonly ThresholdVerdict[];
  readonly checks: readonly CheckStats[];
  /** Most requests first. */
  readonly endpoints: readonly EndpointStats[];
  /** Most frequent first. */
  readonly errors: readonly ErrorStats[];
  readonly scenarios: readonly ScenarioSummary[];
  readonly timeline: readonly TimelinePoint[];
  /**
   * Histograms (µs, 3 significant digits) in HdrHistogram's compressed encoding, base64: `metrics` by
   * the trend's name, `endpoints` and `scenarios` (schedule lag) in the order of their lists.
   */
  readonly histograms: {
    readonly metrics: Readonly<Record<string, string>>;
    readonly endpoints: readonly string[];
    readonly scenarios: readonly string[];
  };
}

/** How far a scenario has come. */
export interface ScenarioProgress {
  readonly name: string;
  readonly executor: string;
  readonly state: "waiting" | "playing" | "ended";
  /** When its schedule starts, from the run's start. */
  readonly startMs: number;
  /** Of its schedule, or of its iterations where it plays a number of them: 0 to 1. */
  readonly done: number;
  /** The most at work at once in the last second. */
  readonly vus: number;
  readonly iterations: number;
  readonly dropped: number;
}

/** What is shown while a run goes on; `onTick` gets one every second. */
export interface Progress {
  readonly elapsedMs: number;
  /** When the schedules end, from the run's start; graceful stops may take it further. */
  readonly plannedMs: number;
  /** How far it has come, 0 to 1: of its time, or of its iterations where those are further. */
  readonly done: number;
  readonly vus: number;
  readonly iterations: number;
  readonly dropped: number;
  readonly requests: number;
  readonly failed: number;
  /** Requests that could not be sent; they count as failed. */
  readonly unsent: number;
  /** The last second: its rates are counts, its percentiles ms. */
  readonly last: TimelinePoint;
  /** `http_req_duration` of the run so far, ms. */
  readonly times: Pick<TimelinePoint, "p50" | "p95" | "p99">;
  readonly scenarios: readonly ScenarioProgress[];
  /** As they would be judged if the run ended now; not judged in a shard, or before the first sample. */
  readonly thresholds: readonly ThresholdVerdict[];
}
