import { formatMs } from "../base/duration.ts";
import type { Progress } from "../engine/summary.ts";
import { count, percent, perSecond, time } from "../report/text/units.ts";
import type { Sink } from "./io.ts";

/** Between two lines where there is no terminal to redraw one on. */
const LINE_EVERY_MS = 10_000;

/** What is shown on standard error while a run goes on. */
export interface LiveLine {
  /** To be called about once a second. */
  update(progress: Progress): void;
  /** Takes the line away; call it before anything else is written there. */
  clear(): void;
}

/** One line that is redrawn on a terminal; elsewhere, a line every ten seconds. */
export function liveLine(sink: Sink): LiveLine {
  return sink.columns() === undefined ? lines(sink) : redrawn(sink);
}

function redrawn(sink: Sink): LiveLine {
  let drawn = false;
  return {
    update(progress) {
      drawn = true;
      sink.write(`\r\x1b[K${words(progress).slice(0, sink.columns()! - 1)}`);
    },
    clear() {
      if (drawn) sink.write("\r\x1b[K");
      drawn = false;
    },
  };
}

function lines(sink: Sink): LiveLine {
  let next = LINE_EVERY_MS;
  return {
    update(progress) {
      if (progress.elapsedMs < next) return;
      next = (Math.floor(progress.elapsedMs / LINE_EVERY_MS) + 1) * LINE_EVERY_MS;
      sink.write(`${words(progress)}\n`);
    },
    clear() {},
  };
}

/** Elapsed and planned time, VUs, the last second's rates, errors of all so far, the last second's p(95). */
function words({ elapsedMs, plannedMs, vus, dropped, requests, failed, last }: Progress): string {
  const asked = last.asked > 0 ? ` of ${perSecond(last.asked)}` : "";
  return [
    `${formatMs(elapsedMs)} of ${formatMs(plannedMs)}`,
    `${count(vus)} VUs`,
    `${perSecond(last.started)}${asked} iterations`,
    `${perSecond(last.requests)} requests`,
    `${percent(requests === 0 ? 0 : failed / requests)} failed`,
    `p(95) ${time(last.p95)}`,
    ...(dropped > 0 ? [`${count(dropped)} dropped`] : []),
  ].join("  ");
}
