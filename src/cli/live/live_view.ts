import { count, percent, perSecond, plural, time } from "../../base/format.ts";
import { cutToWidth } from "../../base/safe_text.ts";
import type { LoadAction, LoadState } from "../../engine/kinds/load_control.ts";
import type { Progress } from "../../engine/progress.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import { describeElapsed } from "../../report/stats.ts";
import { dashboard } from "../../report/text/dashboard.ts";
import { style } from "../../report/text/print_blocks.ts";
import type { Io, Sink } from "../system/io.ts";

/** View of a run in progress on standard error. */
export interface LiveView {
  /** Shows new progress. Call it about once per second. */
  update(progress: Progress): void;
  /** Shows a line of text, such as how to stop the run. */
  showNote(text: string): void;
  /** Removes the view. Call it before anything else is written to standard error. */
  close(): void;
}

const LINE_EVERY_MS = 10_000;

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

/**
 * Formats the progress of a run as one line, the most important values first: the elapsed and
 * planned time, the percentage of requests that have failed so far, the 95th percentile of response
 * times (p95) in the last second, the number of dropped iterations, if any, the iteration rate and
 * the request rate in the last second, and the VUs. If there are fewer than five iterations or
 * requests per second on average, it contains their number and their average rate since the start
 * instead. `–` means that there was no sample.
 */
export function formatProgress(progress: Progress): string {
  const { vus, dropped, iterations, requests, unsent, failed, last, elapsedMs } = progress;
  const { time: elapsed, waiting } = describeElapsed(progress);
  const scheduled = last.scheduled > 0 ? ` of ${perSecond(last.scheduled)}` : "";
  const all = requests + unsent;
  return [
    waiting === undefined ? elapsed : `${elapsed}: ${waiting}`,
    `${all > 0 ? percent(failed / all) : "–"} failed`,
    `p95 ${last.requests > 0 ? time(last.p95) : "–"}`,
    ...(dropped > 0 ? [`${count(dropped)} dropped`] : []),
    slowRate(iterations, elapsedMs, "iteration") ??
      `${perSecond(last.started)}${scheduled} iterations`,
    slowRate(requests, elapsedMs, "request") ?? `${perSecond(last.requests)} requests`,
    plural(vus, "VU"),
  ].join("  ");
}

/** Average rate per second below which the counts of single seconds are not meaningful. */
const SLOW_RATE = 5;

function slowRate(events: number, elapsedMs: number, noun: string): string | undefined {
  const rate = events / (elapsedMs / 1_000);
  if (!(rate < SLOW_RATE)) return undefined;
  return `${plural(events, noun)} (${perSecond(Number(rate.toPrecision(2)))})`;
}

/** Number of timeline points to keep for sparklines: more than a terminal window has columns. */
const RECENT = 1_000;

export interface DashboardLook {
  /** Name of the run; empty for a run without a name. */
  readonly name: string;
  readonly color: boolean;
  /** Initial text of the last line of the dashboard. `showNote` replaces it. */
  readonly note: string;
}

/** Enters the alternate screen, hides the cursor and disables line wrapping. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/**
 * Leaves the alternate screen and reverts the settings of `ENTER`. Clears the screen first, because
 * a terminal without an alternate screen would keep its content.
 */
const LEAVE = "\x1b[H\x1b[J\x1b[?7h\x1b[?25h\x1b[?1049l";

/**
 * Creates a view that fills the terminal with a dashboard until it is closed. Uses the alternate
 * screen, so that resizing the window cannot mix the dashboard with earlier output.
 */
export function dashboardView(
  { stderr, window }: Pick<Io, "stderr" | "window">,
  { name, color, note }: DashboardLook,
): LiveView {
  let progress: Progress | undefined;
  let shownNote = note;
  const recent: TimelinePoint[] = [];
  let isDrawn = false;
  let isClosed = false;
  const forget = window.onResize(draw);

  function draw(): void {
    if (progress === undefined || isClosed) return;
    const { columns, rows } = window.size();
    const state = { name, progress, recent, note: shownNote };
    const lines = dashboard(state, { columns, rows }, style(color, columns)) ??
      [cutToWidth(formatProgress(progress), columns - 1)];
    const drawn = lines.map((line) => `\x1b[2K${line}`).join("\r\n");
    stderr.write(`${isDrawn ? "" : ENTER}\x1b[H${drawn}\x1b[J`);
    isDrawn = true;
  }

  return {
    update(next) {
      progress = next;
      recent.push(next.last);
      if (recent.length > RECENT) recent.shift();
      draw();
    },
    showNote(text) {
      shownNote = text;
      if (progress) draw();
      else stderr.write(`${text}\n`);
    },
    close() {
      forget();
      if (!isClosed && isDrawn) stderr.write(LEAVE);
      isClosed = true;
    },
  };
}

export type ControlAction = LoadAction | { readonly action: "stop" };

/** Lets live views control a run in progress. */
export interface RunControl {
  readonly load: LoadState;
  /** Performs an action. Returns the reason if that is not possible, otherwise undefined. */
  act(action: ControlAction): string | undefined;
}

export interface UiAddress {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT: UiAddress = { host: "127.0.0.1", port: 6070 };

/** Parses the value of `--ui`: empty, `PORT` or `HOST:PORT`. Returns undefined if it is invalid. */
export function parseUiAddress(given: string): UiAddress | undefined {
  if (given === "") return DEFAULT;
  const [, host = DEFAULT.host, port] = /^(?:(.+):)?(\d+)$/.exec(given) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}
