import { UsageError } from "../base/errors.ts";
import type { Args, Flag } from "./command.ts";
import type { Io } from "./io.ts";
import { parseWholeNumber } from "./number_flag.ts";

const PORT = 8080;

/** Where a server of this machine listens. */
export const PORT_FLAG: Flag = {
  name: "port",
  value: "N",
  help: `Port to listen at; 0 takes a free one (default ${PORT})`,
};

/** What `start` starts at the port that was asked for. Throws UsageError when there is none. */
export function startedAt<Server>(args: Args, start: (port: number) => Server): Server {
  const port = parseWholeNumber(args, "port") ?? PORT;
  if (port > 65_535) throw new UsageError(`--port cannot be ${port}: 65535 is the highest`);
  try {
    return start(port);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new UsageError(`cannot listen at port ${port}: it is in use; try --port 0`);
  }
}

/** Waits for Ctrl-C. */
export function interrupted(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const forget = io.interrupts(() => {
      forget();
      resolve();
    });
  });
}
