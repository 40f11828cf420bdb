import type { HttpSession, Sender } from "./sender.ts";
import { Connector } from "./connector.ts";
import { Deadlines } from "./deadlines.ts";
import type { NetworkOptions } from "./network_options.ts";
import { NetworkSession } from "./network_session.ts";

/** Creates a sender that sends requests over the network. */
export function networkSender(options: NetworkOptions): Sender {
  const sessions = new Set<NetworkSession>();
  const deadlines = new Deadlines(sessions);
  const connector = new Connector(options);
  const shared = { connector, deadlines, sessions };
  return {
    open: (): HttpSession => new NetworkSession(shared),
    close(): void {
      for (const session of sessions) session.close();
      deadlines.stop();
    },
  };
}
