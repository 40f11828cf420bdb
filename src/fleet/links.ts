import { RunError } from "../base/errors.ts";
import type { Cancel, Clock } from "../engine/vu/clock.ts";
import { type Channel, everySecond } from "./channel.ts";
import { describeOtherVersion, type Handlers, type Message, type MessageOf } from "./messages.ts";

/** Time in ms to wait for an objection from another leader of the same run. */
const CLAIM_MS = 500;

/** A leader's connection to the processes that join its run. */
export class LeaderDesk {
  readonly id: string;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #name: string;
  #cancel: Cancel = () => {};
  #state: Pick<MessageOf<"pulse">, "phase" | "starts_at" | "stop" | "reason"> = {
    phase: "waiting",
    starts_at: null,
    stop: "no",
    reason: "",
  };
  #rival: string | undefined;
  #isLeading = false;
  readonly on: Handlers = {};

  constructor(channel: Channel, clock: Clock, { id, name }: { id: string; name: string }) {
    this.id = id;
    this.#channel = channel;
    this.#clock = clock;
    this.#name = name;
    channel.listen("leader", (message) => this.#receive(message));
    channel.listen("all", (message) => {
      if (message.kind === "pulse" && message.leader !== id && message.phase !== "ended") {
        this.#rival ??= message.name;
      }
    });
  }

  /** Starts leading the run. Rejects with RunError if another process already leads it. */
  async claim(): Promise<void> {
    this.#channel.send("leader", { kind: "claim", from: this.id, name: this.#name });
    await new Promise<void>((resolve) => this.#clock.at(this.#clock.now() + CLAIM_MS, resolve));
    if (this.#rival !== undefined) {
      throw new RunError(
        `${this.#rival} already leads a run with this name; choose another name in \`--fleet\`, or ` +
          "end that run first",
      );
    }
    this.#isLeading = true;
    this.#cancel = everySecond(this.#clock, () => this.#publish());
  }

  /** Changes parts of the state that the leader publishes, and publishes it immediately. */
  set(change: Partial<Pick<MessageOf<"pulse">, "phase" | "starts_at" | "stop" | "reason">>): void {
    this.#state = { ...this.#state, ...change };
    this.#publish();
  }

  send(to: string, message: Message): void {
    this.#channel.send({ id: to }, message);
  }

  refuse(to: string, reason: string): void {
    this.send(to, { kind: "refusal", leader: this.id, reason });
  }

  close(reason: string): void {
    this.#cancel();
    if (this.#isLeading) this.set({ phase: "ended", reason });
    this.#isLeading = false;
  }

  #publish(): void {
    const state = { kind: "pulse" as const, leader: this.id, name: this.#name, ...this.#state };
    this.#channel.send("all", state);
  }

  #receive(message: Message): void {
    if (message.kind === "claim") return this.#object(message);
    if (this.#isLeading) handle(this.on, message);
  }

  #object({ from, name }: MessageOf<"claim">): void {
    if (from === this.id) return;
    if (this.#isLeading || this.id < from) this.#publish();
    else this.#rival ??= name;
  }
}

/** Connection from a process that joins a run to the run's leader. */
export class LeaderLink {
  readonly id: string;
  readonly #channel: Channel;
  readonly #clock: Clock;
  #leader: string | undefined;
  #check: () => void = () => {};
  #otherVersion: string | undefined;
  readonly on: Handlers = {};
  heardAt: number;
  pulse: MessageOf<"pulse"> | undefined;
  /** Reason why the leader refused this process or its result. Undefined if it did not. */
  refusal: string | undefined;

  /** Starts listening. `id` identifies this process on the bus. */
  constructor(channel: Channel, clock: Clock, id: string) {
    this.id = id;
    this.#channel = channel;
    this.#clock = clock;
    this.heardAt = clock.now();
    channel.onOtherVersion = (version) => this.#otherVersion = version;
    for (const place of [{ id }, "all"] as const) {
      channel.listen(place, (message) => this.#receive(message));
    }
  }

  /** From now on, ignores messages from leaders other than `leader`. */
  follow(leader: string): void {
    this.#leader = leader;
    this.refusal = undefined;
    if (this.pulse?.leader !== leader) this.pulse = undefined;
  }

  send(message: Message): void {
    this.#channel.send("leader", message);
  }

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

  /** Throws RunError if the leader refused this process, or is another version of rehearse. */
  checkAdmission(): void {
    if (this.refusal !== undefined) {
      throw new RunError(`the leader refused this process: ${this.refusal}`);
    }
    if (this.#otherVersion === undefined || this.#leader !== undefined) return;
    throw new RunError(describeOtherVersion("the leader", this.#otherVersion));
  }

  #receive(message: Message): void {
    if (!("leader" in message)) return;
    if (this.#leader !== undefined && message.leader !== this.#leader) return;
    this.heardAt = this.#clock.now();
    if (message.kind === "pulse") this.pulse = message;
    if (message.kind === "refusal") this.refusal ??= message.reason;
    handle(this.on, message);
    this.#check();
  }
}

function handle(on: Handlers, message: Message): void {
  (on[message.kind] as ((message: Message) => void) | undefined)?.(message);
}

/** Older measurements are dropped, so that the estimate adapts to clock drift. */
const KEPT = 60;

interface Measurement {
  readonly roundTripMs: number;
  readonly offsetMs: number;
}

/**
 * Estimates how far the leader's clock is ahead of this process's clock, from round trips over the
 * bus. Uses the shortest round trip, because the error of an estimate is at most half the duration
 * of its round trip.
 */
export class ClockOffset {
  readonly #measured: Measurement[] = [];

  /** Adds a ping sent at `sent`, to which the leader responded at `leaderNow` on its own clock. */
  add(sent: number, received: number, leaderNow: number): void {
    const roundTripMs = received - sent;
    if (roundTripMs < 0) return;
    this.#measured.push({ roundTripMs, offsetMs: leaderNow - (sent + received) / 2 });
    if (this.#measured.length > KEPT) this.#measured.shift();
  }

  get count(): number {
    return this.#measured.length;
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
