import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { compareReceived, ReceivedLog } from "../../../src/verify/log/compare_received.ts";
import { logLine } from "../../builders/log_line.ts";
import { readLines } from "../../support/read_lines.ts";

const PLAN = { scenarios: { s: { executor: "constant-vus" } } } as unknown as Plan;
const START = Date.UTC(2026, 10, 21);

function read(lines: readonly string[]): ReceivedLog {
  const log = new ReceivedLog();
  const bytes = new TextEncoder().encode(lines.join(""));
  log.profile = readLines(bytes, COMBINED, { collectors: log.collectors });
  return log;
}

Deno.test("compareReceived compares logs of several days, with a request in each second", () => {
  const log = read(Array.from({ length: 200_000 }, (_, i) => logLine({ at: START + i * 1_000 })));
  assertEquals(compareReceived(PLAN, log, log).bursts.map(({ log }) => log.peak), [1, 10, 60]);
});

Deno.test("compareReceived compares ids and queries of more requests of one client than visits can have", () => {
  const lines = (shift: number) =>
    Array.from(
      { length: 280_000 },
      (_, i) => logLine({ at: START + i * 10, path: `/item/${i % 50 + shift}?page=${i % 4}` }),
    );
  const [{ share: ids }, { share: queries }, { share: visits }] =
    compareReceived(PLAN, read(lines(0)), read(lines(25))).differences;
  assertAlmostEquals(ids!, 0.5, 1e-9);
  assertAlmostEquals(queries!, 0, 1e-9);
  assertEquals(visits, undefined);
});
