import { RunError } from "../base/errors.ts";
import { count, formatMs, plural } from "../base/format.ts";
import type { Cancel, Clock } from "../engine/clock/clock.ts";
import { type Channel, everySecond } from "./channel.ts";
import type { PlanParts } from "./fetch_plan.ts";
import { describe, type Member, Members } from "./members.ts";
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

/**
 * Maximum time in ms without a message from a process that has not started its shard. After that,
 * the process is replaced. The limit is longer than during the run, because loading a large plan
 * can block a process.
 */
const REPLACED_MS = 30_000;
/** Clock difference in ms above which the leader reports that the clock of a process is wrong. */
const CLOCK_MS = 2_000;
/** Round trip time in ms above which a shard may start more than 50 ms too early or too late. */
const SLOW_MS = 100;
/** Maximum number of shards that a message lists. */
const MAX_LISTED = 10;

/** Options for `gatherShards`. */
export interface GatherOptions {
  readonly desk: LeaderDesk;
  readonly clock: Clock;
  readonly parts: PlanParts;
  readonly planHash: string;
  readonly seed: number;
  readonly shards: number;
  /** Version of rehearse that all processes must run. */
  readonly version: string;
  readonly joinTimeoutMs: number;
  readonly orphanMs: number;
  /** Returns the current time in Unix milliseconds. */
  readonly unixNow: () => number;
  /** Prints a line for the user. */
  readonly note: (text: string) => void;
  readonly stop?: AbortSignal;
}

/**
 * Assigns a shard to each process that joins, sends it the plan, and waits until all shards are
 * ready. Rejects with RunError if shards are missing after the timeout, if a process cannot run the
 * plan, or if the user interrupts the wait.
 */
export async function gatherShards(options: GatherOptions): Promise<Members> {
  const { desk, clock, parts, stop } = options;
  const members = new Members(options.shards);
  const deadline = clock.now() + options.joinTimeoutMs;
  serve(members, options);
  let failure: string | undefined;
  desk.on.failed = ({ from, reason }) => {
    const member = members.find(from);
    if (member !== undefined) failure ??= `${describe(member)} cannot run the plan: ${reason}`;
  };
  desk.on.chunk_request = ({ from, part, chunk }) => {
    const member = members.find(from);
    if (member === undefined) return desk.refuseReplaced(from);
    const data = parts.chunk(part, chunk);
    if (data === undefined) return;
    member.heardAt = clock.now();
    desk.send(from, { kind: "chunk", leader: desk.id, part, chunk, data });
  };
  await new Promise<void>((resolve, reject) => {
    const cancel = everySecond(clock, () => {
      const error = failure ?? problem(members, options, clock.now() >= deadline) ??
        (stop?.aborted ? "interrupted while waiting for the shards" : undefined);
      const isReady = members.all.filter(({ ready }) => ready).length === members.of;
      if (error === undefined && !isReady) return;
      queueMicrotask(() => cancel());
      if (error === undefined) resolve();
      else reject(new RunError(error));
    });
  });
  const notes = members.all.flatMap((member) => clockNotes(member, options));
  for (const text of notes.slice(0, MAX_LISTED)) options.note(text);
  if (notes.length > MAX_LISTED) {
    options.note(
      `${plural(notes.length - MAX_LISTED, "more note")} about clocks and connections omitted`,
    );
  }
  return members;
}

function serve(members: Members, options: GatherOptions): void {
  const { desk, clock, version, note } = options;
  const heard =
    <T extends { readonly from: string }>(act: (member: Member, message: T) => void) =>
    (message: T) => {
      const member = members.find(message.from);
      if (member === undefined) return desk.refuseReplaced(message.from);
      if (member.lost !== undefined) return;
      member.heardAt = clock.now();
      act(member, message);
    };
  desk.on.hello = (hello) => {
    const admitted = hello.version === version
      ? members.admit(hello, clock.now())
      : `it is version ${hello.version} of rehearse, but the leader is version ${version}`;
    if (typeof admitted === "string") {
      note(`refused ${hello.name}: ${admitted}`);
      return desk.send(hello.from, { kind: "refusal", leader: desk.id, reason: admitted });
    }
    admitted.heardAt = clock.now();
    desk.send(hello.from, welcome(admitted, options));
  };
  desk.on.ping = ({ from, sent }) => {
    desk.send(from, { kind: "pong", leader: desk.id, sent, now: clock.now() });
  };
  desk.on.beat = heard(() => {});
  desk.on.ready = heard<MessageOf<"ready">>((member, message) => {
    if (member.ready === undefined) note(`${describe(member)} is ready`);
    member.ready = message;
  });
}

function welcome(
  { shard }: Member,
  { desk, parts, planHash, seed, orphanMs }: GatherOptions,
): MessageOf<"welcome"> & { kind: "welcome" } {
  return {
    kind: "welcome",
    leader: desk.id,
    ...shard,
    plan_hash: planHash,
    seed,
    parts: [...parts.list],
    orphan_ms: orphanMs,
  };
}

/**
 * Removes silent members. If the timeout has passed, returns the reason why the run cannot start;
 * otherwise, returns undefined.
 */
function problem(
  members: Members,
  { clock, joinTimeoutMs, note }: GatherOptions,
  isOver: boolean,
): string | undefined {
  for (const member of members.all) {
    if (clock.now() - member.heardAt <= REPLACED_MS) continue;
    members.remove(member);
    note(`${describe(member)} does not respond; waiting for another process`);
  }
  if (!isOver) return undefined;
  const unready = members.all.filter(({ ready }) => !ready).map(describe);
  const free = members.free();
  const absent = [...free.map((shard) => `shard ${shard}`), ...unready];
  const more = absent.length > MAX_LISTED ? ` and ${absent.length - MAX_LISTED} more` : "";
  const present = members.of - absent.length;
  return `only ${count(present)} of ${count(members.of)} shards were ready within ` +
    `${formatMs(joinTimeoutMs)}; missing: ${absent.slice(0, MAX_LISTED).join(", ")}${more}. ` +
    "Start the missing `rehearse join` processes, or wait longer with `--join-timeout`";
}

/** Returns a note if a member's clock is wrong, and another one if its connection is slow. */
function clockNotes(member: Member, { clock, unixNow }: GatherOptions): string[] {
  const notes: string[] = [];
  const { at, unix_ms, round_trip_ms } = member.ready!;
  const aheadMs = unix_ms - at - (unixNow() - clock.now());
  if (Math.abs(aheadMs) > CLOCK_MS) {
    const which = aheadMs > 0 ? "ahead of" : "behind";
    notes.push(
      `the clock of ${describe(member)} is ${formatMs(Math.abs(aheadMs))} ${which} the leader's; ` +
        "this does not affect when the shard starts",
    );
  }
  if (round_trip_ms > SLOW_MS) {
    notes.push(
      `a round trip to ${describe(member)} over the bus takes ${
        formatMs(round_trip_ms)
      }, so this shard may start up to ` +
        `${formatMs(round_trip_ms / 2)} early or late`,
    );
  }
  return notes;
}
