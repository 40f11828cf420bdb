import type { Sink } from "../io.ts";

const LEAST_MS = 100;
/** The other screen of the terminal, no cursor, no line that runs on into the next. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/** Empty first: a terminal that has no other screen keeps what stands on it. */
const LEAVE = "\x1b[H\x1b[J\x1b[?7h\x1b[?25h\x1b[?1049l";

/** When a screen draws; real time unless a test has its own. */
export interface ScreenTime {
  /** Milliseconds, on any scale. */
  now(): number;
  /** Calls `act` once, in so many milliseconds; what it gives calls that off. */
  later(ms: number, act: () => void): () => void;
}

/** A whole terminal that is drawn on, apart from what was written there before. */
export interface Screen {
  /** Shows what `lines` gives, at once or within a tenth of a second. */
  redraw(): void;
  /** Leaves the terminal as it was before the first redraw; nothing is drawn after it. */
  close(): void;
}

/**
 * A screen on a terminal that `lines` are drawn on, at most ten times a second. It takes the
 * terminal's alternate screen, which no resize can mix up with what stood there before.
 */
export function screen(
  sink: Sink,
  lines: () => readonly string[],
  time: ScreenTime = REAL,
): Screen {
  let drawnAt = -Infinity;
  let callOff: (() => void) | undefined;
  let closed = false;

  function draw(): void {
    const first = drawnAt === -Infinity ? ENTER : "";
    drawnAt = time.now();
    const drawn = lines().map((line) => `\x1b[2K${line}`).join("\r\n");
    sink.write(`${first}\x1b[H${drawn}\x1b[J`);
  }

  return {
    redraw() {
      const wait = drawnAt + LEAST_MS - time.now();
      if (closed || callOff !== undefined) return;
      if (wait <= 0) return draw();
      callOff = time.later(wait, () => {
        callOff = undefined;
        draw();
      });
    },
    close() {
      callOff?.();
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
