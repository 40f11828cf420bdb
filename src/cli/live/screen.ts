import type { Sink } from "../system/io.ts";

const REDRAW_INTERVAL_MS = 100;
/** Enters the alternate screen, hides the cursor and disables line wrapping. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/** Clears the screen before leaving it: a terminal without an alternate screen would keep its content. */
const LEAVE = "\x1b[H\x1b[J\x1b[?7h\x1b[?25h\x1b[?1049l";

/** The clock of a screen; tests substitute their own. */
export interface ScreenTime {
  /** Returns the current time in milliseconds, from any origin. */
  now(): number;
  /** Calls `act` once after `ms` milliseconds. The returned function cancels the call. */
  later(ms: number, act: () => void): () => void;
}

/** A terminal's alternate screen. */
export interface Screen {
  /** Draws `lines()`, within a tenth of a second. */
  redraw(): void;
  /** Restores the terminal's content from before the first redraw. Later redraws have no effect. */
  close(): void;
}

/**
 * Creates a screen that draws `lines()` at most ten times per second. It uses the terminal's alternate
 * screen, so that a resize cannot mix up its lines with earlier output.
 */
export function screen(
  sink: Sink,
  lines: () => readonly string[],
  time: ScreenTime = REAL,
): Screen {
  let drawnAt = -Infinity;
  let cancel: (() => void) | undefined;
  let closed = false;

  function draw(): void {
    const first = drawnAt === -Infinity ? ENTER : "";
    drawnAt = time.now();
    const drawn = lines().map((line) => `\x1b[2K${line}`).join("\r\n");
    sink.write(`${first}\x1b[H${drawn}\x1b[J`);
  }

  return {
    redraw() {
      const wait = drawnAt + REDRAW_INTERVAL_MS - time.now();
      if (closed || cancel !== undefined) return;
      if (wait <= 0) return draw();
      cancel = time.later(wait, () => {
        cancel = undefined;
        draw();
      });
    },
    close() {
      cancel?.();
      if (!closed && drawnAt > -Infinity) sink.write(LEAVE);
      closed = true;
    },
  };
}

const REAL: ScreenTime = {
  now: () => performance.now(),
  later(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
