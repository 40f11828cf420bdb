import type { ErrorKind } from "../sender.ts";

/** Event of a run. `time` is in Unix milliseconds. */
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

/** Exchange; its times are in ms and named like their metrics. */
export interface RequestSample {
  readonly type: "request";
  readonly time: number;
  /** Tags of the request, including those of the plan. */
  readonly tags: Readonly<Record<string, string>>;
  /** Status code; 0 without a response. */
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
  /** Present only for the first request of a scheduled iteration. */
  readonly http_req_latency_corrected?: number;
}

/** Samples of a period, and the number dropped because the buffer was full. */
export interface SampleBatch {
  readonly samples: readonly Sample[];
  readonly dropped: number;
}
