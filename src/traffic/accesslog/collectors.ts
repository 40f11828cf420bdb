import type { LogCollector } from "./collect/collector.ts";
import type { CollectorKind } from "./collect/collector_kinds.ts";

/**
 * Functions that create each kind of collector from its settings. Modules are loaded only if they
 * are needed, because loading them delays the start.
 */
const COLLECTORS: Readonly<Record<CollectorKind, (settings: unknown) => Promise<LogCollector>>> = {
  timings: async () => new (await import("./collect/timings.ts")).Timings(),
  ids: async () => (await import("./collect/collect_ids.ts")).collectIds(),
  queries: async () => (await import("./collect/collect_queries.ts")).collectQueries(),
  visits: async () => new (await import("./collect/visits/visits.ts")).Visits(),
  statuses: async () => new (await import("./collect/status_counts.ts")).StatusCounts(),
  "status-classes": async () =>
    new (await import("./collect/status_class_totals.ts")).StatusClassTotals(),
  entry: async (settings) => {
    const { EntryRequests } = await import("./collect/entry_requests.ts");
    const { method, target } = settings as { readonly method: string; readonly target: string };
    return new EntryRequests(method, target);
  },
};

/** A kind of collector and its settings, as data that can be sent to another thread. */
export interface CollectorReference {
  readonly kind: CollectorKind;
  readonly settings?: unknown;
}

/** Creates an empty collector. */
export function createCollector({ kind, settings }: CollectorReference): Promise<LogCollector> {
  return COLLECTORS[kind](settings);
}
