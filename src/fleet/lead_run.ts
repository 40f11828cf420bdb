import type { Clock } from "../engine/clock/clock.ts";
import { needsDetails, type RunOutput } from "../engine/outputs/open_output.ts";
import type { Progress } from "../engine/progress.ts";
import { runIdentity } from "../engine/runner.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { superviseRun } from "../engine/supervise_run.ts";
import { ownMetrics } from "../plan/check_plan.ts";
import { WHOLE } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { type Channel, describeOtherProtocol } from "./channel.ts";
import { planParts } from "./fetch_plan.ts";
import { FleetRunner } from "./fleet_runner.ts";
import { gatherShards, LeaderDesk } from "./gather_shards.ts";

/**
 * Time in ms between the decision to start the run and its start. It must be long enough for all
 * processes to receive the start time.
 */
const LEAD_MS = 2_000;

/** Options for `leadRun`. */
export interface LeadOptions {
  readonly channel: Channel;
  readonly clock: Clock;
  /** Id of this process on the bus. */
  readonly id: string;
  /** Host name of this process. */
  readonly name: string;
  /** Version of rehearse that this process runs. */
  readonly version: string;
  readonly shards: number;
  readonly seed?: number;
  readonly joinTimeoutMs: number;
  readonly orphanMs: number;
  /** Maximum number of shards that can be lost without failing the run. */
  readonly tolerateLost: number;
  readonly readFile: (path: string) => Uint8Array;
  /** Returns the current time in Unix milliseconds. */
  readonly unixNow: () => number;
  /** Prints a line for the user. */
  readonly note: (text: string) => void;
  readonly stop?: AbortSignal;
  readonly kill?: AbortSignal;
  readonly outputs?: readonly RunOutput[];
  /** True to include endpoints, checks and errors in the progress. */
  readonly details?: boolean;
  readonly onTick?: (progress: Progress) => void;
}

/**
 * Maximum number of other protocol versions to report. Anyone who can reach the bus can send more.
 */
const MAX_PROTOCOLS = 3;

/**
 * Leads a run: waits until all shards are ready, starts them together, adds up their counts,
 * evaluates the thresholds on the whole run, and returns the summary. Rejects with RunError if the
 * run cannot start, and with InputError if a file of the plan cannot be read.
 */
export async function leadRun(plan: Plan, options: LeadOptions): Promise<Summary> {
  const { channel, clock, readFile, note, seed, outputs } = options;
  const identity = runIdentity(plan, { shard: WHOLE, seed, readFile });
  const parts = planParts(plan, readFile);
  const desk = new LeaderDesk(channel, clock, options);
  const protocols = new Set<number>();
  channel.onOtherProtocol = (protocol) => {
    if (protocols.has(protocol) || protocols.size === MAX_PROTOCOLS) return;
    protocols.add(protocol);
    note(describeOtherProtocol("a process that cannot take part in the run", protocol));
  };
  let reason = "";
  try {
    await desk.claim();
    note(`waiting for ${options.shards} shards; the hash of the plan is ${identity.planHash}`);
    const members = await gatherShards({ ...options, ...identity, desk, parts });
    const selectors = Object.keys(plan.thresholds ?? {});
    const runner = new FleetRunner({
      ...options,
      desk,
      members,
      selectors,
      ownMetrics: ownMetrics(plan),
      details: options.details || needsDetails(outputs),
    });
    const startsAt = clock.now() + LEAD_MS;
    const prepared = { runner, clock, identity, shard: WHOLE };
    return await superviseRun(plan, prepared, { ...options, startsAt });
  } catch (error) {
    reason = (error as Error).message.slice(0, 2_000);
    throw error;
  } finally {
    desk.close(reason);
    if (channel.invalid > 0) {
      note(
        `ignored ${channel.invalid} invalid messages on the bus; the first: ${channel.firstFault}`,
      );
    }
  }
}
