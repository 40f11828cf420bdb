/** Calls `act` at each Ctrl-C or request to end, until what it gave back is called. */
export type Interrupts = (act: () => void) => () => void;

/** The interrupts that the system sends this process. */
export function systemInterrupts(act: () => void): () => void {
  const signals = endingSignals();
  for (const signal of signals) Deno.addSignalListener(signal, act);
  return () => {
    for (const signal of signals) Deno.removeSignalListener(signal, act);
  };
}

/**
 * Returns the signals that ask this process to end.
 * Windows knows no SIGTERM, which is how a container is asked to end. A terminal that is closed asks to
 * end too, but not what was started with nohup: neither output of that is a terminal.
 */
export function endingSignals(): Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT"];
  const isSeen = Deno.stdout.isTerminal() || Deno.stderr.isTerminal();
  return ["SIGINT", "SIGTERM", ...(isSeen ? ["SIGHUP"] as const : [])];
}
