import { assertEquals } from "@std/assert";
import type { Sink } from "../../../src/cli/system/io.ts";
import { progressLine } from "../../../src/cli/output/messages.ts";

function terminal(columns: number | undefined): Sink & { written: string[] } {
  const written: string[] = [];
  return { written, write: (text) => void written.push(text), columns: () => columns };
}

Deno.test("progressLine appears after half a second and is updated at most ten times per second", () => {
  const sink = terminal(80);
  let time = 0;
  const line = progressLine(sink, () => time);
  for (time = 100; time <= 1_000; time += 50) line.update(time * 1e6, 2_000e6);
  line.clear();
  assertEquals(sink.written.length, 7);
  assertEquals(sink.written[0], "\r\x1b[K25% of 2000 MB, 1000 MB/s, 2s left");
  assertEquals(sink.written.at(-1), "\r\x1b[K");
});

Deno.test("progressLine prints nothing if the output is not a terminal", () => {
  const sink = terminal(undefined);
  let time = 0;
  const line = progressLine(sink, () => time += 1_000);
  line.update(1, 2);
  line.clear();
  assertEquals(sink.written, []);
});
