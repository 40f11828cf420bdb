import type { RequestCollector } from "../read/request_use.ts";
import type { CollectorKind } from "./collector_kinds.ts";

/**
 * Contents of a collector, as data that can be sent to another thread. `convert` writes the same
 * data to a traffic profile, as JSON.
 */
export type Collected = unknown;

/**
 * Collects information from the requests of a log. If parts of a log are read by separate
 * collectors, merging these gives exactly the same state as reading the whole log with one
 * collector.
 */
export interface LogCollector extends RequestCollector {
  /** Name in the registry. Another thread uses it to create an equal collector. */
  readonly kind: CollectorKind;
  /** Settings with which another thread creates an equal collector; must be JSON. */
  readonly settings?: unknown;
  /**
   * If the order of the log matters, creates a recorder for one thread. The results of its `take`
   * must be passed to `append` in the order of the log. Absent if the order does not matter. In that
   * case, each other thread creates its own collector with the same settings, and `merge` adds the
   * contents of that collector to this one.
   */
  createRecorder?(): SliceRecorder;
  /**
   * Adds the records of the next slice, which were returned by the recorder of thread number
   * `thread`.
   */
  append?(recorded: unknown, thread: number): void;
  /** Returns the contents. The result may share memory with this collector. */
  data(): Collected;
  /**
   * Adds the contents of another collector with the same settings. `bytes` is the log offset of the
   * part that the other collector read. If the order of the log matters, that part must follow
   * everything that was collected so far.
   */
  merge(data: Collected, bytes: number): void;
  /** Returns the contents as JSON. Equal collectors return equal values. */
  toJson(): unknown;
  /**
   * Converts the result of `toJson` to the data that `merge` expects. Throws `InvalidProfile` if it
   * is not valid.
   */
  fromJson(json: unknown): Collected;
}

/** Records the requests of one slice of a log at a time, for a collector that depends on their order. */
export interface SliceRecorder extends RequestCollector {
  /** Returns what was recorded since the last call, as data that can be sent to another thread. */
  take(): unknown;
}
