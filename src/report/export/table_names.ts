/** Names of the tables of a run. */
export const RUN_TABLES = [
  "endpoints",
  "endpoints-over-time",
  "timeline",
  "thresholds",
  "failures",
  "errors",
  "checks",
  "groups",
  "scenarios",
  "phases",
  "metrics",
] as const;

/** Name of a table of a run. */
export type RunTable = typeof RUN_TABLES[number];
