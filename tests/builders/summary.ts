import type { Summary, TimelinePoint } from "../../src/engine/summary/summary.ts";
import type { TrendStats } from "../../src/engine/summary/flow_stats.ts";

/** Returns statistics of a trend metric whose median is `med`. */
export function trend(med: number, count = 5_000): TrendStats {
  return {
    count,
    avg: 1.1 * med,
    min: med / 10,
    med,
    max: 40 * med,
    "p(90)": 3 * med,
    "p(95)": 5 * med,
    "p(99)": 12 * med,
    "p(99.9)": 30 * med,
  };
}

function second(at: number, asked: number, started: number): TimelinePoint {
  const dropped = asked - started;
  const rest = { requests: started, failed: 0, p50: 4, p95: 20, p99: 48, histogram: "" };
  return { at, vus: 12, scheduled: asked, started, dropped, ...rest };
}

/** A summary with every kind of content, for testing reports. */
export const BUSY: Summary = {
  schema: 3,
  name: "demo shop",
  plan_hash: "7b".repeat(32),
  started_at: "2026-11-21T10:00:00.000Z",
  duration_ms: 10_034,
  ending: "finished",
  passed: false,
  seed: 42,
  data_seed: null,
  shards: [{
    shard: "1/1",
    started_at: "2026-11-21T10:00:00.000Z",
    duration_ms: 10_034,
    ending: "finished",
  }],
  accepted: [],
  metrics: {
    checks: { value: 0.9896, passes: 9_896, fails: 104 },
    data_received: { count: 12_345_678, rate: 1_234_567.8 },
    data_sent: { count: 845_300, rate: 84_530 },
    dropped_iterations: { count: 3, rate: 0.3 },
    http_req_blocked: trend(0.002),
    http_req_connecting: { ...trend(0), max: 0.4 },
    http_req_duration: trend(4.321),
    "http_req_duration{name:POST /login}": trend(102.5, 50),
    "http_req_duration{scenario:browse,name:GET /products}": trend(2.5, 900),
    http_req_failed: { value: 0.0208, passes: 104, fails: 4_896 },
    http_req_latency_corrected: trend(5.1),
    http_req_receiving: trend(0.02),
    http_req_sending: trend(0.009),
    http_req_tls_handshaking: trend(0),
    http_req_waiting: trend(4.2),
    http_reqs: { count: 5_000, rate: 498.3 },
    iteration_duration: trend(1_204, 497),
    iterations: { count: 497, rate: 49.53 },
    vus: { value: 3, min: 1, max: 12 },
    vus_max: { value: 20, min: 20, max: 20 },
  },
  thresholds: [
    {
      metric: "http_req_duration",
      expression: "p(95)<400",
      passed: true,
      value: 21.605,
      aborted: false,
    },
    {
      metric: "http_req_duration{name:POST /login}",
      expression: "p(95)<300",
      passed: false,
      value: 512.5,
      aborted: false,
    },
    {
      metric: "http_req_failed",
      expression: "rate<0.05",
      passed: true,
      value: 0.0208,
      aborted: false,
    },
    { metric: "iterations", expression: "count>400", passed: true, value: 497, aborted: false },
    {
      metric: "http_reqs{name:none}",
      expression: "rate>1",
      passed: true,
      value: null,
      optional: true,
      aborted: false,
    },
  ],
  checks: [
    {
      name: "status is 200",
      scenario: "browse",
      group: "",
      passes: 4_896,
      fails: 104,
      requests: [
        { name: "GET /products/${product_id}", passes: 4_896, fails: 54 },
        { name: "POST /login", passes: 0, fails: 50 },
      ],
    },
    {
      name: "is the last page",
      scenario: "browse",
      group: "",
      passes: 0,
      fails: 0,
      requests: [{ name: "GET /products/${product_id}", passes: 0, fails: 0 }],
    },
    {
      name: "has a token",
      scenario: "browse",
      group: "::shop::login",
      passes: 5_000,
      fails: 0,
      requests: [{ name: "POST /login", passes: 5_000, fails: 0 }],
    },
  ],
  endpoints: [
    {
      scenario: "browse",
      group: "",
      name: "GET /products/${product_id}",
      method: "GET",
      count: 4_950,
      failed: 54,
      bytes_sent: 800_000,
      bytes_received: 12_000_000,
      statuses: { "200": 4_896, "500": 50, "0": 4 },
      http_req_duration: trend(4.1, 4_950),
    },
    {
      scenario: "browse",
      group: "::shop::login",
      name: "POST /login",
      method: "POST",
      count: 50,
      failed: 50,
      bytes_sent: 45_300,
      bytes_received: 345_678,
      statuses: { "401": 12, "500": 38 },
      http_req_duration: trend(102.5, 50),
    },
  ],
  errors: [
    {
      kind: "timeout",
      scenario: "browse",
      name: "GET /products/${product_id}",
      count: 3,
      message: "no answer within 30s",
    },
    {
      kind: "reset",
      scenario: "browse",
      name: "GET /products/${product_id}",
      count: 1,
      message: "the connection was reset after 312 bytes",
    },
  ],
  failures: [],
  groups: [],
  scenarios: [
    {
      name: "browse",
      executor: "constant-arrival-rate",
      started: 497,
      ended: "finished",
      iterations: 495,
      interrupted: 2,
      dropped: 3,
      max_vus: 20,
      schedule_lag_us: { ...trend(80, 497), "p(99)": 410, max: 2_100 },
      scheduled_ms: 10_000,
    },
  ],
  timeline: Array.from({ length: 10 }, (_, i) => second(i + 1, 50, i === 4 ? 47 : 50)),
  histograms: { metrics: {}, endpoints: [], groups: [], scenarios: [] },
};
