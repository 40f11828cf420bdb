import type { Message } from "../messages.ts";
import type { Bus } from "./bus.ts";
import { decodeMessage, encodeMessage } from "./codec.ts";

/** Receiver of a message: the leader, all processes, or the process with this id. */
export type Place = "leader" | "all" | { readonly id: string };

/** Sends and receives the messages of one run over a bus. */
export class Channel {
  readonly bus: Bus;
  readonly #run: string;
  /** Number of invalid messages received. */
  invalid = 0;
  /** Reason why the first invalid message was invalid. */
  firstFault = "";
  /**
   * Called for each message whose protocol version, `protocol`, differs from that of this process.
   */
  onOtherProtocol: (protocol: number) => void = () => {};

  /** Creates the channel of the run named `run`. */
  constructor(bus: Bus, run: string) {
    this.bus = bus;
    this.#run = run;
  }

  /** Sends a message. If the bus is unreachable, the message is dropped. */
  send(to: Place, message: Message): void {
    this.sendBytes(to, encodeMessage(message));
  }

  /**
   * Sends an encoded message. If the bus is unreachable, or the message is too large for it, the
   * message is dropped.
   */
  sendBytes(to: Place, bytes: Uint8Array): void {
    const { connected, maxBytes } = this.bus;
    if (connected && bytes.length <= maxBytes) this.bus.publish(this.#subject(to), bytes);
  }

  /**
   * Calls `receive` with each valid message to `place` and its size in bytes. Counts and drops
   * invalid messages.
   */
  listen(place: Place, receive: (message: Message, bytes: number) => void): void {
    this.bus.subscribe(this.#subject(place), (bytes) => {
      const message = decodeMessage(bytes);
      if (!("fault" in message)) return receive(message, bytes.length);
      if (message.protocol !== undefined) this.onOtherProtocol(message.protocol);
      this.reject(message.fault);
    });
  }

  /** Counts a message that is invalid for the reason `fault`. */
  reject(fault: string): void {
    if (this.invalid++ === 0) this.firstFault = fault;
  }

  #subject(place: Place): string {
    const end = typeof place === "string" ? place : `to.${place.id}`;
    return `rehearse.${this.#run}.${end}`;
  }
}
