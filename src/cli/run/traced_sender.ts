import type { Outgoing, Sender } from "../../engine/sender.ts";
import { exchangeText, type Trace } from "./exchange_text.ts";

const EVERYTHING = { headers: true, body: true };

/** A sender that shows each exchange once it is over, secrets hidden. */
export function tracedSender(
  sender: Sender,
  show: (text: string) => void,
  trace: Trace,
): Sender {
  let shown = 0;
  return {
    open() {
      const session = sender.open();
      return {
        async send(request, reply) {
          const whole: Outgoing = { ...request, wants: EVERYTHING };
          await session.send(whole, reply);
          show(exchangeText(++shown, whole, reply, trace));
        },
        close: () => session.close(),
      };
    },
    close: () => sender.close(),
  };
}
