import { assertEquals } from "@std/assert";
import { liveMetrics } from "../../src/report/stats.ts";
import { progressAt } from "../builders/progress.ts";
import { BUSY } from "../builders/summary.ts";

Deno.test("liveMetrics marks percentiles whose threshold currently fails", () => {
  const marked = (expression: string, passed: boolean | null, metric = "http_req_duration") => {
    const thresholds = [{ ...BUSY.thresholds[0], metric, expression, passed }];
    const metrics = liveMetrics(progressAt(1_000, { thresholds, failed: 0, dropped: 0 }));
    return metrics.filter(({ bad }) => bad).map(({ label }) => label);
  };
  assertEquals(marked("p(95)<400", false), ["p95"]);
  assertEquals(marked(" p(99.0) < 400", false), ["p99"]);
  assertEquals(marked("med<400", false), ["p50"]);
  assertEquals(marked("p(99.9)<400", false), []);
  assertEquals(marked("p(95)<400", true), []);
  assertEquals(marked("p(95)<400", null), []);
  assertEquals(marked("p(95)<400", false, "http_req_duration{name:a}"), []);
});
