import { encodeBuckets, type HistogramData } from "../../base/histogram.ts";
import { decodeHistogram } from "../../base/histogram_codec.ts";
import type {
  GroupData,
  Snapshot,
  TickDetails,
  TickReport,
} from "../../engine/metrics/snapshot.ts";
import type { FailureStats } from "../../engine/summary/flow_stats.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import type { MessageOf } from "../messages.ts";

/** Everything that a shard counted since its previous delta message. */
export type DeltaCounts = Omit<MessageOf<"delta">, "from" | "seq">;

type HistogramDelta = DeltaCounts["points"][number]["histogram"];
type FailureDelta = NonNullable<DeltaCounts["failures"]>[number];
type GroupDelta = NonNullable<DeltaCounts["groups"]>[number];
type PointDelta = DeltaCounts["points"][number];

const NO_VALUES: HistogramData = { counts: new Uint32Array(0), count: 0, sum: 0, min: 0, max: 0 };
const POINT_COUNTS = ["vus", "scheduled", "started", "dropped", "requests", "failed"] as const;

/**
 * Computes the changes in a shard's counts. Each call to `tick` or `end` returns the changes since
 * the previous call, without counts that did not change.
 */
export class DeltaEncoder {
  readonly #histograms = new Map<string, { counts: Uint32Array; sum: number }>();
  readonly #numbers = new Map<string, number>();
  readonly #known = new Set<string>();
  readonly #points = new Map<number, TimelinePoint>();
  #live: TickReport["scenarios"] = [];

  /**
   * Returns the changes during a one-second interval. `elapsedMs` is the time from the start of the
   * run to the end of the interval.
   */
  tick({ metrics, last, scenarios, details }: TickReport, elapsedMs: number): DeltaCounts {
    this.#live = scenarios;
    return this.#delta(last.at, elapsedMs, metrics, [last], details!);
  }

  /** Returns the changes since the last interval, and corrections to earlier counts. */
  end(snapshot: Snapshot): DeltaCounts {
    const { timeline, metrics, durationMs } = snapshot;
    this.#live = this.#live.map((counts) => ({ ...counts, vus: 0, atWork: 0 }));
    return this.#delta(timeline.at(-1)?.at ?? 0, durationMs, metrics, timeline, snapshot);
  }

