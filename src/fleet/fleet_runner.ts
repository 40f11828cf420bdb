import { formatMs } from "../base/format.ts";
import type { Clock } from "../engine/vu/clock.ts";
import { onAbort, type RunHooks, type Runner, type RunResult } from "../engine/runner.ts";
import type { RunFailure } from "../engine/summary/codes.ts";
import type { MetricKind } from "../plan/text/metrics.ts";
import { type Channel, everySecond, LOST_MS, type MessageOf } from "./channel.ts";
import type { LeaderDesk } from "./links.ts";
import { coverage, describe, type Member, type Members } from "./members.ts";
import { Totals } from "./shard_counts.ts";

/** Time in ms after which a second is reported even if the counts of some shards are missing. */
const OVERDUE_MS = 2_500;
/** Maximum number of consecutive invalid deltas of a shard that is not lost. */
const MAX_REJECTED = 5;
/** Time in ms to wait for another delta from a shard that has ended. */
const STALLED_MS = 30_000;
/** Maximum number of seconds by which the clock of a shard may be ahead of the leader's. */
const AHEAD_SECONDS = 5;

type Delta = MessageOf<"delta">;
type End = MessageOf<"done">;

export interface FleetParts {
  readonly channel: Channel;
  readonly desk: LeaderDesk;
  readonly clock: Clock;
  readonly members: Members;
  readonly selectors: readonly string[];
  readonly ownMetrics: ReadonlyMap<string, MetricKind>;
  /** Maximum number of shards that can be lost without failing the run. */
  readonly tolerateLost: number;
  /** Time in ms for which the bus can be unreachable before all shards count as lost. */
  readonly orphanMs: number;
  /** True to report the counts for each endpoint, check and error every second. */
  readonly details: boolean;
  readonly note: (text: string) => void;
}

/** Runs a plan in the processes that have joined, and adds up their counts. */
export class FleetRunner implements Runner {
  readonly plannedMs: number;
  readonly endsMs: number;
  readonly #parts: FleetParts;
  readonly #totals: Totals;
  #startsAt = 0;
  #second = 0;
  #ended: "assertion" | undefined;
  #failure: RunFailure | undefined;
  #isStopping = false;
  #offlineSince: number | undefined;
  #hooks: RunHooks = {};
  #finish: () => void = () => {};

  constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#totals = new Totals(parts.selectors, parts.ownMetrics);
    const ready = parts.members.all.map(({ ready }) => ready!);
    this.plannedMs = Math.max(...ready.map(({ planned_ms }) => planned_ms));
    this.endsMs = Math.max(...ready.map(({ ends_ms }) => ends_ms));
  }

  async run(startsAt: number, hooks: RunHooks): Promise<RunResult> {
    const { desk, channel, clock, members } = this.#parts;
    this.#startsAt = startsAt;
    this.#hooks = hooks;
    const finished = new Promise<void>((resolve) => this.#finish = resolve);
    desk.on.hello = ({ from, name }) => {
      const reason = "the run has already started";
      this.#parts.note(`refused ${name}: ${reason}`);
      desk.refuse(from, reason);
    };
    const parts = this.#parts;
    desk.on.beat = members.handler(parts, () => {});
    desk.on.ready = members.handler(parts, () => {});
    desk.on.delta = members.handler(parts, (member, delta: Delta) => this.#add(member, delta));
    desk.on.done = members.handler(parts, (member, end: End) => this.#done(member, end));
    desk.on.failed = members.handler(
      parts,
      (member, { reason }: MessageOf<"failed">) => this.#lose(member, reason),
    );
    channel.bus.onChange(() => this.#reconnected());
    desk.set({ phase: "running", starts_at: startsAt });
    using _stop = onAbort(hooks.stop, () => this.#stop("stop"));
    using _kill = onAbort(hooks.kill, () => this.#stop("kill"));
    const cancel = everySecond(clock, () => this.#everySecond());
    await finished;
    cancel();
    const durationMs = Math.max(0, ...members.all.map(({ elapsedMs }) => elapsedMs));
    return {
      snapshot: this.#totals.snapshot(durationMs),
      ended: this.#ended,
      ...(this.#failure && { failure: this.#failure }),
      coverage: coverage(members, {
        plannedMs: this.plannedMs,
        tolerateLost: this.#parts.tolerateLost,
        startedAt: (member) => this.#unixStart(member),
      }),
    };
  }

  #stop(stop: "stop" | "kill"): void {
    this.#isStopping = true;
    this.#parts.desk.set({ stop });
  }

  #add(member: Member, { kind: _, from: __, seq, ...counts }: Delta & { kind?: string }): void {
    const { channel, clock } = this.#parts;
    if (seq === member.seq + 1) {
      const latest = (clock.now() - this.#startsAt) / 1_000 + AHEAD_SECONDS;
      try {
        const times = [counts.second, ...(counts.seconds ?? []).map(({ at = 0 }) => at)];
        if (times.some((at) => at > latest)) {
          throw new Error("it contains counts for a time in the future");
        }
        this.#totals.add(member.shard.index, counts);
      } catch (error) {
        const { message } = error as Error;
        channel.reject(`an invalid report from ${describe(member)}: ${message}`);
        if (++member.rejected > MAX_REJECTED) {
          this.#lose(member, `its report is invalid: ${message}`);
        }
        return;
      }
      recordDelta(member, seq, counts);
    }
    this.#acknowledge(member, false);
    this.#tick();
  }

  #done(member: Member, message: End): void {
    if (message.seq !== member.seq) {
      const { clock } = this.#parts;
      member.incompleteSince ??= clock.now();
      const waitedMs = clock.now() - member.incompleteSince;
      if (waitedMs <= STALLED_MS || member.done !== undefined) {
        return this.#acknowledge(member, false);
      }
      const lost = `it has ended, but only ${member.seq} of its ${message.seq} reports arrived`;
      this.#parts.desk.refuse(member.id, `the shard is lost: ${lost}`);
      return this.#lose(member, lost);
    }
    this.#acknowledge(member, true);
    if (member.done !== undefined) return;
    if (message.ending === "interrupted" && !this.#isStopping) {
      return this.#lose(member, "its process was interrupted");
    }
    member.done = message;
    this.#failure ??= message.failure ?? undefined;
    member.elapsedMs = message.duration_ms;
    if (message.ending === "assertion") {
      this.#ended = "assertion";
      this.#stop("stop");
    }
    this.#tick();
    this.#finishIfAllEnded();
  }

  #acknowledge({ id, seq }: Member, done: boolean): void {
    const { desk } = this.#parts;
    desk.send(id, { kind: "ack", leader: desk.id, seq, done });
  }

  #lose(member: Member, reason: string): void {
    if (member.done !== undefined) return;
    member.lost = reason;
    this.#totals.leave(member.shard.index);
    this.#parts.note(`lost ${describe(member)}: ${reason}`);
    this.#tick();
    this.#finishIfAllEnded();
  }

  #finishIfAllEnded(): void {
    if (this.#active().length === 0) this.#finish();
  }

  #active(): Member[] {
    return this.#parts.members.all.filter(({ done, lost }) => !done && lost === undefined);
  }

  #everySecond(): void {
    const { channel, clock, orphanMs, note } = this.#parts;
    if (!channel.bus.connected) {
      if (this.#offlineSince === undefined) {
        this.#offlineSince = clock.now();
        note(`the bus cannot be reached; waiting for up to ${formatMs(orphanMs)}`);
      }
      if (clock.now() - this.#offlineSince > orphanMs) {
        const reason = `the bus could not be reached for ${formatMs(orphanMs)}`;
        for (const member of this.#active()) this.#lose(member, reason);
      }
    } else {
      for (const member of this.#active()) {
        const silentMs = clock.now() - member.heardAt;
        if (silentMs > LOST_MS) this.#lose(member, `no heartbeat for ${formatMs(silentMs)}`);
      }
    }
    this.#tick();
  }

  #reconnected(): void {
    const { channel, clock, members, note } = this.#parts;
    if (!channel.bus.connected) return;
    if (this.#offlineSince !== undefined) note("the bus can be reached again");
    this.#offlineSince = undefined;
    for (const member of members.all) {
      member.heardAt = clock.now();
      member.incompleteSince = undefined;
    }
  }

  #tick(): void {
    const { clock, members, details } = this.#parts;
    const active = this.#active();
    const all = members.all;
    if (all.every(({ seq }) => seq === 0)) return;
    for (;;) {
      const second = this.#second + 1;
      const isComplete = active.length > 0 && active.every((member) => member.second >= second);
      const isOverdue = clock.now() >= this.#startsAt + second * 1_000 + OVERDUE_MS;
      const isOver = !all.some((member) => member.second >= second) && active.length === 0;
      if (isOver || !isComplete && !isOverdue) return;
      this.#second = second;
      this.#hooks.onSecond?.({
        metrics: this.#totals.metrics(),
        last: this.#totals.timeline.at(second),
        scenarios: this.#totals.scenarios(),
        ...(details && { details: this.#totals.details() }),
      });
    }
  }

  #unixStart({ done }: Member): number {
    return Date.now() + (done?.started_at ?? this.#startsAt) - this.#parts.clock.now();
  }
}

function recordDelta(
  member: Member,
  seq: number,
  { elapsed_ms, second, live = [] }: Pick<MessageOf<"delta">, "elapsed_ms" | "second" | "live">,
): void {
  member.rejected = 0;
  member.seq = seq;
  member.incompleteSince = undefined;
  member.elapsedMs = Math.max(member.elapsedMs, elapsed_ms);
  member.second = Math.max(member.second, second);
  for (const { iterations = 0, interrupted = 0, dropped = 0 } of live) {
    member.iterations += iterations + interrupted + dropped;
  }
}
