import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { parse } from "@std/csv/parse";
import { freePort } from "../../../scripts/local_port.ts";
import { Histogram } from "../../../src/base/histogram.ts";
import {
  type MetricData,
  type Sample,
  type SampleBatch,
  SampleBuffer,
} from "../../../src/engine/metrics/snapshot.ts";
import {
  CSV_LINES,
  FileOutput,
  fileSink,
  JSON_LINES,
} from "../../../src/engine/outputs/open_outputs.ts";
import { otlpMetrics } from "../../../src/engine/outputs/otlp.ts";
import {
  type MetricValues,
  metricValues,
  type Point,
  post,
  Pusher,
  type RunOutput,
} from "../../../src/engine/outputs/outputs.ts";
import {
  prometheusText,
  remoteWrite,
  snappyBlock,
} from "../../../src/engine/outputs/prometheus.ts";
import type { CounterStats, TrendStats } from "../../../src/engine/summary/flow_stats.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

const PLAN = singleScenarioPlan(
  scenarioOf("per-vu-iterations, vus: 2, iterations: 3", [{
    request: {
      url: "/a",
      tags: { tier: "gold" },
      checks: [{ type: "status", equals: 200, name: "ok" }],
    },
  }, { request: { url: "/b" } }]),
  { thresholds: { "http_reqs{name:GET /a}": ["count>0"] } },
);

/** Output that records samples and points. */
class RecordingOutput implements RunOutput {
  readonly batches: SampleBatch[] = [];
  readonly seen: MetricValues[] = [];
  samples(batch: SampleBatch): void {
    this.batches.push(batch);
  }
  receive(values: MetricValues): void {
    this.seen.push(values);
  }
  close() {
    return Promise.resolve({ name: "kept", written: 0, dropped: 0 });
  }
}

async function runWithOutput() {
  const kept = new RecordingOutput();
  const { summary } = await runInVirtualTime(PLAN, {
    outputs: [kept],
    respond: ({ target }) => target === "/b" ? { error: "timeout", ms: 700 } : { ms: 300 },
  });
  return { kept, summary, samples: kept.batches.flatMap(({ samples }) => samples) };
}

Deno.test("samples contain each request, check and iteration that the summary counts", async () => {
  const { summary, samples } = await runWithOutput();
  const requests = samples.filter((sample) => sample.type === "request");
  const of = (type: Sample["type"]) => samples.filter((sample) => sample.type === type).length;
  const { http_reqs, http_req_duration, iterations } = summary.metrics;
  assertEquals(requests.length, (http_reqs as CounterStats).count);
  assertEquals(of("iteration"), (iterations as CounterStats).count);
  assertEquals(of("check"), summary.checks[0].passes);
  const check = samples.find((sample) => sample.type === "check");
  assertEquals([check?.name, check?.check], ["GET /a", "ok"]);
  const mean = requests.reduce((sum, sample) => sum + sample.http_req_duration, 0) /
    requests.length;
  assertAlmostEquals(mean, (http_req_duration as TrendStats).avg, 0.001);
  const [first] = requests;
  assertEquals([first.tags.name, first.tags.tier, first.status], ["GET /a", "gold", 200]);
  assertEquals(requests.filter(({ error_kind }) => error_kind === "timeout").length, 6);
});

Deno.test("samples contain dropped iterations", async () => {
  const kept = new RecordingOutput();
  const plan = singleScenarioPlan(
    scenarioOf("constant-arrival-rate, rate: 10, duration: 2s, pre_allocated_vus: 1", [{
      request: { url: "/" },
    }]),
  );
  const { summary } = await runInVirtualTime(plan, {
    outputs: [kept],
    respond: () => ({ ms: 950 }),
  });
  const samples = kept.batches.flatMap(({ samples }) => samples);
  const dropped = samples.filter(({ type }) => type === "dropped_iteration");
  assertEquals(dropped.length, summary.scenarios[0].dropped);
  assert(dropped.length > 0);
  assert(samples.some((s) => s.type === "request" && s.http_req_latency_corrected !== undefined));
});

Deno.test("points: the last points of a run match the summary", async () => {
  const { kept, summary } = await runWithOutput();
  const { points } = kept.seen.at(-1)!;
  const value = (name: string, label?: string) =>
    points.find((point) => point.name === name && point.labels[0]?.[1] === label)?.value;
  const duration = summary.metrics.http_req_duration as TrendStats;
  assertEquals(value("http_reqs_total"), 12);
  assertEquals(value("http_reqs_total", "GET /a"), 6);
  assertEquals(value("http_req_failed"), 0.5);
  assertEquals(value("http_req_failed_passes_total"), 6);
  assertEquals(value("http_req_duration", "0.95"), duration["p(95)"]);
  assertEquals(value("http_req_duration_count"), duration.count);
  assertAlmostEquals(value("http_req_duration_sum")! / duration.count, duration.avg);
});

