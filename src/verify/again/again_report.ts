import type { RemovedVariable } from "../calibrate/repair.ts";

/** A value that a later request sends and that the plan now extracts. Numbers of requests start at 0. */
export interface AgainExtraction {
  readonly variable: string;
  readonly source: number;
  readonly consumers: readonly number[];
}

/** A value that only requests hold, and the template that makes a fresh one. */
export interface AgainClientValue {
  readonly index: number;
  /** Name of the field, which may be empty. */
  readonly field: string;
  readonly template: string;
}

/** What two recordings of the same session say about a plan. */
export interface AgainReport {
  /** Number of requests of the plan. */
  readonly requests: number;
  /** Number of requests of the plan that both recordings contain. */
  readonly paired: number;
  /** Requests of the plan that the second recording does not contain. */
  readonly onlyFirst: readonly number[];
  /** Calls that only the second recording contains, such as `GET /cart`. May contain recorded text. */
  readonly onlySecond: readonly string[];
  /** Requests whose response in the second recording is of another kind, which says nothing. */
  readonly otherResponses: readonly { readonly index: number; readonly difference: string }[];
  readonly extracted: readonly AgainExtraction[];
  readonly client: readonly AgainClientValue[];
  /** Variables whose extractor finds nothing in the second recording. The plan keeps them. */
  readonly notFound: readonly { readonly variable: string; readonly source: number }[];
  readonly removed: readonly RemovedVariable[];
  readonly constants: readonly { readonly variable: string; readonly source: number }[];
  /**
   * Fields that differ between the recordings, without a known rule to make a fresh value. Contains
   * only the first field that sends a value.
   */
  readonly unexplained: readonly { readonly index: number; readonly field: string }[];
}
