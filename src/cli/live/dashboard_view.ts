import type { Progress, TimelinePoint } from "../../engine/summary.ts";
import { dashboard } from "../../report/text/dashboard.ts";
import { style } from "../../report/text/style.ts";
import type { Io } from "../io.ts";
import type { LiveView } from "./live_view.ts";
import { progressWords } from "./progress_words.ts";
import { screen, type ScreenTime } from "./screen.ts";

/** More than any window has columns. */
const RECENT = 1_000;

/** How a dashboard is to look. */
export interface DashboardLook {
  /** What the run is called; empty when it has no name. */
  readonly name: string;
  readonly color: boolean;
  /** Said under it until something else is. */
  readonly note: string;
}

/** A dashboard that has the whole terminal until it is closed. */
export function dashboardView(
  { stderr, window }: Pick<Io, "stderr" | "window">,
  { name, color, note }: DashboardLook,
  time?: ScreenTime,
): LiveView {
  let progress: Progress | undefined;
  let said = note;
  const recent: TimelinePoint[] = [];
  const terminal = screen(stderr, lines, time);
  const forget = window.onResize(() => progress && terminal.redraw());

  function lines(): readonly string[] {
    const size = window.size();
    const state = { name, progress: progress!, recent, note: said };
    return dashboard(state, size, style(color, size.columns)) ??
      [progressWords(progress!, size.columns - 1)];
  }

  return {
    update(next) {
      progress = next;
      recent.push(next.last);
      if (recent.length > RECENT) recent.shift();
      terminal.redraw();
    },
    say(text) {
      said = text;
      if (progress) terminal.redraw();
      else stderr.write(`${text}\n`);
    },
    close() {
      forget();
      terminal.close();
    },
  };
}