Deno.test("sample buffer: drops and counts the samples that do not fit", () => {
  const buffer = new SampleBuffer();
  const sample: Sample = { type: "dropped_iteration", time: 0, scenario: "s" };
  for (let i = 0; i < 100_005; i++) buffer.add(sample);
  const { samples, dropped } = buffer.take();
  assertEquals([samples.length, dropped], [100_000, 5]);
  assertEquals(buffer.take(), { samples: [], dropped: 0 });
});

const HOSTILE = 'a,b"c\n=1+2';

Deno.test("json, csv: write every sample, including samples with hostile text", async () => {
  const { samples } = await runWithOutput();
  const request = samples.find((sample) => sample.type === "request")!;
  const hostile: Sample = { ...request, tags: { ...request.tags, name: HOSTILE, tier: HOSTILE } };
  const line = JSON.parse(JSON_LINES.line(hostile));
  assertEquals([line.type, line.tags.name, Date.parse(line.time)], [
    "request",
    HOSTILE,
    Math.floor(hostile.time),
  ]);
  const rows = parse(
    CSV_LINES.head! + CSV_LINES.line(hostile) + samples.map(CSV_LINES.line).join(""),
    {
      skipFirstRow: true,
    },
  ) as Record<string, string>[];
  assertEquals(rows.length, samples.length + 1);
  assertEquals([rows[0].name, rows[0].tags], [HOSTILE, `tier=${HOSTILE}`]);
  assertEquals(Number(rows[0].http_req_duration), request.http_req_duration);
  const formula = CSV_LINES.line({ ...request, tags: { ...request.tags, name: "=1+2" } });
  assertStringIncludes(formula, ",'=1+2,");
});

Deno.test("file output: drops samples if the disk is slow, and reports how many", async () => {
  let release = () => {};
  const stuck = new Promise<void>((resolve) => release = resolve);
  const written: number[] = [];
  const file = new WritableStream<Uint8Array>({
    write: async (bytes) => {
      await stuck;
      written.push(bytes.length);
    },
  });
  const format = { line: () => "x".repeat(1 << 20), isOwn: () => false };
  const output = new FileOutput("json a", file, format);
  const sample: Sample = { type: "dropped_iteration", time: 0, scenario: "s" };
  for (let i = 0; i < 30; i++) output.samples({ samples: [sample], dropped: 1 });
  release();
  const report = await output.close();
  assertEquals(report, { name: "json a", written: 17, dropped: 13 + 30 });
  assertEquals(written.length, 17);
});

Deno.test("file output: reports a disk error without stopping the run", async () => {
  const file = new WritableStream<Uint8Array>({ write: () => Promise.reject(new Error("full")) });
  const output = new FileOutput("csv a", file, CSV_LINES);
  output.samples({ samples: [{ type: "dropped_iteration", time: 0, scenario: "s" }], dropped: 0 });
  assertEquals(await output.close(), { name: "csv a", written: 0, dropped: 1, error: "full" });
});

const POINTS: Point[] = [
  { name: "http_reqs_total", kind: "counter", labels: [], value: 12 },
  { name: "http_reqs_total", kind: "counter", labels: [["my-tag", 'a"\\b\n']], value: 6 },
  { name: "http_req_duration", kind: "gauge", labels: [["quantile", "0.95"]], value: 12.5 },
];
const VALUES: MetricValues = { points: POINTS, histograms: [] };

Deno.test("prometheus: writes one type line per metric name, and escapes labels", () => {
  assertEquals(
    prometheusText(VALUES),
    "# TYPE rehearse_http_reqs_total counter\n" +
      "rehearse_http_reqs_total 12\n" +
      'rehearse_http_reqs_total{my_tag="a\\"\\\\b\\n"} 6\n' +
      "# TYPE rehearse_http_req_duration gauge\n" +
      'rehearse_http_req_duration{quantile="0.95"} 12.5\n',
  );
});

Deno.test("prometheus: writes valid remote-write messages", () => {
  const one: Point[] = [{ name: "vus", kind: "gauge", labels: [["a", "b"]], value: 2 }];
  const message = [
    ...[0x0a, 46], // a series of 46 bytes: two labels, sorted by name, and a sample
    ...[0x0a, 24, 0x0a, 8, ...ascii("__name__"), 0x12, 12, ...ascii("rehearse_vus")],
    ...[0x0a, 6, 0x0a, 1, ...ascii("a"), 0x12, 1, ...ascii("b")],
    ...[0x12, 12, 0x09, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x10, 0xac, 0x02],
  ];
  assertEquals(message.length, 2 + 48);
  message[1] = 48;
  assertEquals([...remoteWrite(one, 300)], [50, 61 << 2, 49, 0, ...message]);
});

