import type { Io } from "../io.ts";

/** Signals of Ctrl-C during a run: the first stops gracefully, the second aborts. */
export interface StopSignals {
  /** Aborted when no further iterations may start. */
  readonly stop: AbortSignal;
  /** Aborted when running iterations must be cancelled. */
  readonly kill: AbortSignal;
  /** Stops listening; the system handles later interrupts. */
  release(): void;
}

/** Listens for interrupts. Calls `onStop` at the first one, before `stop` is aborted. */
export function listenForInterrupts(io: Io, onStop: () => void): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const release = io.interrupts(() => {
    if (stop.signal.aborted) return kill.abort();
    onStop();
    stop.abort();
  });
  return { stop: stop.signal, kill: kill.signal, release };
}
