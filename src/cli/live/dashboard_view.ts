import type { Progress } from "../../engine/progress.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import { dashboard } from "../../report/text/dashboard.ts";
import { style } from "../../report/text/print_blocks.ts";
import type { Io } from "../system/io.ts";
import { formatProgress, type LiveView } from "./line_view.ts";
import { screen, type ScreenTime } from "./screen.ts";

/**
 * Maximum number of timeline points to keep for the sparklines. This is more than the number of
 * columns in any terminal window.
 */
const RECENT = 1_000;

/** Title, colors and note of a dashboard. */
export interface DashboardLook {
  /** Name of the run; empty for a run without a name. */
  readonly name: string;
  readonly color: boolean;
  /** Initial text of the last line of the dashboard. `showNote` replaces it. */
  readonly note: string;
}

/** Creates a view that fills the terminal with a dashboard until it is closed. */
export function dashboardView(
  { stderr, window }: Pick<Io, "stderr" | "window">,
  { name, color, note }: DashboardLook,
  time?: ScreenTime,
): LiveView {
  let progress: Progress | undefined;
  let shownNote = note;
  const recent: TimelinePoint[] = [];
  const terminal = screen(stderr, lines, time);
  const forget = window.onResize(() => progress && terminal.redraw());

  function lines(): readonly string[] {
    const size = window.size();
    const state = { name, progress: progress!, recent, note: shownNote };
    return dashboard(state, size, style(color, size.columns)) ??
      [formatProgress(progress!, size.columns - 1)];
  }

  return {
    update(next) {
      progress = next;
      recent.push(next.last);
      if (recent.length > RECENT) recent.shift();
      terminal.redraw();
    },
    showNote(text) {
      shownNote = text;
      if (progress) terminal.redraw();
      else stderr.write(`${text}\n`);
    },
    close() {
      forget();
      terminal.close();
    },
  };
}