Deno.test("prometheus: writes snappy blocks that decode to the input", () => {
  for (const length of [0, 1, 127, 128, 65_536, 65_537, 200_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i % 251);
    assertEquals(literalsOf(snappyBlock(bytes)), bytes);
  }
});

Deno.test("otlp: writes cumulative sums and gauges, with times in nanoseconds", () => {
  // deno-lint-ignore no-explicit-any -- plain JSON
  const { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] } = otlpMetrics(VALUES, 1, 2) as any;
  assertEquals(metrics[0].name, "rehearse_http_reqs_total");
  assertEquals([metrics[0].sum.isMonotonic, metrics[0].sum.aggregationTemporality], [true, 2]);
  const [point, labelled] = metrics[0].sum.dataPoints;
  assertEquals([point.asDouble, point.startTimeUnixNano, point.timeUnixNano], [
    12,
    "1000000",
    "2000000",
  ]);
  assertEquals(labelled.attributes[0].value.stringValue, 'a"\\b\n');
  assertEquals(metrics[1].gauge.dataPoints[0].asDouble, 12.5);
});

const { histograms: HISTOGRAMS } = metricValues({
  http_req_duration: { kind: "trend", histogram: durations(900, 1_000, 1_001, 70_000_000) },
});

const IDENTITY = { labels: [["run_id", "r"], ["tier", "gold"]] as const, instance: "host" };

function durations(...values: number[]) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.data();
}

Deno.test("prometheus: writes histograms with cumulative buckets in seconds", () => {
  const lines = prometheusText({ points: [], histograms: HISTOGRAMS }).trim().split("\n");
  assertEquals(lines.slice(0, 3), [
    "# TYPE rehearse_http_req_duration_seconds histogram",
    'rehearse_http_req_duration_seconds_bucket{le="0.001"} 2',
    'rehearse_http_req_duration_seconds_bucket{le="0.0025"} 3',
  ]);
  assertEquals(lines.slice(-4), [
    'rehearse_http_req_duration_seconds_bucket{le="60"} 3',
    'rehearse_http_req_duration_seconds_bucket{le="+Inf"} 4',
    "rehearse_http_req_duration_seconds_sum 70.002901",
    "rehearse_http_req_duration_seconds_count 4",
  ]);
});

Deno.test("prometheus: adds the run's identity to each time series as labels, unless the series already has such a label", () => {
  const points: Point[] = [{ name: "vus", kind: "gauge", labels: [["tier", "silver"]], value: 1 }];
  const text = prometheusText({ points, histograms: HISTOGRAMS }, IDENTITY.labels);
  assertStringIncludes(text, 'rehearse_vus{run_id="r",tier="silver"} 1');
  assertStringIncludes(text, '_bucket{run_id="r",tier="gold",le="0.001"} 2');
});

Deno.test("otlp: writes histograms, and the run's identity as resource attributes", () => {
  const request = otlpMetrics({ points: [], histograms: HISTOGRAMS }, 1, 2, IDENTITY);
  // deno-lint-ignore no-explicit-any -- plain JSON
  const { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] } = request as any;
  // deno-lint-ignore no-explicit-any -- plain JSON
  const attributes = resource.attributes.map(({ key, value }: any) => [key, value.stringValue]);
  assertEquals(attributes, [
    ["service.name", "rehearse"],
    ["service.instance.id", "host"],
    ["run_id", "r"],
    ["tier", "gold"],
  ]);
  const [{ name, unit, histogram }] = metrics;
  assertEquals([name, unit, histogram.aggregationTemporality], [
    "rehearse_http_req_duration_seconds",
    "s",
    2,
  ]);
  const [{ count, sum, bucketCounts, explicitBounds }] = histogram.dataPoints;
  assertEquals([count, sum], ["4", 70.002901]);
  assertEquals(bucketCounts.length, explicitBounds.length + 1);
  assertEquals(bucketCounts.map(Number), [2, 1, ...Array(13).fill(0), 1]);
});

