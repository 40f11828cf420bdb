import type { Sender, Session } from "../sender.ts";
import { Deadlines } from "./deadlines.ts";
import type { NetworkOptions } from "./network_options.ts";
import { NetworkSession } from "./network_session.ts";
import { ReadBuffers } from "./read_buffers.ts";

/** The sender that sends over the network. */
export function networkSender(options: NetworkOptions): Sender {
  const sessions = new Set<NetworkSession>();
  const deadlines = new Deadlines(sessions);
  const shared = { options, buffers: new ReadBuffers(), deadlines, sessions };
  return {
    open: (): Session => new NetworkSession(shared),
    close(): void {
      for (const session of sessions) session.close();
      deadlines.stop();
    },
  };
}
