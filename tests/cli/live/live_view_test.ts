import { assert, assertEquals, assertMatch } from "@std/assert";
import { dashboardView, formatProgress, lineView } from "../../../src/cli/live/live_view.ts";
import type { Progress } from "../../../src/engine/progress.ts";
import { renderSummary } from "../../../src/report/text/render_summary.ts";
import { progressAt } from "../../builders/progress.ts";
import { BUSY } from "../../builders/summary.ts";
import { Terminal } from "../../oracles/terminal.ts";

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

/** Creates a dashboard on a test terminal. */
function watched(columns: number, rows: number) {
  const terminal = new Terminal(columns, rows);
  let resized = () => {};
  let frames = 0;
  const write = (text: string) => {
    frames++;
    terminal.write(text);
  };
  write("$ rehearse run plan.yaml\nSending load to http://127.0.0.1\n");
  const view = dashboardView(
    {
      stderr: { write, columns: () => terminal.columns },
      window: {
        size: () => ({ columns: terminal.columns, rows: terminal.rows }),
        onResize(act) {
          resized = act;
          return () => resized = () => {};
        },
      },
    },
    { name: "demo shop", color: true, note: "Ctrl-C ends the run gracefully" },
  );
  return {
    terminal,
    view,
    frames: () => frames - 1,
    resize(columns: number, rows: number) {
      terminal.resize(columns, rows);
      resized();
    },
  };
}

const BEFORE = ["$ rehearse run plan.yaml", "Sending load to http://127.0.0.1"];

for (const [columns, rows] of [[80, 24], [200, 50], [100, 12]]) {
  Deno.test(`the dashboard fills a window of ${columns} x ${rows} and restores the terminal when it is closed`, () => {
    const { terminal, view, resize } = watched(columns, rows);
    for (let second = 1; second <= 20; second++) view.update(progressAt(second * 1_000));
    assert(terminal.isOther && !terminal.cursorShown);
    assertMatch(terminal.screen[0], /^ demo shop +20s of 1m30s {2}22%$/);
    assertEquals(terminal.screen[0].length, columns - 1);
    assertEquals(terminal.screen.at(-1), " Ctrl-C ends the run gracefully");
    resize(70, 10);
    assertEquals(terminal.screen.length, 10);
    assertEquals(terminal.screen[0].length, 69);
    resize(columns, rows);
    view.showNote("Stopping: waiting for running iterations");
    assertEquals(terminal.screen.at(-1), " Stopping: waiting for running iterations");
    view.close();
    terminal.write(renderSummary(BUSY, { color: true, width: columns }));
    assert(!terminal.isOther && terminal.cursorShown && terminal.wraps);
    const summary = renderSummary(BUSY, { color: false, width: columns }).trimEnd().split("\n");
    assertEquals(terminal.history, [...BEFORE, ...summary]);
  });
}

Deno.test("in a window that is too small, the dashboard shows a single line", () => {
  const { terminal, view } = watched(50, 20);
  view.update(progressAt(12_000));
  assertEquals(terminal.screen, ["12s of 1m30s  2.00% failed  p95 20ms  3 dropped …"]);
});

Deno.test("the dashboard draws nothing before the first update or after it is closed", () => {
  const { view, resize, frames, terminal } = watched(80, 24);
  resize(90, 30);
  view.showNote("stopping");
  assertEquals(terminal.screen, [...BEFORE, "stopping"]);
  view.update(progressAt(1_000));
  resize(80, 24);
  assertEquals(frames(), 3);
  view.close();
  view.close();
  view.update(progressAt(2_000));
  resize(70, 24);
  assertEquals(frames(), 4);
  assertEquals(terminal.screen, [...BEFORE, "stopping"]);
});
