import { Histogram, type HistogramData, mergeHistograms } from "../../src/base/histogram.ts";
import { random } from "../../src/base/random.ts";
import { SeriesRecorder } from "../../src/engine/metrics/endpoint_series.ts";
import type { EndpointData, MetricData } from "../../src/engine/metrics/snapshot.ts";
import {
  evaluateThreshold,
  parseThresholds,
  summarize,
} from "../../src/engine/metrics/summarize.ts";
import type { SecondData } from "../../src/engine/metrics/snapshot.ts";
import { timelinePoint } from "../../src/engine/metrics/timeline.ts";
import type { EndpointSeries, FailureStats } from "../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";

/** Properties of a synthetic run. */
export interface LongRun {
  readonly seconds: number;
  readonly endpoints: number;
  /** Factor by which all times are multiplied (default: 1). */
  readonly slower?: number;
  readonly seed?: number;
  /** Returns the name of endpoint `k` (default: `GET` or `POST`, and `/api/resource-K/…`). */
  readonly name?: (k: number) => string;
}

const THRESHOLDS = {
  http_req_duration: ["p(95)<250", "p(99)<700"],
  http_req_failed: ["rate<0.01"],
  dropped_iterations: ["count<100"],
};

const scenario = "browse";
const IN = { scenario, group: "" };

/** Creates the summary of a pseudo-random run with a period of slow responses in the middle. */
export function longSummary(run: LongRun): Summary {
  const { seconds, endpoints, slower = 1, seed = 1 } = run;
  const { next: draw } = random(seed);
  const name = run.name ??
    ((k) => `${k % 5 === 3 ? "POST" : "GET"} /api/resource-${k}/\${vars.id}/items`);
  const times = new Histogram();
  const timeline = Array.from({ length: seconds }, (_, i) => {
    const [counts, histogram] = second(i, seconds, slower, draw);
    times.addData(histogram.data());
    return timelinePoint(counts, histogram);
  });
  const requests = timeline.reduce((sum, point) => sum + point.requests, 0);
  const failed = timeline.reduce((sum, point) => sum + point.failed, 0);
  const dropped = timeline.reduce((sum, point) => sum + point.dropped, 0);
  const started = timeline.reduce((sum, point) => sum + point.started, 0);
  const durations = times.data();
  const trend = (histogram: HistogramData): MetricData => ({ kind: "trend", histogram });
  const metrics: Record<string, MetricData> = {
    iterations: { kind: "counter", count: started },
    dropped_iterations: { kind: "counter", count: dropped },
    http_reqs: { kind: "counter", count: requests },
    data_sent: { kind: "counter", count: 412 * requests },
    data_received: { kind: "counter", count: 8_417 * requests },
    checks: { kind: "rate", passes: requests - failed, total: requests },
    http_req_failed: { kind: "rate", passes: failed, total: requests },
    vus: { kind: "gauge", value: 4, min: 1, max: 60 },
    vus_max: { kind: "gauge", value: 60, min: 60, max: 60 },
    iteration_duration: trend(durations),
    http_req_duration: trend(durations),
    http_req_waiting: trend(durations),
    http_req_latency_corrected: trend(corrected(durations)),
  };
  const rules = parseThresholds(THRESHOLDS);
  const durationMs = seconds * 1_000 + 34;
  return summarize(
    {
      durationMs,
      metrics,
      checks: [
        {
          ...IN,
          name: "status is 200",
          request: name(0),
          passes: requests - failed,
          fails: failed,
        },
        {
          ...IN,
          group: "::shop::cart",
          name: "has a basket",
          request: name(1),
          passes: 812,
          fails: 0,
        },
      ],
      endpoints: Array.from({ length: endpoints }, (_, k) => endpoint(name(k), k, slower, draw)),
      errors: [
        { scenario, kind: "timeout", name: name(0), count: 312, message: "no answer within 5s" },
        { scenario, kind: "reset", name: name(1), count: 17, message: "the connection was reset" },
      ],
      failures: Array.from({ length: endpoints }, (_, k) => failure(name(k), k))
        .filter((_, k) => k % 7 === 2),
      groups: [{ scenario: "browse", group: "::shop", histogram: durations }],
      scenarios: [{
        name: "browse",
        executor: "ramping-arrival-rate",
        started: started + 2,
        ended: "finished",
        iterations: started,
        interrupted: 2,
        dropped,
        max_vus: 60,
        lag: values(400, () => 60 + 200 * draw() ** 6),
      }],
      timeline,
    },
    {
      name: "Spring sale, checkout and browse",
      plan_hash: "1a".repeat(32),
      started_at: "2026-11-21T10:00:00.000Z",
      ending: "finished",
      seed,
      data_seed: null,
      shards: [{
        shard: "1/1",
        started_at: "2026-11-21T10:00:00.000Z",
        duration_ms: durationMs,
        ending: "finished",
      }],
      accepted: [],
    },
    rules.map((rule) => evaluateThreshold(rule, metrics, durationMs)),
  );
}

