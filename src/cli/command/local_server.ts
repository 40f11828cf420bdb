import { UsageError } from "../../base/errors.ts";
import type { Io } from "../system/io.ts";
import { parseWholeNumber } from "./args.ts";
import type { Args, Flag } from "./command.ts";

const PORT = 8080;

/** The `--port` option of commands that start a local server. */
export const PORT_FLAG: Flag = {
  name: "port",
  value: "N",
  help: "Listen on port N; 0 chooses a free port",
  default: String(PORT),
};

/**
 * Calls `start` with the port from `--port` (default: 8080) and returns its result. Throws
 * UsageError if the port is invalid or in use.
 */
export function startOnPort<Server>(args: Args, start: (port: number) => Server): Server {
  const port = parseWholeNumber(args, "port") ?? PORT;
  if (port > 65_535) throw new UsageError(`--port cannot be ${port}: the maximum is 65535`);
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
