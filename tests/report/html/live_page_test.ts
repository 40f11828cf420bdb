import { assertStringIncludes } from "@std/assert";
import { runningParts } from "../../../src/report/html/live_page.ts";
import { progressAt } from "../../builders/progress.ts";

Deno.test("after the planned end, runningParts shows that the run is waiting for iterations", () => {
  const head = (elapsedMs: number, done: number) =>
    runningParts({
      name: "shop",
      progress: progressAt(elapsedMs, { plannedMs: 5_000, done }),
      note: "",
    }).head;
  assertStringIncludes(head(5_000, 1), "Running</strong> 5s of 5s</p>");
  assertStringIncludes(head(2_000, 0.5), "Running</strong> 2s of at most 5s</p>");
  assertStringIncludes(
    head(30_000, 1),
    "Running</strong> 30s (planned 5s): waiting for running iterations, up to `graceful_stop`</p>",
  );
});
