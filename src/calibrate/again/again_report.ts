import type { RemovedVariable } from "../repair.ts";

/**
 * A value that the plan now extracts because a later request sends it. `source` and `consumers` are
 * zero-based indexes of requests.
 */
export interface AgainExtraction {
  readonly variable: string;
  readonly source: number;
  readonly consumers: readonly number[];
}

/** A value that occurs only in requests, and the template that generates a new one. */
export interface AgainClientValue {
  readonly index: number;
  /** Name of the request field that sends the value. May be empty. */
  readonly field: string;
  readonly template: string;
}

/** Results of repairing a plan with a second recording of the same session. */
export interface AgainReport {
  /** Number of requests in the plan. */
  readonly requests: number;
  /** Number of requests of the plan that both recordings contain. */
  readonly paired: number;
  /** Zero-based indexes of the plan's requests that the second recording does not contain. */
  readonly onlyFirst: readonly number[];
  /**
   * Calls that only the second recording contains, such as `GET /cart`. May contain recorded text.
   */
  readonly onlySecond: readonly string[];
  /**
   * Requests whose response in the second recording has a different status, media type or redirect
   * target, or is a different page. The repair ignores these responses.
   */
  readonly otherResponses: readonly { readonly index: number; readonly difference: string }[];
  readonly extracted: readonly AgainExtraction[];
  readonly client: readonly AgainClientValue[];
  /**
   * Variables whose extractor does not find a value in the second recording. The plan still
   * contains these variables.
   */
  readonly notFound: readonly { readonly variable: string; readonly source: number }[];
  readonly removed: readonly RemovedVariable[];
  readonly constants: readonly { readonly variable: string; readonly source: number }[];
  /**
   * Fields that differ between the recordings, but that the plan still sends with the value from
   * the first recording, because no known rule generates a new one. If several fields send the same
   * value, contains only the first of them.
   */
  readonly unexplained: readonly { readonly index: number; readonly field: string }[];
}
