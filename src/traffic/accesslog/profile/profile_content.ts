import type { TrafficProfile } from "./traffic_profile.ts";

/** A filter option, as stored in a traffic profile. */
export interface FilterRecord {
  /** The option, such as `--status`. */
  readonly option: string;
  /** Value of the option as text; empty if the option has no value. */
  readonly value: string;
  /** Number of requests that the filter dropped. */
  readonly dropped: number;
  /**
   * Description of the requests that the filter keeps. Absent if `option` and `value` already
   * describe them.
   */
  readonly kept?: string;
}

/** Contents of a collector, as stored in a traffic profile. */
export interface CollectedRecord {
  readonly settings?: unknown;
  readonly data: unknown;
}

/** Content of a traffic profile. */
export interface ProfileContent {
  readonly profile: TrafficProfile;
  readonly filters: readonly FilterRecord[];
  /** Contents of the collectors, by kind. They are not validated. */
  readonly collected: ReadonlyMap<string, CollectedRecord>;
}
