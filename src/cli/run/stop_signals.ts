import type { Io } from "../system/io.ts";

/**
 * Abort signals that Ctrl-C triggers during a run: the first Ctrl-C stops the run gracefully, the
 * second one aborts it.
 */
export interface StopSignals {
  /** Aborted at the first interrupt: no further iterations may start. */
  readonly stop: AbortSignal;
  /** Aborted at the second interrupt: running iterations must be cancelled. */
  readonly kill: AbortSignal;
  /** Stops listening for interrupts. From then on, the operating system handles them. */
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
