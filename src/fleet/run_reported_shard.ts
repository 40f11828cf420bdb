import { RunError } from "../base/errors.ts";
import { formatMs } from "../base/format.ts";
import type { TickReport } from "../engine/metrics/snapshot.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { type PreparedRun, type Runner, type RunResult, superviseRun } from "../engine/runner.ts";
import { type Clock, sleepUntil } from "../engine/vu/clock.ts";
import type { Plan } from "../plan/schema/plan.ts";
import {
  type Channel,
  encodeMessage,
  everySecond,
  LARGE_BYTES,
  LOST_MS,
  type MessageOf,
} from "./channel.ts";
import type { ClockOffset, LeaderLink } from "./links.ts";
import { type DeltaCounts, DeltaEncoder } from "./shard_counts.ts";

/** Result of running a shard for a leader. */
export interface JoinOutcome {
  readonly summary: Summary;
  readonly plan: Plan;
  /** Reason why the leader did not confirm the result. Undefined if it did. */
  readonly problem: string | undefined;
}

export interface ReportedShard {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly link: LeaderLink;
  readonly offset: ClockOffset;
  readonly startsAt: number;
  /** Maximum time in ms without a message from the leader. After that, the shard stops. */
  readonly orphanMs: number;
  readonly note: (text: string) => void;
  readonly stop?: AbortSignal;
  readonly kill?: AbortSignal;
}

/** Runs a shard, and reports its counts to the leader until it has confirmed all of them. */
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
          await deliver(shard, outbox, { ending, failure, durationMs, startedAt });
      },
    );
    const { stop, kill } = watch;
    const options = { startsAt: shard.startsAt, stop, kill };
    const summary = await superviseRun(plan, { ...prepared, runner: reporting }, options);
    return { summary, plan, problem };
  } finally {
    watch.close();
  }
}

/**
 * Reports that this shard is alive, and watches the leader. `problem` in the result is the reason
 * why the leader will not accept the result, if one is known.
 */
function watchLeader(
  { link, clock, note, orphanMs, ...signals }: ReportedShard,
  outbox: Outbox,
) {
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
    fail(reason: string): void {
      link.send({ kind: "failed", from: link.id, reason });
      leave(reason);
    },
    close: cancel,
  };
}

interface ShardEnd extends Pick<MessageOf<"done">, "ending" | "failure"> {
  readonly durationMs: number;
  readonly startedAt: number;
}

/** Sends `done` until the leader confirms it. Resolves to the reason if it does not. */
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
 * Wraps `inner`, whose one-second reports must contain `details`. Calls `report` with the counts
 * since its last call. The run ends after `deliver`.
 */
function reportingRunner(
  inner: Runner,
  report: (counts: DeltaCounts) => void,
  deliver: (result: RunResult) => Promise<void>,
): Runner {
  return {
    plannedMs: inner.plannedMs,
    endsMs: inner.endsMs,
    async run(startsAt, hooks) {
      const encoder = new DeltaEncoder();
      const onSecond = (second: TickReport) => {
        report(encoder.tick(second, second.last.at * 1_000));
        hooks.onSecond?.(second);
      };
      const result = await inner.run(startsAt, { ...hooks, onSecond });
      report(encoder.end(result.snapshot));
      // Before the caller computes the summary, which can block a busy machine for seconds.
      await deliver(result);
      return result;
    },
  };
}

/** Maximum number of deltas to resend at once, because a bus may just have restarted. */
const MAX_REPEATED = 100;
/** Maximum number of calls to `repeat` between two resends. */
const MAX_PAUSE = 8;

/** Sends the deltas of a shard, and resends each until the leader acknowledges it. */
export class Outbox {
  readonly #channel: Channel;
  readonly #from: string;
  #pending: SentDelta[] = [];
  #fresh = 0;
  /** Sequence number of the oldest delta that was due at the last call to `repeat`, or 0. */
  #oldest = 0;
  /** Number of calls to `repeat` until the next resend. */
  #wait = 1;
  /** Number of calls to `repeat` between the next two resends. */
  #pause = 1;
  seq = 0;

  constructor(channel: Channel, from: string) {
    this.#channel = channel;
    this.#from = from;
  }

  /** Sends the next delta, in several messages if it is too large. Throws RunError if none fits. */
  push(counts: DeltaCounts): void {
    const message = { kind: "delta" as const, from: this.#from, seq: this.seq + 1, ...counts };
    const bytes = encodeMessage(message);
    const maxBytes = Math.min(this.#channel.bus.maxBytes, LARGE_BYTES);
    if (bytes.length > maxBytes) {
      const halves = halve(counts);
      if (halves === undefined) {
        throw new RunError(
          `a report of ${bytes.length} bytes is too large for the bus, whose limit is ${maxBytes} bytes`,
        );
      }
      for (const half of halves) this.push(half);
      return;
    }
    this.#pending.push({ seq: ++this.seq, bytes });
    this.#fresh++;
    this.#channel.sendBytes("leader", bytes);
  }

  acknowledge(seq: number): void {
    this.#pending = this.#pending.filter((delta) => delta.seq > seq);
    this.#fresh = Math.min(this.#fresh, this.#pending.length);
  }

  /**
   * Resends, once per second, the deltas sent before the previous call, unless the leader has
   * acknowledged one since. While it acknowledges nothing, the pauses double, up to 8 calls.
   */
  repeat(): void {
    const old = this.#pending.slice(0, this.#pending.length - this.#fresh);
    this.#fresh = 0;
    const oldest = old[0]?.seq ?? 0;
    const isStuck = oldest > 0 && (oldest === this.#oldest || this.#oldest === 0);
    this.#oldest = oldest;
    if (!isStuck || !this.#channel.bus.connected) this.#wait = this.#pause = 1;
    if (!isStuck || --this.#wait > 0) return;
    for (const { bytes } of old.slice(0, MAX_REPEATED)) this.#channel.sendBytes("leader", bytes);
    this.#wait = this.#pause;
    this.#pause = Math.min(MAX_PAUSE, 2 * this.#pause);
  }
}

interface SentDelta {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

function halve(counts: DeltaCounts): [DeltaCounts, DeltaCounts] | undefined {
  // The first half completes no second of the run, because the other half contains more counts.
  const [first, second] = [{ ...counts, second: 0 }, { ...counts }];
  let isSplit = false;
  for (const [family, rows] of Object.entries(counts)) {
    if (!Array.isArray(rows)) continue;
    const middle = Math.ceil(rows.length / 2);
    isSplit ||= rows.length > 1;
    Object.assign(first, { [family]: rows.slice(0, middle) });
    Object.assign(second, { [family]: rows.slice(middle) });
  }
  return isSplit ? [first, second] : undefined;
}
