import { startThread } from "../../base/start_thread.ts";

/**
 * Calls `act` on each Ctrl-C or other request to end the process. Returns a function that stops
 * listening.
 */
export type Interrupts = (act: () => void) => () => void;

/**
 * Calls `act` on each signal that requests termination of this process. Returns a function that
 * stops listening.
 */
export function systemInterrupts(act: () => void): () => void {
  const listeners = endingSignals().map((signal) => [signal, ignoreCopies(act)] as const);
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  stopEarlyExit();
  return () => {
    for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
  };
}

/**
 * Maximum time in ms between two copies of a signal. A signal to a process group reaches this
 * process directly and also through programs that forward it, such as the npm package and `npx`.
 */
const COPY_MS = 250;

/** Returns a function that calls `act`, unless it did so within the last 250 ms. */
export function ignoreCopies(
  act: () => void,
  now: () => number = () => performance.now(),
): () => void {
  let last = -Infinity;
  return () => {
    const at = now();
    if (at - last < COPY_MS) return;
    last = at;
    act();
  };
}

let stopEarlyExit = () => {};

/**
 * If this process has id 1, as in a container, calls `exit` with an exit code when a signal
 * requests termination before the command listens for signals. For process 1, the kernel ignores a
 * signal without a listener.
 */
export function exitOnEarlySignal(exit: (code: number) => void, pid: number = Deno.pid): void {
  if (pid !== 1) return;
  const listeners = [["SIGINT", 2], ["SIGTERM", 15]] as const;
  const added = listeners.map(([signal, number]) => {
    const listener = () => exit(128 + number);
    Deno.addSignalListener(signal, listener);
    return () => Deno.removeSignalListener(signal, listener);
  });
  stopEarlyExit = () => {
    stopEarlyExit = () => {};
    for (const remove of added) remove();
  };
}

/**
 * Returns the signals that request termination of this process: SIGINT (Ctrl-C), SIGTERM (not on
 * Windows) and SIGHUP (a closed terminal). SIGHUP is included only if an output is a terminal, so
 * that `nohup` works.
 */
export function endingSignals(): Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT"];
  const isSeen = Deno.stdout.isTerminal() || Deno.stderr.isTerminal();
  return ["SIGINT", "SIGTERM", ...(isSeen ? ["SIGHUP"] as const : [])];
}

export interface StopSignals {
  /** Aborted at the first Ctrl-C: no further iteration may start. */
  readonly stop: AbortSignal;
  /** Aborted at the second Ctrl-C: running iterations must be canceled. */
  readonly kill: AbortSignal;
  /** Has the same effect as Ctrl-C. */
  interrupt(): void;
}

/**
 * Listens for Ctrl-C until the process exits, so that a further signal does not change its exit
 * code. Calls `onStop` at the first one, before it aborts the signal `stop`.
 */
export function listenForInterrupts(
  io: { readonly interrupts: Interrupts },
  onStop: () => void,
): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) return kill.abort();
    onStop();
    stop.abort();
  };
  io.interrupts(interrupt);
  return { stop: stop.signal, kill: kill.signal, interrupt };
}

/**
 * A thread that kills this process if the main thread is blocked, because timers and Ctrl-C then
 * have no effect.
 */
export interface Watchdog {
  /**
   * Sets the planned end of the work to `ms` milliseconds from now. If the main thread is blocked
   * at that time or later, the process is killed.
   */
  endBy(ms: number): void;
  /** Stops the watchdog. */
  release(): void;
}

/** Time limits of the watchdog, in milliseconds. */
const LIMITS = {
  /** Milliseconds between two checks. */
  check: 100,
  /** Milliseconds within which a second signal of the same kind counts as a copy of the first. */
  copy: 250,
  /**
   * Milliseconds without a response after which the main thread counts as blocked. The time is
   * measured in checks, so that a process that the system suspends does not count as blocked. The
   * limit is long, because the summary of a large run, or a run that cannot keep up with its rate,
   * may keep a busy machine from responding for seconds.
   */
  blocked: 10_000,
};

/**
 * Starts a thread that sends SIGKILL to this process if the main thread is blocked after two of the
 * given signals or after the planned end. Deno lets a process kill itself without `--allow-run`.
 * The thread is loaded from text, so it needs no `--allow-read` either.
 */
export function startWatchdog(signals: readonly Deno.Signal[]): Watchdog {
  const source = `(${watch})(${JSON.stringify({ signals, limits: LIMITS })})`;
  const worker = startThread("watchdog", source, (error) => {
    throw error;
  });
  worker.onmessage = () => worker.postMessage({});
  return {
    endBy: (ms) => worker.postMessage({ endBy: ms }),
    release: () => worker.terminate(),
  };
}

/** The part of a worker's global scope that the thread uses. */
interface WorkerScope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent<{ endBy?: number }>) => void) | null;
}

/**
 * Code of the thread. It is passed to the thread as text, so it must not refer to names outside
 * this function.
 */
function watch(
  { signals, limits }: { signals: readonly Deno.Signal[]; limits: typeof LIMITS },
): void {
  const thread = globalThis as unknown as WorkerScope;
  let received = 0;
  /** Number of checks since the last response of the main thread. */
  let unanswered = 0;
  let checks: ReturnType<typeof setInterval> | undefined;

  function check(): void {
    clearInterval(checks);
    unanswered = 0;
    checks = setInterval(() => {
      if (++unanswered * limits.check > limits.blocked) end();
      else thread.postMessage({});
    }, limits.check);
  }

  function end(): void {
    const message =
      "error: could not end the run normally: the main thread was busy, for example with an " +
      "expression in the plan that takes long to evaluate on a response. The process was killed, so " +
      "there is no summary. Simplify the plan's expressions, or use fewer VUs, a lower rate, or more " +
      "machines.\n";
    try {
      Deno.stderr.writeSync(new TextEncoder().encode(message));
    } finally {
      Deno.kill(Deno.pid, "SIGKILL");
    }
  }

  for (const signal of signals) {
    let last = -Infinity;
    Deno.addSignalListener(signal, () => {
      const at = performance.now();
      if (at - last < limits.copy) return;
      last = at;
      if (++received === 2) check();
    });
  }
  thread.onmessage = ({ data }: MessageEvent<{ endBy?: number }>) => {
    unanswered = 0;
    // Timers overflow at 2^31 ms (24 days).
    if (data.endBy === undefined || data.endBy >= 2 ** 31) return;
    setTimeout(() => received < 2 && check(), data.endBy);
  };
}
