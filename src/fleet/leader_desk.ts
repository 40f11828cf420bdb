import { RunError } from "../base/errors.ts";
import type { Cancel, Clock } from "../engine/clock/clock.ts";
import { type Channel, everySecond } from "./channel.ts";
import type { Handlers, Message, MessageOf } from "./messages.ts";

/** Time in ms to wait for an objection from another leader of the same run. */
const CLAIM_MS = 500;

/**
 * A leader's connection to the processes that join its run. Publishes the leader's state once per
 * second.
 */
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
  /** Functions that handle messages to the leader, keyed by the kind of message. */
  readonly on: Handlers = {};
  /** Number of messages received, and their total size in bytes. */
  readonly received = { messages: 0, bytes: 0 };

  /**
   * Creates the leader's connection to the processes that join its run. `id` identifies the
   * leader's process, and `name` is its host name.
   */
  constructor(channel: Channel, clock: Clock, { id, name }: { id: string; name: string }) {
    this.id = id;
    this.#channel = channel;
    this.#clock = clock;
    this.#name = name;
    channel.listen("leader", (message, bytes) => this.#receive(message, bytes));
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

  /** Sends a message to the process with the id `to`. */
  send(to: string, message: Message): void {
    this.#channel.send({ id: to }, message);
  }

  /**
   * Refuses the process with the id `to`, which lost its shard because it was silent for too long.
   */
  refuseReplaced(to: string): void {
    const reason = "it was silent for too long, and another process now runs this shard";
    this.send(to, { kind: "refusal", leader: this.id, reason });
  }

  /** Publishes the end of the run, and stops publishing. */
  close(reason: string): void {
    this.#cancel();
    if (this.#isLeading) this.set({ phase: "ended", reason });
    this.#isLeading = false;
  }

  #publish(): void {
    const state = { kind: "pulse" as const, leader: this.id, name: this.#name, ...this.#state };
    this.#channel.send("all", state);
  }

  #receive(message: Message, bytes: number): void {
    this.received.messages++;
    this.received.bytes += bytes;
    if (message.kind === "claim") return this.#object(message);
    if (!this.#isLeading) return;
    (this.on[message.kind] as ((message: Message, bytes: number) => void) | undefined)?.(
      message,
      bytes,
    );
  }

  /**
   * Prevents another process from leading the same run. If two leaders start at the same time, the
   * one with the lower id wins.
   */
  #object({ from, name }: MessageOf<"claim">): void {
    if (from === this.id) return;
    if (this.#isLeading || this.id < from) this.#publish();
    else this.#rival ??= name;
  }
}
