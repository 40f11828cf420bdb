import { UsageError } from "../../base/errors.ts";
import type { Io } from "../system/io.ts";
import { type Option, wholeNumber } from "./options.ts";

/** The `--port` option of commands that start a local server. */
export const PORT: Option<number> = wholeNumber(
  { default: "8080", help: "Listen on port N; 0 chooses a free port" },
  0,
  65_535,
);

/** Calls `start` with `port` and returns its result. Throws UsageError if the port is in use. */
export function startOnPort<Server>(port: number, start: (port: number) => Server): Server {
  try {
    return start(port);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new UsageError(`cannot listen on port ${port}: it is in use; try \`--port 0\``);
  }
}

/** Waits for Ctrl-C or another request to end the process. */
export function waitForInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const forget = io.interrupts(() => {
      forget();
      resolve();
    });
  });
}
