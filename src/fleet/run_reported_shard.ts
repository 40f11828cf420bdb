import { RunError } from "../base/errors.ts";
import { formatMs } from "../base/format.ts";
import type { PreparedRun, Runner, RunResult } from "../engine/runner.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { superviseRun } from "../engine/supervise_run.ts";
import { type Clock, sleepUntil } from "../engine/vu/clock.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { type Channel, everySecond, LOST_MS } from "./channel.ts";
import type { ClockOffset, LeaderLink } from "./links.ts";
import type { MessageOf } from "./messages.ts";
import { type DeltaCounts, DeltaEncoder } from "./shard_counts.ts";
import { Outbox } from "./outbox.ts";

/** Result of running a shard for a leader. */
export interface JoinOutcome {
  readonly summary: Summary;
  readonly plan: Plan;
  /**
   * Reason why the leader did not confirm that it has received the result. Undefined if it has
   * confirmed this.
   */
  readonly problem: string | undefined;
}

/** Dependencies of a shard that reports to a leader. */
export interface ReportedShard {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly link: LeaderLink;
  readonly offset: ClockOffset;
  /** Time on `clock` at which the run starts. */
  readonly startsAt: number;
  /** Maximum time in ms without a message from the leader. After that, the shard stops. */
  readonly orphanMs: number;
  readonly note: (text: string) => void;
  readonly stop?: AbortSignal;
  readonly kill?: AbortSignal;
}

/**
 * Runs a shard from the start time that all shards share, reports its counts to the leader, and
 * waits until the leader has confirmed all of them. If the leader does not confirm them, `problem`
 * in the result is the reason.
 */
export async function runReportedShard(
  plan: Plan,
  { runner, ...prepared }: PreparedRun,
  shard: ReportedShard,
): Promise<JoinOutcome> {
  const outbox = new Outbox(shard.channel, shard.link.id);
  const watch = watchLeader(shard, outbox);
  try {
    await sleepUntil(prepared.clock, shard.startsAt);
    const startedAt = prepared.clock.now();
    let problem: string | undefined;
    const reporting = reportingRunner(
      runner,
      (counts) => {
        if (watch.problem() !== undefined) return;
        try {
          outbox.push(counts);
        } catch (error) {
          if (!(error instanceof RunError)) throw error;
          watch.fail(error.message);
        }
      },
      async ({ ended, snapshot, failure = null }) => {
        watch.close();
        const ending = ended ?? (watch.stop.aborted ? "interrupted" : "finished");
        const { durationMs } = snapshot;
        problem = watch.problem() ??
          await deliver(shard, outbox, {
            ending,
            failure,
            durationMs,
            startedAt,
          });
      },
    );
    const { stop, kill } = watch;
    const { startsAt } = shard;
    const summary = await superviseRun(plan, { ...prepared, runner: reporting }, {
      startsAt,
      stop,
      kill,
    });
    return { summary, plan, problem };
  } finally {
    watch.close();
  }
}

interface LeaderWatch {
  /**
   * Aborted if the leader or the user stops the run, or if no message from the leader arrives for
   * too long.
   */
  readonly stop: AbortSignal;
  readonly kill: AbortSignal;
  /**
   * Returns the reason why the leader will not accept the result, or undefined if no reason is
   * known.
   */
  problem(): string | undefined;
  /** Stops the shard, and reports the reason to the leader. */
  fail(reason: string): void;
  close(): void;
}

function watchLeader(
  { link, clock, note, orphanMs, ...signals }: ReportedShard,
  outbox: Outbox,
): LeaderWatch {
  const [stop, kill] = [new AbortController(), new AbortController()];
  let problem: string | undefined;
  let isAlone = false;
  const leave = (reason: string) => {
    if (problem === undefined) note(`stopping: ${reason}`);
    problem ??= reason;
    stop.abort();
  };
  link.on.ack = ({ seq }) => outbox.acknowledge(seq);
  link.on.refusal = ({ reason }) => leave(`the leader refused the result: ${reason}`);
  link.on.pulse = ({ phase, stop: level }) => {
    if (isAlone) note("the leader responds again");
    isAlone = false;
    if (phase === "ended") return leave("the leader ended the run without this shard");
    if (level !== "no") stop.abort();
    if (level === "kill") kill.abort();
  };
  const cancel = everySecond(clock, () => {
    link.send({ kind: "beat", from: link.id });
    link.send({ kind: "ping", from: link.id, sent: clock.now() });
    outbox.repeat();
    const { silentMs } = link;
    if (silentMs <= LOST_MS) return;
    if (!isAlone) note(`lost contact with the leader; continuing for ${formatMs(orphanMs)}`);
    isAlone = true;
    if (silentMs > orphanMs) leave("the leader is lost");
  });
  return {
    stop: AbortSignal.any([stop.signal, ...(signals.stop ? [signals.stop] : [])]),
    kill: AbortSignal.any([kill.signal, ...(signals.kill ? [signals.kill] : [])]),
    problem: () => problem,
    fail(reason) {
      link.send({ kind: "failed", from: link.id, reason });
      leave(reason);
    },
    close: cancel,
  };
}

interface ShardEnd extends Pick<MessageOf<"done">, "ending" | "failure"> {
  readonly durationMs: number;
  /** Time at which the shard started, on this process's clock. */
  readonly startedAt: number;
}

/**
 * Sends a `done` message once per second until the leader confirms it. Resolves to undefined, or to
 * the reason if the leader refuses the result, ends the run or does not respond, or if the run is
 * killed.
 */
async function deliver(
  { link, offset, orphanMs, kill }: ReportedShard,
  outbox: Outbox,
  { ending, failure, durationMs, startedAt }: ShardEnd,
): Promise<string | undefined> {
  let confirmed = false;
  link.on.ack = ({ seq, done }) => {
    outbox.acknowledge(seq);
    confirmed ||= done;
  };
  link.on.refusal = link.on.pulse = () => {};
  const end = {
    kind: "done" as const,
    from: link.id,
    seq: outbox.seq,
    started_at: offset.toLeader(startedAt),
    duration_ms: durationMs,
    ending,
    failure,
  };
  const problem = await link.until(() => {
    if (confirmed) return "";
    if (link.refusal !== undefined) return `the leader refused the result: ${link.refusal}`;
    if (link.pulse?.phase === "ended") return "the leader ended without confirming the result";
    const isOver = link.silentMs > orphanMs || kill?.aborted;
    return isOver ? "the leader did not confirm the result" : undefined;
  }, () => {
    outbox.repeat();
    link.send(end);
  });
  return problem === "" ? undefined : problem;
}

/**
 * Wraps the runner `inner`, whose one-second reports must contain `details`. Once per second and at
 * the end, calls `report` with the counts since its last call. The run ends when the promise that
 * `deliver` returns resolves.
 */
function reportingRunner(
  inner: Runner,
  report: (counts: DeltaCounts) => void,
  deliver: (result: RunResult) => Promise<void>,
): Runner {
  return {
    plannedMs: inner.plannedMs,
    endsMs: inner.endsMs,
    async run(startsAt, onSecond, onSamples) {
      const encoder = new DeltaEncoder();
      const result = await inner.run(startsAt, (second) => {
        report(encoder.tick(second, second.last.at * 1_000));
        onSecond(second);
      }, onSamples);
      report(encoder.end(result.snapshot));
      // Deliver the result before the caller computes the summary, which can block a busy machine
      // for seconds.
      await deliver(result);
      return result;
    },
    stop: () => inner.stop(),
    kill: () => inner.kill(),
  };
}
