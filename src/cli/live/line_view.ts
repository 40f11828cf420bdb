import type { Sink } from "../system/io.ts";
import type { LiveView } from "./live_view.ts";
import { formatProgress } from "./format_progress.ts";

const LINE_EVERY_MS = 10_000;

/** Creates a view that prints a line every ten seconds, for outputs other than terminals. */
export function lineView(sink: Sink): LiveView {
  let next = LINE_EVERY_MS;
  return {
    update(progress) {
      if (progress.elapsedMs < next) return;
      next = (Math.floor(progress.elapsedMs / LINE_EVERY_MS) + 1) * LINE_EVERY_MS;
      sink.write(`${formatProgress(progress)}\n`);
    },
    showNote: (text) => sink.write(`${text}\n`),
    close() {},
  };
}
