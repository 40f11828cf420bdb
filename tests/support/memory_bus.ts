import type { Bus } from "../../src/fleet/channel.ts";
import type { Clock } from "../../src/engine/vu/clock.ts";

type Receive = (bytes: Uint8Array) => void;

/** A message on its way to its receivers. */
export interface Sending {
  readonly subject: string;
  readonly bytes: Uint8Array;
}

/** An in-memory message bus for tests that run in virtual time. */
export class MemoryHub {
  readonly #clock: Clock;
  readonly #receivers = new Set<(sending: Sending) => void>();
  readonly #connections: MemoryBus[] = [];
  /** Delivery time of a message in ms. */
  latencyMs = 1;
  /** Decides whether a message is lost. */
  loses: (sending: Sending) => boolean = () => false;
  /** All messages that were published. */
  readonly sent: Sending[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Connects a process. */
  connect(): MemoryBus {
    const bus = new MemoryBus(this);
    this.#connections.push(bus);
    return bus;
  }

  /** Disconnects or reconnects all processes. */
  setConnected(connected: boolean): void {
    for (const bus of this.#connections) bus.setConnected(connected);
  }

  publish(sending: Sending): void {
    this.sent.push(sending);
    if (this.loses(sending)) return;
    this.#clock.at(this.#clock.now() + this.latencyMs, () => {
      for (const receive of [...this.#receivers]) receive(sending);
    });
  }

  listen(receive: (sending: Sending) => void): void {
    this.#receivers.add(receive);
  }
}

/** Connection of one process to a `MemoryHub`. */
export class MemoryBus implements Bus {
  readonly #hub: MemoryHub;
  readonly #changed: (() => void)[] = [];
  connected = true;
  maxBytes: number = 1024 * 1024;

  constructor(hub: MemoryHub) {
    this.#hub = hub;
  }

  publish(subject: string, bytes: Uint8Array): void {
    if (this.connected) this.#hub.publish({ subject, bytes });
  }

  subscribe(subject: string, receive: Receive): void {
    this.#hub.listen((sending) => {
      if (this.connected && sending.subject === subject) receive(sending.bytes);
    });
  }

  onChange(changed: () => void): void {
    this.#changed.push(changed);
  }

  setConnected(connected: boolean): void {
    if (connected === this.connected) return;
    this.connected = connected;
    for (const changed of this.#changed) changed();
  }

  close(): Promise<void> {
    this.connected = false;
    return Promise.resolve();
  }
}
