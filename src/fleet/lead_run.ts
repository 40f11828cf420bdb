import { RunError } from "../base/errors.ts";
import { count, formatMs } from "../base/format.ts";
import { needsDetails } from "../engine/outputs/outputs.ts";
import type { Summary } from "../engine/summary/summary.ts";
import {
  type RunIdentity,
  runIdentity,
  type SuperviseOptions,
  superviseRun,
} from "../engine/runner.ts";
import { ownMetrics } from "../plan/check_plan.ts";
import { WHOLE } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { describeOtherVersion, everySecond, type MessageOf } from "./channel.ts";
import { chunkOf, LeaderDesk, packPlan } from "./links.ts";
import { type FleetParts, FleetRunner } from "./fleet_runner.ts";
import { describe, type Member, Members } from "./members.ts";

/** Long enough for all processes to receive the start time. */
const LEAD_MS = 2_000;

export interface LeadOptions
  extends
    Pick<FleetParts, "channel" | "clock" | "orphanMs" | "tolerateLost" | "note">,
    Pick<SuperviseOptions, "stop" | "kill" | "outputs" | "onTick"> {
  readonly id: string;
  readonly name: string;
  readonly shards: number;
  readonly seed?: number;
  readonly joinTimeoutMs: number;
  readonly readFile: (path: string) => Uint8Array;
  readonly details?: boolean;
}

/** Maximum number of other versions to report. Anyone who can reach the bus can send more. */
const MAX_VERSIONS = 3;

/**
 * Starts all shards together when they are ready, adds up their counts, and evaluates thresholds on
 * the whole run. Rejects with RunError, or with InputError if a file cannot be read.
 */
export async function leadRun(plan: Plan, options: LeadOptions): Promise<Summary> {
  const { channel, clock, readFile, note, seed, outputs } = options;
  const identity = runIdentity(plan, { shard: WHOLE, seed, readFile });
  const packed = packPlan(plan, readFile);
  const desk = new LeaderDesk(channel, clock, options);
  const versions = new Set<string>();
  channel.onOtherVersion = (version) => {
    if (versions.has(version) || versions.size === MAX_VERSIONS) return;
    versions.add(version);
    note(describeOtherVersion("a process that cannot take part in the run", version));
  };
  let reason = "";
  try {
    await desk.claim();
    note(`waiting for ${options.shards} shards; the hash of the plan is ${identity.planHash}`);
    const members = await gatherShards({ ...options, ...identity, desk, packed });
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
    const prepared = { runner, clock, identity, shard: WHOLE, workers: options.shards };
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

/** Longer than during the run, because loading a large plan can block a process. */
const REPLACED_MS = 30_000;
const MAX_LISTED = 10;

interface GatherOptions extends LeadOptions, RunIdentity {
  readonly desk: LeaderDesk;
  /** The plan and its files, as `packPlan` returns them. */
  readonly packed: Uint8Array;
  readonly seed: number;
}

/** Assigns a shard to each process that joins, and waits until all are ready, or for RunError. */
async function gatherShards(options: GatherOptions): Promise<Members> {
  const { desk, clock, packed, stop } = options;
  const members = new Members(options.shards);
  const deadline = clock.now() + options.joinTimeoutMs;
  serve(members, options);
  let failure: string | undefined;
  desk.on.failed = ({ from, reason }) => {
    const member = members.find(from);
    if (member !== undefined) failure ??= `${describe(member)} cannot run the plan: ${reason}`;
  };
  desk.on.chunk_request = members.handler(
    options,
    ({ id }, { chunk }: MessageOf<"chunk_request">) => {
      const data = chunkOf(packed, chunk);
      if (data !== undefined) desk.send(id, { kind: "chunk", leader: desk.id, chunk, data });
    },
  );
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
  return members;
}

function serve(members: Members, options: GatherOptions): void {
  const { desk, clock, note } = options;
  desk.on.hello = (hello) => {
    const admitted = members.admit(hello, clock.now());
    if (typeof admitted === "string") {
      note(`refused ${hello.name}: ${admitted}`);
      return desk.refuse(hello.from, admitted);
    }
    admitted.heardAt = clock.now();
    desk.send(hello.from, welcome(admitted, options));
  };
  desk.on.ping = ({ from, sent }) => {
    desk.send(from, { kind: "pong", leader: desk.id, sent, now: clock.now() });
  };
  desk.on.beat = members.handler(options, () => {});
  desk.on.ready = members.handler(options, (member, message: MessageOf<"ready">) => {
    if (member.ready === undefined) note(`${describe(member)} is ready`);
    member.ready = message;
  });
}

function welcome(
  { shard }: Member,
  { desk, packed, planHash, seed, orphanMs }: GatherOptions,
): MessageOf<"welcome"> & { kind: "welcome" } {
  return {
    kind: "welcome",
    leader: desk.id,
    ...shard,
    plan_hash: planHash,
    seed,
    size: packed.length,
    orphan_ms: orphanMs,
  };
}

/** Removes silent members. After the timeout, returns why the run cannot start. */
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
