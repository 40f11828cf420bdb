import { OutputError } from "../../base/errors.ts";
import {
  ANONYMOUS,
  BOUNDS,
  type ExportIdentity,
  METRIC_PREFIX,
  type MetricValues,
  type OutputOf,
  post,
  Pusher,
  pushIntervalMs,
  type RunOutput,
} from "./outputs.ts";

export function openOtlp(
  output: OutputOf<"otlp">,
  _resolve: unknown,
  identity: ExportIdentity,
): RunOutput[] {
  const { endpoint, headers } = output;
  const url = URL.parse(endpoint);
  if (url === null) throw new OutputError(`cannot push to ${endpoint}: it is not a valid URL`);
  if (url.pathname === "/") url.pathname = "/v1/metrics";
  const start = Date.now();
  return [
    new Pusher({
      name: `otlp ${endpoint}`,
      intervalMs: pushIntervalMs(output),
      send: (values, time, signal) =>
        post(
          url.href,
          { ...headers, "content-type": "application/json" },
          JSON.stringify(otlpMetrics(values, start, time, identity)),
          signal,
          refuseRejections,
        ),
    }),
  ];
}

/** Throws an error if the response to a push says that the receiver rejected some of its points. */
function refuseRejections(response: string): void {
  const count = /"rejectedDataPoints"\s*:\s*"?([1-9]\d*)/.exec(response)?.[1];
  const [, reason = "no reason given"] =
    /"errorMessage"\s*:\s*"((?:\\.|[^"\\])+)"/.exec(response) ?? [];
  if (count !== undefined) {
    throw new Error(`the receiver rejected ${count} data points: ${reason.slice(0, 200)}`);
  }
}

/**
 * Converts values to an OTLP metrics request, to be sent as JSON. Counters are cumulative sums
 * since `start`. `start` and `time` are Unix milliseconds. `identity` becomes attributes of the
 * resource.
 */
export function otlpMetrics(
  { points, histograms }: MetricValues,
  start: number,
  time: number,
  { labels, instance }: ExportIdentity = ANONYMOUS,
): object {
  const times = { startTimeUnixNano: nanos(start), timeUnixNano: nanos(time) };
  const families = Map.groupBy(points, ({ name }) => name);
  const metrics = [...families].map(([name, family]) => {
    const dataPoints = family.map(({ labels, value }) => ({
      attributes: labels.map(([key, text]) => attribute(key, text)),
      ...times,
      asDouble: value,
    }));
    const isSum = family[0].kind === "counter";
    const data = isSum
      ? { sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }
      : { gauge: { dataPoints } };
    return { name: METRIC_PREFIX + name, ...data };
  });
  const distributions = [...Map.groupBy(histograms, ({ name }) => name)].map(([name, same]) => ({
    name: METRIC_PREFIX + name,
    unit: "s",
    histogram: {
      aggregationTemporality: 2,
      dataPoints: same.map(({ labels, counts, count, sum }) => ({
        attributes: labels.map(([key, text]) => attribute(key, text)),
        ...times,
        count: String(count),
        sum,
        bucketCounts: counts.map(String),
        explicitBounds: BOUNDS,
      })),
    },
  }));
  const attributes = [
    attribute("service.name", "rehearse"),
    ...(instance === undefined ? [] : [attribute("service.instance.id", instance)]),
    ...labels.map(([key, text]) => attribute(key, text)),
  ];
  return {
    resourceMetrics: [{
      resource: { attributes },
      scopeMetrics: [{ scope: { name: "rehearse" }, metrics: [...metrics, ...distributions] }],
    }],
  };
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function nanos(ms: number): string {
  return `${Math.round(ms)}000000`;
}
