import type { Io } from "../io.ts";

/** How Ctrl-C ends a run: the first time gracefully, the second time at once. */
export interface Stopping {
  /** Nothing new is to start. */
  readonly stop: AbortSignal;
  /** What is in flight is to be cancelled. */
  readonly kill: AbortSignal;
  /** Leaves later interrupts to the system. */
  release(): void;
}

/** Listens for interrupts; `told` is called at the first, before anything ends. */
export function stopping(io: Io, told: () => void): Stopping {
  const stop = new AbortController();
  const kill = new AbortController();
  const release = io.interrupts(() => {
    if (stop.signal.aborted) return kill.abort();
    told();
    stop.abort();
  });
  return { stop: stop.signal, kill: kill.signal, release };
}
