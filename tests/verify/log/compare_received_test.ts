import { assertEquals } from "@std/assert";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { Visits } from "../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/web_servers.ts";
import { compareReceived } from "../../../src/verify/log/compare_received.ts";
import { logLine } from "../../builders/log_line.ts";
import { readLines } from "../../support/read_lines.ts";

Deno.test("compareReceived compares logs of several days, with a request in each second", () => {
  const start = Date.UTC(2026, 10, 21);
  const lines = Array.from({ length: 200_000 }, (_, i) => logLine({ at: start + i * 1_000 }));
  const visits = new Visits();
  const log = new TextEncoder().encode(lines.join(""));
  const read = { profile: readLines(log, COMBINED, { collectors: [visits] }), visits };
  const plan = { scenarios: { s: { executor: "constant-vus" } } } as unknown as Plan;
  assertEquals(compareReceived(plan, read, read).bursts.map(({ log }) => log.peak), [1, 10, 60]);
});