  #delta(
    second: number,
    elapsed_ms: number,
    metrics: TickReport["metrics"],
    points: readonly TimelinePoint[],
    details: TickDetails,
  ): DeltaCounts {
    return {
      second,
      elapsed_ms,
      ...this.#metrics(metrics),
      points: points.map((point) => this.#point(point)).filter((point) => point !== undefined),
      scenarios: details.scenarios.map((scenario) => this.#scenario(scenario)),
      checks: details.checks.flatMap((check) => this.#check(check)),
      endpoints: details.endpoints.flatMap((endpoint) => this.#endpoint(endpoint)),
      failures: details.failures?.flatMap((failure) => this.#failure(failure)),
      groups: details.groups?.flatMap((group) => this.#group(group)),
      errors: details.errors.flatMap((error) => {
        const count = this.#since(["error", error.kind, error.scenario, error.name], error.count);
        return count > 0 ? [{ ...error, count }] : [];
      }),
    };
  }

  #metrics(metrics: TickReport["metrics"]) {
    const counters: DeltaCounts["counters"] = {};
    const rates: DeltaCounts["rates"] = {};
    const gauges: DeltaCounts["gauges"] = {};
    const trends: DeltaCounts["trends"] = {};
    for (const [name, data] of Object.entries(metrics)) {
      const isNew = this.#isNew(["metric", name]);
      if (data.kind === "counter") {
        const count = this.#since(["counter", name], data.count);
        if (isNew || count > 0) counters[name] = count;
      } else if (data.kind === "rate") {
        const total = this.#since(["total", name], data.total);
        const passes = this.#since(["passes", name], data.passes);
        if (isNew || total > 0) rates[name] = { passes, total };
      } else if (data.kind === "gauge") {
        const { value, min, max } = data;
        gauges[name] = { value, min, max };
      } else {
        const histogram = this.#histogram(["trend", name], data.histogram);
        if (isNew || histogram.buckets !== "") trends[name] = histogram;
      }
    }
    return { counters, rates, gauges, trends };
  }

  #point(point: TimelinePoint): PointDelta | undefined {
    const { at, histogram } = point;
    const sent = this.#points.get(at);
    this.#points.set(at, point);
    const unsent = (point.unsent ?? 0) - (sent?.unsent ?? 0);
    const counts = Object.fromEntries(
      POINT_COUNTS.map((key) => [key, point[key] - (sent?.[key] ?? 0)]),
    ) as Pick<PointDelta, typeof POINT_COUNTS[number]>;
    const isSent = sent !== undefined && histogram === sent.histogram && unsent === 0 &&
      Object.values(counts).every((change) => change === 0);
    if (isSent) return undefined;
    const before = sent && decodeHistogram(sent.histogram).data();
    return {
      at,
      ...counts,
      unsent,
      histogram: changes(decodeHistogram(histogram).data(), before),
    };
  }

  #scenario({ name, executor, ...counts }: TickDetails["scenarios"][number]) {
    const since = (key: string, value: number) => this.#since(["scenario", name, key], value);
    const live = this.#live.find((live) => live.name === name);
    return {
      name,
      executor,
      planned: counts.planned === undefined ? null : since("planned", counts.planned),
      started: since("started", counts.started ?? 0),
      ended: counts.ended ?? null,
      iterations: since("iterations", counts.iterations),
      interrupted: since("interrupted", counts.interrupted),
      dropped: since("dropped", counts.dropped),
      max_vus: since("max_vus", counts.max_vus),
      scheduled_ms: counts.scheduled_ms ?? null,
      start_delay_ms: counts.start_delay_ms ?? 0,
      unstarted_vus: since("unstarted_vus", counts.unstarted_vus ?? 0),
      vus: live?.vus ?? 0,
      at_work: live?.atWork ?? 0,
      lag: counts.lag && this.#histogram(["lag", name], counts.lag),
    };
  }

  #check({ name, scenario, group, request = "", ...counts }: TickDetails["checks"][number]) {
    const key = ["check", scenario, group, name, request];
    const passes = this.#since([...key, "passes"], counts.passes);
    const fails = this.#since([...key, "fails"], counts.fails);
    const isNew = this.#isNew(key);
    return isNew || passes + fails > 0 ? [{ name, scenario, group, request, passes, fails }] : [];
  }

  #endpoint(endpoint: TickDetails["endpoints"][number]): DeltaCounts["endpoints"] {
    const { scenario, group, name, method } = endpoint;
    const key = ["endpoint", scenario, group, name, method];
    const since = (what: string, value: number) => this.#since([...key, what], value);
    const counts = {
      count: since("count", endpoint.count),
      failed: since("failed", endpoint.failed),
      unsent: since("unsent", endpoint.unsent ?? 0),
      omitted_headers: since("omitted", endpoint.omitted_headers ?? 0),
      bytes_sent: since("sent", endpoint.bytes_sent),
      bytes_received: since("received", endpoint.bytes_received),
    };
    const isNew = this.#isNew(key);
    if (!isNew && Object.values(counts).every((change) => change === 0)) return [];
    const statuses = Object.entries(endpoint.statuses)
      .map(([status, count]) => [status, since(status, count)] as const)
      .filter(([, count]) => count > 0);
    const histogram = this.#histogram(key, endpoint.histogram);
    return [{
      scenario,
      group,
      name,
      method,
      ...counts,
      statuses: Object.fromEntries(statuses),
      histogram,
    }];
  }

  #failure(failure: FailureStats): FailureDelta[] {
    const { scenario, group, name, method, status, kind = "" } = failure;
    const key = ["failure", scenario, group, name, method, String(status), kind];
    const count = this.#since(key, failure.count);
    if (count === 0 && failure.sample === undefined) return [];
    // A copy, because the type of the original is immutable.
    return [{ ...structuredClone(failure), count } as FailureDelta];
  }

  #group({ scenario, group, histogram }: GroupData): GroupDelta[] {
    const key = ["group", scenario, group];
    const isNew = this.#isNew(key);
    const added = this.#histogram(key, histogram);
    return isNew || added.buckets !== "" ? [{ scenario, group, histogram: added }] : [];
  }

  #isNew(key: readonly string[]): boolean {
    const { size } = this.#known;
    return this.#known.add(JSON.stringify(key)).size > size;
  }

  #since(key: readonly string[], value: number): number {
    const id = JSON.stringify(key);
    const before = this.#numbers.get(id) ?? 0;
    this.#numbers.set(id, value);
    return value - before;
  }

  #histogram(key: readonly string[], data: HistogramData): HistogramDelta {
    const id = JSON.stringify(key);
    const before = this.#histograms.get(id);
    this.#histograms.set(id, { counts: data.counts.slice(), sum: data.sum });
    return changes(data, before);
  }
}

function changes(
  data: HistogramData,
  before: Pick<HistogramData, "counts" | "sum"> = NO_VALUES,
): HistogramDelta {
  const { sum, min, max } = data;
  const buckets = encodeBuckets(data, before.counts);
  return { buckets, sum: Math.max(0, Math.round(sum - before.sum)), min: Math.floor(min), max };
}
