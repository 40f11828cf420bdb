import type { Point } from "../../outputs/points.ts";
import { PREFIX } from "../../outputs/prometheus_text.ts";

/**
 * Converts points to an OTLP metrics request, to be sent as JSON. Counters are cumulative sums
 * since `start`. `start` and `time` are Unix milliseconds.
 */
export function otlpMetrics(points: readonly Point[], start: number, time: number): object {
  const families = Map.groupBy(points, ({ name }) => name);
  const metrics = [...families].map(([name, family]) => {
    const dataPoints = family.map(({ labels, value }) => ({
      attributes: labels.map(([key, text]) => attribute(key, text)),
      startTimeUnixNano: nanos(start),
      timeUnixNano: nanos(time),
      asDouble: value,
    }));
    const isSum = family[0].kind === "counter";
    const data = isSum
      ? { sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }
      : { gauge: { dataPoints } };
    return { name: PREFIX + name, ...data };
  });
  return {
    resourceMetrics: [{
      resource: { attributes: [attribute("service.name", "rehearse")] },
      scopeMetrics: [{ scope: { name: "rehearse" }, metrics }],
    }],
  };
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function nanos(ms: number): string {
  return `${Math.round(ms)}000000`;
}
