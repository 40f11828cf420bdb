import { formatMs, percent } from "../../base/format.ts";
import type { Coverage } from "../../engine/runner.ts";
import type { AcceptedFlaw } from "../../engine/summary/summary.ts";
import { formatShard } from "../../plan/partition.ts";
import { describe } from "./gather_shards.ts";
import type { Member, Members } from "./members.ts";

/** Maximum number of shards that a message lists. */
const MAX_LISTED = 10;

/** Properties of a run that `coverage` needs. */
export interface CoverageFacts {
  readonly plannedMs: number;
  /** Maximum number of shards that can be lost without failing the run. */
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
 * Returns the fraction of the whole load, from 0 to 1, that a lost shard did not generate.
 * Estimates the fraction by comparing the number of iterations of the lost shard with those of the
 * completed shards. If no shard was completed, compares the duration of the lost shard with the
 * planned duration.
 */
function missingShare(lost: Member, all: readonly Member[], plannedMs: number): number {
  const complete = all.filter((member) => !isLost(member));
  const expected = complete.reduce((sum, { iterations }) => sum + iterations, 0) / complete.length;
  const done = expected > 0 ? lost.iterations / expected : lost.elapsedMs / plannedMs;
  return Math.max(0, 1 - done) / all.length;
}
