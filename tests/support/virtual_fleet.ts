import type { Cancel, Clock } from "../../src/engine/vu/clock.ts";
import { runIdentity } from "../../src/engine/runner.ts";
import { ShardRunner } from "../../src/engine/shard_runner.ts";
import type { RunFailure } from "../../src/engine/summary/codes.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import { Channel } from "../../src/fleet/channel.ts";
import { type JoinOptions, joinRun } from "../../src/fleet/join_run.ts";
import type { JoinOutcome } from "../../src/fleet/run_reported_shard.ts";
import { type LeadOptions, leadRun } from "../../src/fleet/lead_run.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { type FakeResponse, FakeSender, type Sent } from "./fake_sender.ts";
import { type MemoryBus, MemoryHub } from "./memory_bus.ts";
import { VirtualClock } from "./virtual_clock.ts";

const HOUR_MS = 3_600_000;

/** A clock that is ahead of another one. */
class ShiftedClock implements Clock {
  readonly #clock: Clock;
  readonly #aheadMs: number;

  constructor(clock: Clock, aheadMs: number) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  now(): number {
    return this.#clock.now() + this.#aheadMs;
  }

  at(time: number, wake: () => void): Cancel {
    return this.#clock.at(time - this.#aheadMs, wake);
  }

  close(): void {}
}

/** Options of a joiner in virtual time. */
export interface VirtualJoiner extends Partial<JoinOptions> {
  /** How far the clock of the process is ahead of that of the leader, in ms. */
  readonly aheadMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly respond?: (sent: Sent, n: number) => FakeResponse;
  /** Failure that the runner of the shard reports at the end. */
  readonly failure?: RunFailure;
}

/** A joiner that has been started. */
export interface StartedJoiner {
  readonly bus: MemoryBus;
  /** Requests that the shard sent. `at` is on the leader's clock. */
  readonly sent: () => { readonly at: number; readonly target: string }[];
  /** Resolves to the outcome of the joiner, or to the error that ended it. */
  readonly ended: Promise<JoinOutcome | Error>;
  readonly notes: string[];
}

/** A leader that has been started. */
export interface StartedLeader {
  readonly bus: MemoryBus;
  readonly ended: Promise<Summary | Error>;
  readonly notes: string[];
}

/** Leaders and joiners that run in virtual time over an in-memory bus. */
export class VirtualFleet {
  readonly clock: VirtualClock;
  readonly hub: MemoryHub;
  #processes = 0;

  /** Creates a fleet whose processes use `clock`. */
  constructor(clock: VirtualClock = new VirtualClock()) {
    this.clock = clock;
    this.hub = new MemoryHub(clock);
  }

  /** Starts a leader. */
  lead(
    plan: Plan,
    options: Partial<LeadOptions> & { files?: Record<string, string> } = {},
  ): StartedLeader {
    const bus = this.hub.connect();
    const notes: string[] = [];
    const ended = leadRun(plan, {
      channel: new Channel(bus, "r"),
      clock: this.clock,
      id: `leader-${this.#processes++}`,
      name: "lead",
      shards: 1,
      seed: 1,
      joinTimeoutMs: HOUR_MS,
      orphanMs: 20_000,
      tolerateLost: 0,
      readFile: (path) => new TextEncoder().encode(options.files?.[path]),
      note: (text) => notes.push(text),
      ...options,
    }).catch((error: Error) => error);
    return { bus, ended, notes };
  }

  /** Starts a joiner. */
  join({ aheadMs = 0, env = {}, respond, failure, ...options }: VirtualJoiner = {}): StartedJoiner {
    const bus = this.hub.connect();
    const clock = new ShiftedClock(this.clock, aheadMs);
    const sender = new FakeSender(clock, respond);
    const notes: string[] = [];
    const number = this.#processes++;
    const ended = joinRun({
      channel: new Channel(bus, "r"),
      clock,
      id: `joiner-${number}`,
      name: `host${number}`,
      index: null,
      joinTimeoutMs: HOUR_MS,
      note: (text) => notes.push(text),
      prepare({ plan, files, shard, seed }) {
        const readFile = (path: string) => files.get(path)!;
        const identity = runIdentity(plan, { shard, seed, readFile });
        const readEnv = (name: string) => env[name];
        const parts = { clock, sender, shard, readFile, readEnv, details: true, ...identity };
        const runner = new ShardRunner(plan, parts);
        if (failure !== undefined) {
          const run = runner.run.bind(runner);
          runner.run = async (...args) => ({ ...await run(...args), failure });
        }
        const prepared = { runner, clock, identity, shard, workers: 1, [Symbol.dispose]() {} };
        return Promise.resolve(prepared);
      },
      ...options,
    }).catch((error: Error) => error);
    const sent = () => sender.sent.map(({ at, target }) => ({ at: at - aheadMs, target }));
    return { bus, sent, ended, notes };
  }

  /** Runs in virtual time until `work` settles. */
  drive<T>(work: Promise<T>): Promise<T> {
    return this.clock.drive(work);
  }
}
