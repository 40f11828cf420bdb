import { assertEquals } from "@std/assert";
import { liveLine } from "../../src/cli/live_line.ts";
import type { Progress } from "../../src/engine/summary.ts";
import { BUSY } from "../support/summary.ts";

function progress(elapsedMs: number): Progress {
  const counts = { vus: 12, iterations: 500, dropped: 3, requests: 1_000, failed: 20 };
  return { elapsedMs, plannedMs: 90_000, ...counts, last: BUSY.timeline[4] };
}

function shown(columns: number | undefined, show: (line: ReturnType<typeof liveLine>) => void) {
  const written: string[] = [];
  show(liveLine({ write: (text) => void written.push(text), columns: () => columns }));
  return written;
}

const WORDS =
  "12s of 1m30s  12 VUs  47/s of 50/s iterations  47/s requests  2.00% failed  p(95) 20ms  3 dropped";

Deno.test("on a terminal one line is redrawn, cut to the terminal, and cleared", () => {
  const written = shown(40, (line) => {
    line.update(progress(11_000));
    line.update(progress(12_000));
    line.clear();
    line.clear();
  });
  assertEquals(written.slice(1), [`\r\x1b[K${WORDS.slice(0, 39)}`, "\r\x1b[K"]);
});

Deno.test("where there is no terminal a line comes every ten seconds", () => {
  const written = shown(undefined, (line) => {
    for (let second = 1; second <= 32; second++) line.update(progress(second * 1_000 + 5));
    line.clear();
  });
  assertEquals(written.map((line) => line.split(" ")[0]), ["10s", "20s", "30s"]);
  assertEquals(shown(undefined, (line) => line.update(progress(12_000))), [WORDS + "\n"]);
});

Deno.test("a closed model asks for no rate, and no drops are not mentioned", () => {
  const last = { ...BUSY.timeline[0], asked: 0 };
  const written = shown(undefined, (line) => {
    line.update({ ...progress(12_000), dropped: 0, requests: 0, failed: 0, last });
  });
  assertEquals(
    written[0],
    "12s of 1m30s  12 VUs  50/s iterations  50/s requests  0.00% failed  p(95) 20ms\n",
  );
});
