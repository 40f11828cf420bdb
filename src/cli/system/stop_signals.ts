import type { Io } from "./io.ts";

/**
 * Abort signals of a run. The first Ctrl-C stops the run gracefully, and the second one aborts it.
 */
export interface StopSignals {
  /** Aborted at the first Ctrl-C: no further iteration may start. */
  readonly stop: AbortSignal;
  /** Aborted at the second Ctrl-C: running iterations must be canceled. */
  readonly kill: AbortSignal;
  /** Has the same effect as Ctrl-C. */
  interrupt(): void;
  /** Stops listening for Ctrl-C. Afterwards, Ctrl-C ends the process. */
  release(): void;
}

/** Listens for Ctrl-C. Calls `onStop` at the first one, before it aborts the signal `stop`. */
export function listenForInterrupts(
  io: Pick<Io, "interrupts">,
  onStop: () => void,
): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) return kill.abort();
    onStop();
    stop.abort();
  };
  const release = io.interrupts(interrupt);
  return { stop: stop.signal, kill: kill.signal, interrupt, release };
}
