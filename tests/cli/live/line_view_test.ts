import { assertEquals } from "@std/assert";
import { formatProgress, lineView } from "../../../src/cli/live/live_view.ts";
import type { Progress } from "../../../src/engine/progress.ts";
import { progressAt } from "../../builders/progress.ts";
import { BUSY } from "../../builders/summary.ts";

function shown(show: (view: ReturnType<typeof lineView>) => void): string[] {
  const written: string[] = [];
  show(lineView({ write: (text) => void written.push(text), columns: () => undefined }));
  return written;
}

Deno.test("lineView prints a line every ten seconds", () => {
  const written = shown((view) => {
    for (let second = 1; second <= 32; second++) view.update(progressAt(second * 1_000 + 5));
    view.close();
  });
  assertEquals(written.map((line) => line.split(" ")[0]), ["10s", "20s", "30s"]);
  assertEquals(shown((view) => view.update(progressAt(12_000))), [
    "12s of 1m30s  2.00% failed  p95 20ms  3 dropped  47/s of 50/s iterations  47/s requests  12 VUs\n",
  ]);
});

Deno.test("formatProgress omits the scheduled rate for closed models, and omits dropped iterations if there are none", () => {
  const last = { ...BUSY.timeline[0], scheduled: 0 };
  const counts = { dropped: 0, requests: 100, failed: 0, last };
  assertEquals(
    shown((view) => view.update(progressAt(12_000, counts))),
    ["12s of 1m30s  0.00% failed  p95 20ms  50/s iterations  50/s requests  12 VUs\n"],
  );
});

Deno.test("formatProgress shows the average rate since the start if iterations or requests are rare", () => {
  const last = { ...BUSY.timeline[0], scheduled: 1, started: 0, requests: 0 };
  const words = (counts: Partial<Progress>) =>
    formatProgress(progressAt(12_000, { dropped: 0, last, ...counts })).split("  ").slice(-3, -1);
  assertEquals(words({ iterations: 3, requests: 40 }), [
    "3 iterations (0.25/s)",
    "40 requests (3.3/s)",
  ]);
  assertEquals(words({ iterations: 0, requests: 1 }), [
    "0 iterations (0/s)",
    "1 request (0.083/s)",
  ]);
  assertEquals(words({ iterations: 1, requests: 60 }), ["1 iteration (0.083/s)", "0/s requests"]);
});

Deno.test("formatProgress shows a dash if there are no samples, and counts unsent requests as failed", () => {
  const last = { ...BUSY.timeline[0], scheduled: 0, requests: 0, p95: 0 };
  const words = (counts: Partial<Progress>) =>
    formatProgress(progressAt(12_000, { dropped: 0, last, ...counts })).split("  ").slice(1, 3);
  assertEquals(words({ requests: 0, failed: 0 }), ["– failed", "p95 –"]);
  assertEquals(words({ requests: 10, unsent: 10, failed: 20 }), ["100.00% failed", "p95 –"]);
});

Deno.test("lineView prints a note on a separate line", () => {
  assertEquals(shown((view) => view.showNote("stopping")), ["stopping\n"]);
});

Deno.test("after the planned end, formatProgress shows that the run is waiting for iterations", () => {
  const words = (elapsedMs: number) =>
    formatProgress(progressAt(elapsedMs, { plannedMs: 5_000 })).split("  ")[0];
  assertEquals(words(5_000), "5s of 5s");
  assertEquals(
    words(30_000),
    "30s (planned 5s): waiting for running iterations, up to `graceful_stop`",
  );
  const iterations = progressAt(2_000, { plannedMs: 600_000, done: 0.5 });
  assertEquals(formatProgress(iterations).split("  ")[0], "2s of at most 10m");
});
