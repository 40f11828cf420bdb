/// <reference lib="deno.worker" />

/** Ends this process when its main thread is blocked, so that no timer and no Ctrl-C has an effect. */
export interface Watchdog {
  /** Ends the process if the main thread is blocked `ms` milliseconds from now, or later. */
  endBy(ms: number): void;
  /** Watches no longer. */
  release(): void;
}

/** Starts a watchdog that also looks at the main thread from the second of these signals on. */
export type StartWatchdog = (signals: readonly Deno.Signal[]) => Watchdog;

/** The main thread counts as blocked when it does not respond for so many milliseconds. */
const LIMITS = {
  /** After the second signal. */
  signalled: 1_500,
  /** When the run should be over: summing up a large run may take seconds. */
  overdue: 10_000,
};

/**
 * Starts a thread that ends the process with SIGKILL when the main thread is blocked: after the
 * second signal, or when the run should be over. Deno lets a process end itself without
 * `--allow-run`. The thread has no module file, so it needs no `--allow-read` either.
 */
export function startWatchdog(signals: readonly Deno.Signal[]): Watchdog {
  const source = `(${watch})(${JSON.stringify({ signals, limits: LIMITS })})`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(source)}`, {
    type: "module",
  });
  worker.onerror = (event) => event.preventDefault();
  worker.onmessage = () => worker.postMessage({});
  return {
    endBy: (ms) => worker.postMessage({ endBy: ms }),
    release: () => worker.terminate(),
  };
}

/** The code of the thread: it is sent as text, so it must not refer to anything outside itself. */
function watch(
  { signals, limits }: { signals: readonly Deno.Signal[]; limits: typeof LIMITS },
): void {
  const thread = globalThis as unknown as DedicatedWorkerGlobalScope;
  let received = 0;
  let respondedAt = 0;
  let looks: ReturnType<typeof setInterval> | undefined;

  function look(limit: number): void {
    clearInterval(looks);
    respondedAt = performance.now();
    looks = setInterval(() => {
      if (performance.now() - respondedAt > limit) end();
      else thread.postMessage({});
    }, 100);
  }

  function end(): void {
    const message = "error: the run does not end: an expression of the plan takes too long on a " +
      "response; the process is killed\n";
    try {
      Deno.stderr.writeSync(new TextEncoder().encode(message));
    } finally {
      Deno.kill(Deno.pid, "SIGKILL");
    }
  }

  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (++received === 2) look(limits.signalled);
    });
  }
  thread.onmessage = ({ data }: MessageEvent<{ endBy?: number }>) => {
    respondedAt = performance.now();
    // A longer timer would overflow; that is 24 days.
    if (data.endBy === undefined || data.endBy >= 2 ** 31) return;
    setTimeout(() => received < 2 && look(limits.overdue), data.endBy);
  };
}