function second(
  i: number,
  of: number,
  slower: number,
  draw: () => number,
): [Omit<SecondData, "histogram">, Histogram] {
  const ramp = Math.min(1, (i + 1) / (of / 10 + 1));
  const isSlow = i > of * 0.55 && i < of * 0.63;
  const scheduled = Math.round(40 * ramp + 10 * Math.sin(i / of * 9) + 8);
  const dropped = isSlow && draw() < 0.4 ? Math.floor(6 * draw()) : 0;
  const requests = Math.round((scheduled - dropped) * (1.9 + 0.2 * draw()));
  const typical = slower * (isSlow ? 160_000 : 21_000);
  const counts = {
    at: i + 1,
    vus: Math.round(scheduled * typical / 1e6 * 8) + 2,
    scheduled,
    started: scheduled - dropped,
    dropped,
    requests,
    failed: isSlow ? Math.floor(requests * 0.12 * draw()) : draw() < 0.02 ? 1 : 0,
  };
  return [counts, mergeHistograms(values(requests, () => typical * spread(draw)))];
}

function endpoint(name: string, k: number, slower: number, draw: () => number): EndpointData {
  const count = Math.max(20, Math.round(9_000 / (k + 1)));
  const failed = k % 7 === 2 ? Math.round(count / 60) : 0;
  const typical = slower * (8_000 + 3_000 * (k % 11) + (k % 13 === 4 ? 90_000 : 0));
  return {
    scenario: "browse",
    group: k % 4 === 1 ? "::shop" : "",
    name,
    method: name.split(" ")[0],
    count,
    failed,
    bytes_sent: 412 * count,
    bytes_received: 8_417 * count,
    statuses: { "200": count - failed, ...(failed > 0 && { "500": failed }) },
    series: series(count, failed, typical, k),
    histogram: values(count, () => typical * spread(draw)),
  };
}

function failure(name: string, k: number): FailureStats {
  const [method] = name.split(" ");
  const sample = {
    request: {
      method,
      url: `http://shop.example/api/resource-${k}/17/items`,
      headers: ["User-Agent: rehearse", "Authorization: Bearer ********"],
    },
    response: {
      status: 500,
      headers: ["content-type: application/json"],
      body: `{"error":"out of stock","trace":"${"f".repeat(300)}"}`,
    },
  };
  const key = { scenario: "browse", group: k % 4 === 1 ? "::shop" : "", name, method };
  return { ...key, status: 500, count: 60 + k, ...(k > 150 && { sample }) };
}

/**
 * Returns one hour of an endpoint's data in 57 intervals. Some endpoints are idle in some
 * intervals.
 */
function series(count: number, failed: number, typical: number, k: number): EndpointSeries {
  const recorder = new SeriesRecorder();
  let [sent, bad, sum] = [0, 0, 0];
  for (let i = 0; i < 57; i++) {
    const isSlow = i > 31 && i < 36;
    const requests = k % 9 === 5 && i > 20 && i < 30 ? 0 : Math.ceil(count / 57);
    const us = Math.round(typical * (1 + 0.3 * Math.sin(i / 6 + k) + (isSlow ? 4 : 0)));
    if (requests > 0) recorder.record(us, requests);
    sent += requests;
    sum += requests * us;
    if (isSlow) bad += Math.ceil(failed / 4);
    const statuses = { 200: sent - bad, ...(bad > 0 && { 500: bad }) };
    recorder.tick(i + 1, { count: sent, failed: bad, histogram: { sum }, statuses });
  }
  return { ...recorder.data()!, step: 64 };
}

/** Returns a random factor around 1 with a long tail. */
function spread(draw: () => number): number {
  return 0.4 + draw() + 0.06 / (1.005 - draw());
}

function values(count: number, draw: () => number): HistogramData {
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(draw());
  return histogram.data();
}

function corrected(data: HistogramData): HistogramData {
  const late = new Histogram();
  for (const [value, count] of mergeHistograms(data).buckets()) {
    const least = value > 400_000 ? 1.8 : 1;
    for (let i = 0; i < Math.min(count, 2_000); i++) late.record(value * least);
  }
  return late.data();
}
