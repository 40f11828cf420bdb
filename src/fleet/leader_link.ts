import { RunError } from "../base/errors.ts";
import type { Clock } from "../engine/clock/clock.ts";
import { type Channel, describeOtherProtocol, everySecond } from "./channel.ts";
import type { Handlers, Message, MessageOf } from "./messages.ts";

/** Connection from a process that joins a run to the run's leader. */
export class LeaderLink {
  readonly id: string;
  readonly #channel: Channel;
  readonly #clock: Clock;
  #leader: string | undefined;
  #check: () => void = () => {};
  #otherProtocol: number | undefined;
  /** Functions that handle messages from the leader, keyed by the kind of message. */
  readonly on: Handlers = {};
  /** Time at which the last message from the leader arrived. */
  heardAt: number;
  /** Latest state that the leader has published. */
  pulse: MessageOf<"pulse"> | undefined;

  /** Starts listening. `id` identifies this process on the bus. */
  constructor(channel: Channel, clock: Clock, id: string) {
    this.id = id;
    this.#channel = channel;
    this.#clock = clock;
    this.heardAt = clock.now();
    channel.onOtherProtocol = (protocol) => this.#otherProtocol = protocol;
    for (const place of [{ id }, "all"] as const) {
      channel.listen(place, (message, bytes) => this.#receive(message, bytes));
    }
  }

  /** From now on, ignores messages from leaders other than `leader`. */
  follow(leader: string): void {
    this.#leader = leader;
    if (this.pulse?.leader !== leader) this.pulse = undefined;
  }

  send(message: Message): void {
    this.#channel.send("leader", message);
  }

  /** Milliseconds since the last message from the leader. */
  get silentMs(): number {
    return this.#clock.now() - this.heardAt;
  }

  /**
   * Calls `each` once per second. Calls `find` after each of these calls and after each message
   * from the leader. Resolves to the first result of `find` that is not undefined. Rejects if
   * `find` throws.
   */
  until<T>(find: () => T | undefined, each: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let isDone = false;
      let cancel = () => {};
      const end = (settle: () => void) => {
        isDone = true;
        this.#check = () => {};
        cancel();
        settle();
      };
      const check = this.#check = () => {
        if (isDone) return;
        try {
          const found = find();
          if (found !== undefined) end(() => resolve(found));
        } catch (error) {
          end(() => reject(error));
        }
      };
      cancel = everySecond(this.#clock, () => {
        if (isDone) return;
        each();
        check();
      });
      if (isDone) cancel();
    });
  }

  /** Throws RunError if a message with a different protocol version has arrived. */
  checkProtocol(): void {
    if (this.#otherProtocol === undefined) return;
    throw new RunError(describeOtherProtocol("the leader", this.#otherProtocol));
  }

  #receive(message: Message, bytes: number): void {
    if (!("leader" in message)) return;
    if (this.#leader !== undefined && message.leader !== this.#leader) return;
    this.heardAt = this.#clock.now();
    if (message.kind === "pulse") this.pulse = message;
    (this.on[message.kind] as ((message: Message, bytes: number) => void) | undefined)?.(
      message,
      bytes,
    );
    this.#check();
  }
}

/**
 * Maximum number of measurements to keep. Older measurements are dropped, so that the estimate
 * adapts to clock drift.
 */
const KEPT = 60;

interface Measurement {
  readonly roundTripMs: number;
  readonly offsetMs: number;
}

/**
 * Estimates how far the leader's clock is ahead of this process's clock, from round trips over
 * the bus. Uses the shortest round trip, because the error of an estimate is at most half the
 * duration of its round trip.
 */
export class ClockOffset {
  readonly #measured: Measurement[] = [];

  /**
   * Adds a round trip: a ping sent at `sent` and its response received at `received`, both on this
   * process's clock. `leaderNow` is the leader's time when it responded. All times are in ms.
   */
  add(sent: number, received: number, leaderNow: number): void {
    const roundTripMs = received - sent;
    if (roundTripMs < 0) return;
    this.#measured.push({ roundTripMs, offsetMs: leaderNow - (sent + received) / 2 });
    if (this.#measured.length > KEPT) this.#measured.shift();
  }

  get count(): number {
    return this.#measured.length;
  }

  /** Duration of the shortest round trip in ms; Infinity before the first round trip. */
  get roundTripMs(): number {
    return this.#best?.roundTripMs ?? Infinity;
  }

  /** Converts a time on this process's clock to the leader's clock. */
  toLeader(time: number): number {
    return time + (this.#best?.offsetMs ?? 0);
  }

  /** Converts a time on the leader's clock to the clock of this process. */
  fromLeader(time: number): number {
    return time - (this.#best?.offsetMs ?? 0);
  }

  get #best(): Measurement | undefined {
    let best: Measurement | undefined;
    for (const one of this.#measured) {
      if (best === undefined || one.roundTripMs <= best.roundTripMs) best = one;
    }
    return best;
  }
}
