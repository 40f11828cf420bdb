import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Histogram } from "../../../src/base/histogram.ts";
import { HttpResponse } from "../../../src/http/sender.ts";
import { Recorder } from "../../../src/engine/metrics/recorder.ts";

const TAGS = { scenario: "s", group: "", name: "n", method: "GET" };
/** Metric and sub-metric of each phase before a request is sent, such as connecting. */
const PARTS = {
  blockedMs: ["http_req_blocked", "http_req_blocked{status:200}"],
  connectingMs: ["http_req_connecting", "http_req_connecting{status:200}"],
  tlsMs: ["http_req_tls_handshaking", "http_req_tls_handshaking{status:200}"],
} as const;

const time = fc.constantFrom(0, 0, 0, 0.0004, 0.3, 7);
const sample = fc.record({
  status: fc.constantFrom(200, 404),
  kind: fc.constantFrom(undefined, undefined, "assert" as const),
  blockedMs: time,
  connectingMs: time,
  tlsMs: time,
  ticks: fc.boolean(),
});

Deno.test("recorder: counts retries only if there are any", () => {
  const recorder = new Recorder([], (text) => text);
  const series = recorder.request(TAGS);
  series.record(new HttpResponse(), false, undefined, NaN);
  assertEquals(recorder.snapshot(1).metrics.http_req_retries, undefined);
  series.record({ ...new HttpResponse(), retries: 2 }, false, undefined, NaN);
  assertEquals(recorder.snapshot(1).metrics.http_req_retries, { kind: "counter", count: 2 });
});

Deno.test("recorder: counts durations of 0 correctly, even if the metrics are read between two samples", () => {
  fc.assert(fc.property(fc.array(sample), (samples) => {
    const selectors = Object.values(PARTS).map(([, some]) => some);
    const recorder = new Recorder(selectors, (text) => text);
    const series = recorder.request(TAGS);
    const expected = new Map(Object.values(PARTS).flat().map((key) => [key, new Histogram()]));
    for (const [i, { status, kind, ticks, ...times }] of samples.entries()) {
      const fault = kind && { kind, message: "it failed" };
      series.record({ ...new HttpResponse(), status, ...times }, fault !== undefined, fault, NaN);
      for (const [part, [all, some]] of Object.entries(PARTS)) {
        const value = times[part as keyof typeof PARTS] * 1_000 + 0.5;
        expected.get(all)!.record(value);
        if (status === 200) expected.get(some)!.record(value);
      }
      if (ticks) recorder.tick(i + 1, i);
    }
    const { metrics, endpoints } = recorder.snapshot(1);
    for (const [key, histogram] of expected) {
      assertEquals(metrics[key], { kind: "trend", histogram: histogram.data() });
    }
    const counts = Map.groupBy(samples, ({ status }) => status);
    assertEquals(
      endpoints[0].statuses,
      Object.fromEntries([...counts].map(([status, { length }]) => [status, length])),
    );
  }));
});

Deno.test("recorder: does not record a status for a request that was not sent", () => {
  const recorder = new Recorder([], (text) => text);
  recorder.request(TAGS).recordUnsent({ kind: "template", message: "it is not set" });
  const { endpoints: [{ statuses, count, failed }] } = recorder.snapshot(1);
  assertEquals([statuses, count, failed], [{}, 0, 1]);
});
