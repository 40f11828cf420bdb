import type { Sink } from "../system/io.ts";

const REDRAW_INTERVAL_MS = 100;
/** Enters the alternate screen, hides the cursor and disables line wrapping. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/**
 * Leaves the alternate screen and reverts the settings of `ENTER`. Clears the screen first, because
 * a terminal without an alternate screen would keep its content.
 */
const LEAVE = "\x1b[H\x1b[J\x1b[?7h\x1b[?25h\x1b[?1049l";

/** Clock and timers of a screen. Tests provide their own. */
export interface ScreenTime {
  /** Returns the current time in milliseconds since an arbitrary, fixed time. */
  now(): number;
  /** Calls `act` once after `ms` milliseconds. Returns a function that cancels the call. */
  later(ms: number, act: () => void): () => void;
}

/** The alternate screen of a terminal. */
export interface Screen {
  /** Draws the current lines within 100 milliseconds. */
  redraw(): void;
  /**
   * Restores the content that the terminal had before the first redraw. Later redraws have no
   * effect.
   */
  close(): void;
}

/**
 * Creates a screen that draws the lines returned by `lines`, at most ten times per second. Uses the
 * terminal's alternate screen, so that resizing the window cannot mix the lines with earlier
 * output.
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
