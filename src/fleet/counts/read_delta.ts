import { decodeBuckets, type SparseHistogram } from "../../base/histogram.ts";
import type { DeltaCounts } from "./delta_encoder.ts";

/** Encoded histogram in a delta. */
export type Encoded = DeltaCounts["trends"][string];

/** A delta whose histograms are decoded. */
export type ReadDelta = Decoded<DeltaCounts>;

/** Replaces the encoded histograms in a type with decoded ones. */
export type Decoded<T> = T extends Encoded ? SparseHistogram
  : T extends (infer Item)[] ? Decoded<Item>[]
  : T extends object ? { [Key in keyof T]: Decoded<T[Key]> }
  : T;

/** Decodes the histograms of a delta. Throws an Error if one of them is invalid. */
export function readDelta(delta: DeltaCounts): ReadDelta {
  return {
    ...delta,
    trends: Object.fromEntries(
      Object.entries(delta.trends).map(([name, data]) => [name, decode(data)]),
    ),
    points: delta.points.map((point) => ({ ...point, histogram: decode(point.histogram) })),
    scenarios: delta.scenarios.map((scenario) => ({
      ...scenario,
      lag: scenario.lag && decode(scenario.lag),
    })),
    groups: delta.groups?.map((group) => ({ ...group, histogram: decode(group.histogram) })),
    endpoints: delta.endpoints.map((endpoint) => ({
      ...endpoint,
      histogram: decode(endpoint.histogram),
    })),
  };
}

function decode({ buckets, ...stats }: Encoded): SparseHistogram {
  return { ...decodeBuckets(buckets), ...stats };
}
