import { assert, assertEquals, assertLess } from "@std/assert";
import fc from "fast-check";
import { observedLimits } from "../../../src/convert/accesslog/responses.ts";
import { Timings } from "../../../src/traffic/accesslog/collect/request_counts.ts";
import { LogRequest } from "../../../src/traffic/accesslog/read/log_request.ts";

function timingsOf(requests: readonly { status: number; durationMs: number }[]): Timings {
  const timings = new Timings();
  const request = new LogRequest();
  for (const one of requests) timings.add(Object.assign(request, one));
  return timings;
}

Deno.test("observedLimits sets thresholds that pass if a run's results match those of the log", () => {
  const request = fc.record({
    status: fc.constantFrom(200, 301, 404, 500),
    durationMs: fc.integer({ min: 0, max: 20_000 }),
  });
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 300 }), (requests) => {
      const { thresholds } = observedLimits(timingsOf(requests), 10);
      const sorted = requests.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
      for (const [i, percent] of [95, 99].entries()) {
        const exact = sorted[Math.ceil(sorted.length * percent / 100) - 1];
        const limit = Number(/<=(\d+)$/.exec(String(thresholds.http_req_duration[i]))![1]);
        assert(limit >= exact);
        assertLess(limit, exact * 1.002 + 2);
      }
      const share = requests.filter(({ status }) => status >= 400).length / requests.length;
      const limit = Number(String(thresholds.http_req_failed[0]).replace("rate<=", ""));
      assert(limit >= share && limit < share + 1.01e-4);
    }),
  );
});

Deno.test("observedLimits derives VUs from Little's law", () => {
  const requests = Array.from({ length: 100 }, () => ({ status: 200, durationMs: 250 }));
  const { preAllocatedVus, maxVus } = observedLimits(timingsOf(requests), 40);
  assertEquals([preAllocatedVus, maxVus], [10, 20]);
});
