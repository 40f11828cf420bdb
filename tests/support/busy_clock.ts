import type { Cancel } from "../../src/engine/vu/clock.ts";
import { VirtualClock } from "./virtual_clock.ts";

/**
 * A virtual clock of a busy event loop: each yield to the event loop takes `turnMs` milliseconds.
 */
export class BusyClock extends VirtualClock {
  readonly #turnMs: number;

  constructor(turnMs: number) {
    super();
    this.#turnMs = turnMs;
  }

  override at(time: number, wake: () => void): Cancel {
    return super.at(time === this.now() ? time + this.#turnMs : time, wake);
  }
}
