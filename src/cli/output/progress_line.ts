import { formatMs } from "../../base/format.ts";
import type { Sink } from "../system/io.ts";

const SHOW_AFTER_MS = 500;
const REDRAW_MS = 100;

/** Receives the progress of a conversion. */
export interface ConvertProgress {
  /**
   * Reports that `done` of `total` bytes have been read. `total` is undefined if the size of the
   * input is unknown.
   */
  (done: number, total: number | undefined): void;
}

/**
 * Creates a progress line, which appears on the terminal after half a second. Call `clear` before
 * anything else is written to `sink`. If `sink` is not a terminal, prints nothing.
 */
export function progressLine(
  sink: Sink,
  now: () => number = () => performance.now(),
): { update: ConvertProgress; clear(): void } {
  if (sink.columns() === undefined) return { update: () => {}, clear: () => {} };
  const start = now();
  let drawn = 0;
  return {
    update(done, total) {
      const time = now();
      if (time - start < SHOW_AFTER_MS || time - drawn < REDRAW_MS) return;
      drawn = time;
      sink.write(`\r\x1b[K${words(done, total, time - start)}`.slice(0, sink.columns()! + 3));
    },
    clear() {
      if (drawn > 0) sink.write("\r\x1b[K");
    },
  };
}

function words(done: number, total: number | undefined, elapsedMs: number): string {
  const perMs = done / elapsedMs;
  const speed = `${megabytes(done)} read, ${megabytes(perMs * 1000)}/s`;
  if (!total) return speed;
  const percent = Math.floor((100 * done) / total);
  return `${percent}% of ${megabytes(total)}, ${megabytes(perMs * 1000)}/s, ` +
    `${formatMs(Math.ceil((total - done) / perMs / 1_000) * 1_000)} left`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;
}
