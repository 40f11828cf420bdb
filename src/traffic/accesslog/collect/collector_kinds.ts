/** Names of the log collectors that `createCollector` can create. */
export const COLLECTOR_KINDS = [
  "timings",
  "ids",
  "queries",
  "visits",
  "statuses",
  "entry",
] as const;

/** Name of a log collector that `createCollector` can create. */
export type CollectorKind = typeof COLLECTOR_KINDS[number];
