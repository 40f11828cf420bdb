import { collectIds } from "./collect/collect_ids.ts";
import { collectQueries } from "./collect/collect_queries.ts";
import type { LogCollector } from "./collect/collector.ts";
import type { CollectorKind } from "./collect/collector_kinds.ts";
import { EntryRequests } from "./collect/entry_requests.ts";
import { Statuses } from "./collect/statuses.ts";
import { Timings } from "./collect/timings.ts";
import { Visits } from "./collect/visits/visits.ts";

/** Functions that create each kind of collector from its settings. */
const COLLECTORS: Readonly<Record<CollectorKind, (settings: unknown) => LogCollector>> = {
  timings: () => new Timings(),
  ids: collectIds,
  queries: collectQueries,
  visits: () => new Visits(),
  statuses: () => new Statuses(),
  entry: (settings) => {
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
export function createCollector({ kind, settings }: CollectorReference): LogCollector {
  return COLLECTORS[kind](settings);
}
