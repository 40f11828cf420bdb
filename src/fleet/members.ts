import { formatMs, percent } from "../base/format.ts";
import type { Coverage } from "../engine/runner.ts";
import type { AcceptedFlaw } from "../engine/summary/summary.ts";
import type { Clock } from "../engine/vu/clock.ts";
import { formatShard, type Shard } from "../plan/partition.ts";
import type { LeaderDesk } from "./links.ts";
import type { MessageOf } from "./channel.ts";

/** A process that has a shard of the run. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly shard: Shard;
  /** Time of the last message from this process, on the leader's clock. */
  heardAt: number;
  /** Latest `ready` message from the process. Absent until the shard can start. */
  ready?: MessageOf<"ready">;
  /** Sequence number of the last delta that was added to the leader's counts. */
  seq: number;
  /** Last second of the run that the deltas cover completely. */
  second: number;
  elapsedMs: number;
  /** Number of invalid deltas since the last valid delta. */
  rejected: number;
  /** Number of iterations that ended or were dropped. */
  iterations: number;
  /** Time since which deltas of a shard that has ended are missing. */
  incompleteSince?: number;
  /** The `done` message of the shard, once all its deltas have arrived. */
  done?: MessageOf<"done">;
  lost?: string;
}

const REPLACED = "it was silent for too long, and another process now runs this shard";

/** Processes that have a shard of the run. */
export class Members {
  readonly of: number;
  readonly #byIndex = new Map<number, Member>();
  readonly #byId = new Map<string, Member>();

  constructor(of: number) {
    this.of = of;
  }

  /** All members, in the order of their shards. */
  get all(): Member[] {
    return [...this.#byIndex.values()].sort((a, b) => a.shard.index - b.shard.index);
  }

  find(id: string): Member | undefined {
    return this.#byId.get(id);
  }

  /** Assigns the requested or the first free shard, unless the process has one. Else a reason. */
  admit({ from, name, index }: MessageOf<"hello">, now: number): Member | string {
    const known = this.#byId.get(from);
    if (known !== undefined) return known;
    if (index !== null && index >= this.of) {
      return `it requested index ${index} (counting from 0), but the run has ${this.of} shards`;
    }
    const wanted = index ?? this.#free().at(0);
    if (wanted === undefined) return `all ${this.of} shards are taken`;
    const holder = this.#byIndex.get(wanted);
    const shard = { index: wanted, of: this.of };
    if (holder !== undefined) {
      return `shard ${formatShard(shard)} is already taken by ${holder.name}`;
    }
    const member: Member = {
      id: from,
      name,
      shard,
      heardAt: now,
      seq: 0,
      second: 0,
      elapsedMs: 0,
      rejected: 0,
      iterations: 0,
    };
    this.#byIndex.set(wanted, member);
    this.#byId.set(from, member);
    return member;
  }

  /** Returns a function that handles messages of members, and refuses those of lost ones. */
  handler<T extends { readonly from: string }>(
    { desk, clock }: { readonly desk: LeaderDesk; readonly clock: Clock },
    act: (member: Member, message: T) => void,
  ): (message: T) => void {
    return (message) => {
      const member = this.find(message.from);
      if (member === undefined) return desk.refuse(message.from, REPLACED);
      if (member.lost !== undefined) {
        return desk.refuse(member.id, `the shard is lost: ${member.lost}`);
      }
      member.heardAt = clock.now();
      act(member, message);
    };
  }

  /** Frees the shard of a member, so that another process can take it. */
  remove({ id, shard }: Member): void {
    this.#byId.delete(id);
    this.#byIndex.delete(shard.index);
  }

  /** Returns the shards that no process has, as written on the command line, such as `3/20`. */
  free(): string[] {
    return this.#free().map((index) => formatShard({ index, of: this.of }));
  }

  #free(): number[] {
    const all = Array.from({ length: this.of }, (_, index) => index);
    return all.filter((index) => !this.#byIndex.has(index));
  }
}

/** Formats a member's shard and host name, such as `shard 3/20 (host)`. */
export function describe({ shard, name }: Member): string {
  return `shard ${formatShard(shard)} (${name})`;
}

const MAX_LISTED = 10;

export interface CoverageFacts {
  readonly plannedMs: number;
  readonly tolerateLost: number;
  /** Returns the Unix time in ms at which a member started its shard. */
  readonly startedAt: (member: Member) => number;
}

/** Describes which shards were completed, and which part of the load is missing. */
export function coverage(members: Members, facts: CoverageFacts): Coverage {
  const { all } = members;
  const lost = all.filter(isLost);
  const shards = all.map((member) => ({
    shard: formatShard(member.shard),
    started_at: new Date(facts.startedAt(member)).toISOString(),
    duration_ms: member.elapsedMs,
    ...(isLost(member) && { ending: "lost" as const }),
  }));
  if (lost.length === 0) return { shards, accepted: [] };
  const accepted: AcceptedFlaw[] = [{ flaw: "lost", message: lostMessage(all, lost, facts) }];
  const failed = lost.length > facts.tolerateLost;
  return { shards, accepted, ...(failed && { failure: "shards were lost" as const }) };
}

function isLost({ lost }: Member): boolean {
  return lost !== undefined;
}

function lostMessage(
  all: readonly Member[],
  lost: readonly Member[],
  { plannedMs }: CoverageFacts,
): string {
  const missing = lost.reduce((sum, member) => sum + missingShare(member, all, plannedMs), 0);
  const listed = lost.slice(0, MAX_LISTED).map((member) =>
    `${describe(member)} after ${formatMs(member.elapsedMs)}, ${member.lost}`
  );
  const more = lost.length > MAX_LISTED ? `; and ${lost.length - MAX_LISTED} more` : "";
  return `lost: ${listed.join("; ")}${more}. About ${percent(missing)} of the load is missing`;
}

/**
 * Estimates the fraction of the whole load, from 0 to 1, that a lost shard did not generate, from
 * the iterations of the completed shards, or from the planned duration if there are none.
 */
function missingShare(lost: Member, all: readonly Member[], plannedMs: number): number {
  const complete = all.filter((member) => !isLost(member));
  const expected = complete.reduce((sum, { iterations }) => sum + iterations, 0) / complete.length;
  const done = expected > 0 ? lost.iterations / expected : lost.elapsedMs / plannedMs;
  return Math.max(0, 1 - done) / all.length;
}
