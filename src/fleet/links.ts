import { InputError, RunError } from "../base/errors.ts";
import type { Cancel, Clock } from "../engine/vu/clock.ts";
import {
  type Channel,
  CHUNK_BYTES,
  describeOtherVersion,
  everySecond,
  type Handlers,
  type Message,
  type MessageOf,
} from "./channel.ts";
import * as z from "zod";
import { LF } from "../base/ascii.ts";
import { concat } from "../base/bytes/byte_source.ts";
import { parseExactJson } from "../base/exact_number.ts";
import { checkPlan } from "../plan/check_plan.ts";
import { withDoubles } from "../plan/normalize_plan.ts";
import { filesRead, secretFiles } from "../plan/request_texts.ts";
import type { Plan } from "../plan/schema/plan.ts";

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
   * Calls `each` once per second, and `find` then and after each message from the leader. Resolves
   * to its first result that is not undefined.
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
 * Estimates how far the leader's clock is ahead of this one, from the shortest round trip: the
 * error is at most half of its duration.
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
    for (const measurement of this.#measured) {
      if (best === undefined || measurement.roundTripMs <= best.roundTripMs) best = measurement;
    }
    return best;
  }
}

/** Maximum size of a plan and its files, in bytes. */
const MAX_PLAN_BYTES = 1024 ** 3;

/** A plan, and the contents of the files that it uses, keyed by path. */
export interface FetchedPlan {
  readonly plan: Plan;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** First line of a packed plan: the plan, and the files whose contents follow it. */
const HEAD = z.object({ plan: z.unknown(), files: z.array(z.tuple([z.string(), z.number()])) });

/**
 * Packs a plan and its files, without those with secrets, and without outputs and overlays, which a
 * shard does not need. Throws InputError if a file cannot be read.
 */
export function packPlan(
  { outputs: _outputs, env: _env, ...plan }: Plan,
  readFile: (path: string) => Uint8Array,
): Uint8Array {
  const secret = new Set(secretFiles(plan));
  const files = [...new Set(filesRead(plan))].filter((path) => !secret.has(path))
    .map((path) => [path, readFile(path)] as const);
  const head: z.infer<typeof HEAD> = {
    plan,
    files: files.map(([path, { length }]) => [path, length]),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(head) + "\n");
  return concat([bytes, ...files.map(([, content]) => content)]);
}

export function chunkOf(packed: Uint8Array, chunk: number): string | undefined {
  const from = chunk * CHUNK_BYTES;
  return from < packed.length ? packed.subarray(from, from + CHUNK_BYTES).toBase64() : undefined;
}

/** Requests the plan that `welcome` announces. Rejects if the leader disappears. */
export async function fetchPlan(
  link: LeaderLink,
  { size, orphan_ms }: MessageOf<"welcome">,
): Promise<FetchedPlan> {
  if (size > MAX_PLAN_BYTES) throw new RunError("the leader's plan and its files exceed 1 GiB");
  const packed = new Uint8Array(size);
  for (let chunk = 0; chunk * CHUNK_BYTES < size; chunk++) {
    const from = chunk * CHUNK_BYTES;
    const expected = Math.min(CHUNK_BYTES, size - from);
    let data: Uint8Array | undefined;
    link.on.chunk = (received) => {
      const decoded = received.chunk === chunk ? fromBase64(received.data) : undefined;
      if (decoded?.length === expected) data = decoded;
    };
    const bytes = await link.until(() => {
      link.checkAdmission();
      if (link.silentMs > orphan_ms) throw new RunError("the leader disappeared before the start");
      return data;
    }, () => link.send({ kind: "chunk_request", from: link.id, chunk }));
    packed.set(bytes, from);
  }
  delete link.on.chunk;
  return unpackPlan(packed);
}

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

function unpackPlan(packed: Uint8Array): FetchedPlan {
  const source = "the leader's plan";
  let at = packed.indexOf(LF) + 1;
  let head: z.infer<typeof HEAD>;
  try {
    head = HEAD.parse(parseExactJson(new TextDecoder().decode(packed.subarray(0, at))));
  } catch {
    throw new InputError("it is malformed", { source });
  }
  const plan = withDoubles(head.plan);
  const error = checkPlan(plan).find(({ severity, code }) =>
    severity === "error" && code !== "no-base-url"
  );
  if (error) throw new InputError(`it is invalid: ${error.message}`, { source });
  const files = new Map(
    head.files.map(([path, size]) => [path, packed.subarray(at, at += size)]),
  );
  return { plan: plan as Plan, files };
}
