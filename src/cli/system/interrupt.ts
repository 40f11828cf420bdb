/**
 * Registers `act` to be called on each Ctrl-C or other request to end. Returns a function that
 * unregisters it.
 */
export type Interrupts = (act: () => void) => () => void;

/**
 * Calls `act` whenever this process receives a signal that asks it to end. Returns a function that
 * stops listening.
 */
export function systemInterrupts(act: () => void): () => void {
  const signals = endingSignals();
  for (const signal of signals) Deno.addSignalListener(signal, act);
  return () => {
    for (const signal of signals) Deno.removeSignalListener(signal, act);
  };
}

/**
 * Returns the signals that ask this process to end: SIGINT (Ctrl-C), SIGTERM (containers; not on Windows)
 * and SIGHUP (a closed terminal). SIGHUP is ignored if no output is a terminal, as with `nohup`.
 */
export function endingSignals(): Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT"];
  const isSeen = Deno.stdout.isTerminal() || Deno.stderr.isTerminal();
  return ["SIGINT", "SIGTERM", ...(isSeen ? ["SIGHUP"] as const : [])];
}
