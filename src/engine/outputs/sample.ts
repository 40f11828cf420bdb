import type { ErrorKind } from "../sender.ts";

/** One thing that happened in a run. `time` is in ms from 1970. */
export type Sample =
  | RequestSample
  | {
    readonly type: "check";
    readonly time: number;
    readonly scenario: string;
    readonly group: string;
    readonly check: string;
    readonly passed: boolean;
  }
  | {
    readonly type: "iteration";
    readonly time: number;
    readonly scenario: string;
    readonly iteration_duration: number;
  }
  | { readonly type: "dropped_iteration"; readonly time: number; readonly scenario: string };

/** One exchange; its times are in ms, named as the metrics that they count for. */
export interface RequestSample {
  readonly type: "request";
  readonly time: number;
  /** The tags of the request, those of the plan among them. */
  readonly tags: Readonly<Record<string, string>>;
  /** 0 when no answer came. */
  readonly status: number;
  readonly failed: boolean;
  readonly error_kind?: ErrorKind;
  readonly data_sent: number;
  readonly data_received: number;
  readonly http_req_duration: number;
  readonly http_req_blocked: number;
  readonly http_req_connecting: number;
  readonly http_req_tls_handshaking: number;
  readonly http_req_sending: number;
  readonly http_req_waiting: number;
  readonly http_req_receiving: number;
  /** Of the first request of a scheduled iteration only. */
  readonly http_req_latency_corrected?: number;
}

/** Samples of a stretch of time, and how many there was no room for. */
export interface SampleBatch {
  readonly samples: readonly Sample[];
  readonly dropped: number;
}
