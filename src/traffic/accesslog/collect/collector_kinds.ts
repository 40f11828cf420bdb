/** Names of the collectors in the registry. */
export const COLLECTOR_KINDS = [
  "timings",
  "ids",
  "queries",
  "visits",
  "statuses",
  "status-classes",
  "entry",
] as const;

/** Name of a collector in the registry. */
export type CollectorKind = typeof COLLECTOR_KINDS[number];
