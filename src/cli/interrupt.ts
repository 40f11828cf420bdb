/** Calls `act` at each Ctrl-C or request to end, until what it gave back is called. */
export type Interrupts = (act: () => void) => () => void;

// Windows knows no SIGTERM; elsewhere it is how a container is asked to end.
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/** The interrupts that the system sends this process. */
export function systemInterrupts(act: () => void): () => void {
  for (const signal of SIGNALS) Deno.addSignalListener(signal, act);
  return () => {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, act);
  };
}