Deno.test("exported metrics contain time series for scenarios and for a limited number of endpoints", async () => {
  const flow = Array.from({ length: 150 }, (_, i) => ({ request: { url: `/${i}` } }));
  const kept = new RecordingOutput();
  const plan = singleScenarioPlan({ executor: "per-vu-iterations", vus: 1, iterations: 2, flow });
  await runInVirtualTime(plan, { outputs: [kept] });
  const all = kept.seen.at(-1)!;
  const points = all.points.filter(({ name }) => name === "endpoint_requests_total");
  assertEquals(points.length, 101);
  assertEquals(points[0].labels, [["scenario", "s"], ["name", "GET /0"], ["method", "GET"]]);
  assertEquals(points[0].value, 2);
  assertEquals([points[100].labels, points[100].value], [[["name", "(other)"]], 100]);
  const other = all.histograms.filter(({ name }) => name === "endpoint_duration_seconds").at(-1)!;
  assertEquals(other.count, 100);
  const iterations = all.points.find(({ name }) => name === "scenario_iterations_total");
  assertEquals([iterations?.labels, iterations?.value], [[["scenario", "s"]], 2]);
});

Deno.test("pusher: drops pushes that are due while another push hangs", async () => {
  let release = () => {};
  let sent = 0;
  const pusher = new Pusher({
    name: "otlp x",
    intervalMs: 3_600_000,
    send: () => {
      sent++;
      return new Promise((resolve) => release = resolve);
    },
  });
  pusher.receive(VALUES);
  const closing = pusher.close();
  await Promise.resolve();
  release();
  assertEquals(await closing, { name: "otlp x", written: 1, dropped: 0 });
  assertEquals(sent, 1);
});

Deno.test("pusher: loses nothing if pushes were rejected or skipped before the last one", async () => {
  const second = Promise.withResolvers<void>();
  let sent = 0;
  const pusher = new Pusher({
    name: "otlp x",
    intervalMs: 100,
    send() {
      if (++sent === 1) return Promise.reject(new Error("503"));
      if (sent > 2) return Promise.resolve();
      // Pushes that are due until then are skipped.
      return new Promise((resolve) => setTimeout(() => (second.resolve(), resolve()), 250));
    },
  });
  pusher.receive(VALUES);
  await second.promise;
  assertEquals(await pusher.close(), { name: "otlp x", written: sent - 1, dropped: 0 });
});

Deno.test("points: a metric without samples has no quantiles or ratio", () => {
  const metrics: Record<string, MetricData> = {
    http_req_duration: { kind: "trend", histogram: new Histogram().data() },
    checks: { kind: "rate", passes: 0, total: 0 },
  };
  assertEquals(metricValues(metrics).points.map(({ name, value }) => [name, value]), [
    ["http_req_duration_sum", 0],
    ["http_req_duration_count", 0],
    ["checks_passes_total", 0],
    ["checks_samples_total", 0],
  ]);
});

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

/** Decodes a Snappy block that consists of literals with two-byte lengths. */
function literalsOf(block: Uint8Array): Uint8Array {
  let at = 0;
  let length = 0;
  for (let shift = 0;; shift += 7) {
    const byte = block[at++];
    length += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  const out = new Uint8Array(length);
  for (let done = 0; at < block.length;) {
    assertEquals(block[at], 61 << 2);
    const size = block[at + 1] + block[at + 2] * 256 + 1;
    out.set(block.subarray(at + 3, at + 3 + size), done);
    at += 3 + size;
    done += size;
  }
  return out;
}

Deno.test("pusher: reports why a push failed, for example because of a refused connection or a timeout", async () => {
  const fault = async (send: () => Promise<void>) => {
    const pusher = new Pusher({ name: "otlp", intervalMs: 60_000, send });
    pusher.receive(VALUES);
    return (await pusher.close()).error;
  };
  const slow = () => Promise.reject(new DOMException("it took too long", "TimeoutError"));
  assertEquals(await fault(slow), "no response within 5s");
  const { signal } = new AbortController();
  const url = `http://127.0.0.1:${freePort()}/`;
  const refused = await fault(() => post(url, {}, "{}", signal));
  assertEquals(refused, "tcp connect error: Connection refused");
});

Deno.test("file sink: removes the written part of a chunk that does not fit on the disk", async () => {
  const CAPACITY = 10;
  let size = 0;
  const disk = {
    write: (bytes: Uint8Array) => {
      const count = Math.min(bytes.length, CAPACITY - size);
      size += count;
      return count > 0 ? Promise.resolve(count) : Promise.reject(new Error("full"));
    },
    truncate: (length = 0) => {
      size = length;
      return Promise.resolve();
    },
    close: () => {},
  };
  const writer = fileSink(disk).getWriter();
  await writer.write(new Uint8Array(4));
  await assertRejects(() => writer.write(new Uint8Array(7)), Error, "full");
  assertEquals(size, 4);
});
