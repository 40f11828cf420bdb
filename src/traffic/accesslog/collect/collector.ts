import type { RequestCollector } from "../read/request_use.ts";
import type { CollectorKind } from "./collector_kinds.ts";

/**
 * Contents of a collector, as data that can be sent to another thread. The `convert` command writes
 * the same data to a traffic profile, as JSON.
 */
export type Collected = unknown;

/**
 * Collects information from the requests in a log. If separate collectors read parts of a log,
 * merging them gives exactly the same state as reading the whole log with one collector.
 */
export interface LogCollector extends RequestCollector {
  /**
   * Name of the collector, from which another thread can create an equivalent collector (see
   * `createCollector`).
   */
  readonly kind: CollectorKind;
  /**
   * Settings from which another thread creates an equivalent collector; must be serializable as
   * JSON.
   */
  readonly settings?: unknown;
  /** Returns the contents. The result may share memory with this collector. */
  data(): Collected;
  /**
   * Adds the contents of another collector with the same settings, which read another part of the
   * log. `bytes` is the byte offset in the log at which that part starts.
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
