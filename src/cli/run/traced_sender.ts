import type { HttpSession, Outgoing, Sender } from "../../http/sender.ts";
import { exchangeText, type Trace } from "./exchange_text.ts";

const EVERYTHING = { headers: true, body: true };

/** Wraps a sender so that each completed exchange is passed to `show`, with secrets hidden. */
export function tracedSender(
  sender: Sender,
  show: (text: string) => void,
  trace: Trace,
): Sender {
  let shown = 0;
  const traced = (session: HttpSession): HttpSession => ({
    async send(request, response) {
      const whole: Outgoing = { ...request, needs: EVERYTHING };
      await session.send(whole, response);
      show(exchangeText(++shown, whole, response, trace));
    },
    branch: () => traced(session.branch()),
    close: () => session.close(),
  });
  return { open: (user) => traced(sender.open(user)), close: () => sender.close() };
}
