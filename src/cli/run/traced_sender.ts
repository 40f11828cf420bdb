import type { HttpSession, Outgoing, Sender } from "../../engine/sender.ts";
import { exchangeText, type Trace } from "./exchange_text.ts";

const EVERYTHING = { headers: true, body: true };

/** A sender that shows each exchange once it is over, secrets hidden. */
export function tracedSender(
  sender: Sender,
  show: (text: string) => void,
  trace: Trace,
): Sender {
  let shown = 0;
  const traced = (session: HttpSession): HttpSession => ({
    async send(request, reply) {
      const whole: Outgoing = { ...request, needs: EVERYTHING };
      await session.send(whole, reply);
      show(exchangeText(++shown, whole, reply, trace));
    },
    branch: () => traced(session.branch()),
    close: () => session.close(),
  });
  return { open: (user) => traced(sender.open(user)), close: () => sender.close() };
}
