import { RunError } from "../base/errors.ts";
import { formatMs } from "../base/format.ts";
import type { Clock } from "../engine/vu/clock.ts";
import type { PreparedRun } from "../engine/runner.ts";
import { formatShard, type Shard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { everySecond, type MessageOf } from "./channel.ts";
import { ClockOffset, type FetchedPlan, fetchPlan, LeaderLink } from "./links.ts";
import { type JoinOutcome, type ReportedShard, runReportedShard } from "./run_reported_shard.ts";

/** Minimum number of round trips to measure before a shard reports that it is ready. */
const ROUND_TRIPS = 10;
/** A shard that receives the start time later than this after the start does not run. */
const LATE_MS = 1_000;

/** Shard to prepare: its plan and files, and the seed of the run. */
export interface ShardJob extends FetchedPlan {
  readonly shard: Shard;
  readonly seed: number;
}

export interface JoinOptions
  extends Pick<ReportedShard, "channel" | "clock" | "note" | "stop" | "kill"> {
  readonly id: string;
  readonly name: string;
  /** Index of the shard from 0, or null to let the leader choose. */
  readonly index: number | null;
  readonly joinTimeoutMs: number;
  /** Maximum time in ms without a message from the leader. By default, the leader's value. */
  readonly orphanMs?: number;
  /** SHA-256 of the only plan that may run. By default, any plan may run. */
  readonly planHash?: string;
  /** Compiles the plan. Rejects with InputError if it cannot run on this machine. */
  readonly prepare: (job: ShardJob) => Promise<PreparedRun & Disposable>;
}

/**
 * Requests a shard of a run, waits for the start time that all shards share, and runs the shard.
 * Rejects with RunError if there is no leader or it refuses, and with InputError for the plan.
 */
export async function joinRun(options: JoinOptions): Promise<JoinOutcome> {
  const { channel, clock, id, note } = options;
  const link = new LeaderLink(channel, clock, id);
  const welcome = await enter(link, options);
  link.follow(welcome.leader);
  const shard = { index: welcome.index, of: welcome.of };
  note(`shard ${formatShard(shard)}: loading the plan`);
  const orphanMs = options.orphanMs ?? welcome.orphan_ms;
  const offset = measureOffset(link, clock);
  const prepared = await prepareShard(link, options, { welcome, shard });
  using run = prepared.run;
  note(`shard ${formatShard(shard)}: ready`);
  const startsAt = await waitForStart(link, offset, run, { ...options, orphanMs });
  note(`shard ${formatShard(shard)}: starting`);
  return await runReportedShard(prepared.plan, run, {
    ...options,
    link,
    offset,
    orphanMs,
    startsAt,
  });
}

/** Sends `hello` once per second until a leader responds, or rejects with RunError. */
async function enter(link: LeaderLink, options: JoinOptions): Promise<MessageOf<"welcome">> {
  const { id, name, index, clock, joinTimeoutMs, stop } = options;
  const deadline = clock.now() + joinTimeoutMs;
  let welcome: MessageOf<"welcome"> | undefined;
  link.on.welcome = (message) => welcome = message;
  return await link.until(() => {
    if (welcome !== undefined) return welcome;
    if (stop?.aborted) throw new RunError("interrupted before the run started");
    link.checkAdmission();
    if (clock.now() < deadline) return undefined;
    throw new RunError(
      `no leader responded within ${formatMs(joinTimeoutMs)}; start it with ` +
        "`rehearse run PLAN --fleet …`, and check the address and the name of the run",
    );
  }, () => link.send({ kind: "hello", from: id, name, index }));
}

function measureOffset(link: LeaderLink, clock: Clock): ClockOffset {
  const offset = new ClockOffset();
  link.on.pong = ({ sent, now }) => {
    offset.add(sent, clock.now(), now);
    if (offset.count < ROUND_TRIPS) link.send({ kind: "ping", from: link.id, sent: clock.now() });
  };
  return offset;
}

async function prepareShard(
  link: LeaderLink,
  { clock, planHash, prepare }: JoinOptions,
  { welcome, shard }: { welcome: MessageOf<"welcome">; shard: Shard },
): Promise<{ plan: Plan; run: PreparedRun & Disposable }> {
  const cancel = everySecond(clock, () => link.send({ kind: "beat", from: link.id }));
  try {
    if (planHash !== undefined && planHash !== welcome.plan_hash) {
      throw new RunError(
        `the leader runs a different plan: its hash is ${welcome.plan_hash}, not ${planHash}`,
      );
    }
    const fetched = await fetchPlan(link, welcome);
    const run = await prepare({ ...fetched, shard, seed: welcome.seed });
    const { planHash: actual } = run.identity;
    if (actual === welcome.plan_hash) return { plan: fetched.plan, run };
    run[Symbol.dispose]();
    throw new RunError(
      `the received plan is not the leader's plan: it has the hash ${actual}, but the leader's ` +
        `plan has the hash ${welcome.plan_hash}`,
    );
  } catch (error) {
    link.send({ kind: "failed", from: link.id, reason: (error as Error).message.slice(0, 2_000) });
    throw error;
  } finally {
    cancel();
  }
}

async function waitForStart(
  link: LeaderLink,
  offset: ClockOffset,
  { runner }: PreparedRun,
  { clock, orphanMs, stop }: JoinOptions & { orphanMs: number },
): Promise<number> {
  const from = link.id;
  const report = () => {
    link.send({ kind: "ping", from, sent: clock.now() });
    if (offset.count < ROUND_TRIPS) return link.send({ kind: "beat", from });
    link.send({ kind: "ready", from, planned_ms: runner.plannedMs, ends_ms: runner.endsMs });
  };
  const startsAt = await link.until(() => {
    if (stop?.aborted) throw new RunError("interrupted before the run started");
    link.checkAdmission();
    const { pulse } = link;
    if (pulse?.phase === "ended") throw new RunError(pulse.reason || "the leader ended the run");
    if (pulse !== undefined && pulse.starts_at !== null) return offset.fromLeader(pulse.starts_at);
    if (link.silentMs <= orphanMs) return undefined;
    throw new RunError("the leader disappeared before the run started");
  }, report);
  const lateMs = clock.now() - startsAt;
  if (lateMs <= LATE_MS) return startsAt;
  const reason = `it received the start time ${formatMs(lateMs)} too late`;
  link.send({ kind: "failed", from, reason });
  throw new RunError(`this shard cannot take part: ${reason}`);
}
