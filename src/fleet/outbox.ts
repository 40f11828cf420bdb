import { RunError } from "../base/errors.ts";
import { type Channel, encodeMessage } from "./channel.ts";
import { LARGE_BYTES } from "./messages.ts";
import type { DeltaCounts } from "./shard_counts.ts";

/**
 * Maximum number of deltas to resend at once, to avoid overloading a bus that has just restarted.
 */
const MAX_REPEATED = 100;
/** Maximum number of calls to `repeat` between two resends. */
const MAX_PAUSE = 8;

/**
 * Sends the deltas of a shard in order, and resends each one until the leader acknowledges it. If
 * the leader is too busy to acknowledge, the intervals between the attempts grow.
 */
export class Outbox {
  readonly #channel: Channel;
  readonly #from: string;
  #pending: SentDelta[] = [];
  #fresh = 0;
  /**
   * Sequence number of the oldest delta that was due to be resent at the last call to `repeat`; 0
   * if no delta was due.
   */
  #oldest = 0;
  /** Number of calls to `repeat` until the next resend. */
  #wait = 1;
  /**
   * Number of calls to `repeat` between the next resend and the one after it. Doubles with each
   * resend, up to `MAX_PAUSE`.
   */
  #pause = 1;
  /** Sequence number of the last delta that was sent. */
  seq = 0;

  /** Creates the outbox of the process with the id `from`. */
  constructor(channel: Channel, from: string) {
    this.#channel = channel;
    this.#from = from;
  }

  /**
   * Sends the next delta, in several messages if it is too large for one. Throws RunError if a part
   * that cannot be split further is too large.
   */
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

  /** Removes the deltas up to sequence number `seq`, which the leader has acknowledged. */
  acknowledge(seq: number): void {
    this.#pending = this.#pending.filter((delta) => delta.seq > seq);
    this.#fresh = Math.min(this.#fresh, this.#pending.length);
  }

  /**
   * Resends the deltas that were sent before the previous call to this method, unless the leader
   * has acknowledged a delta since that call. As long as the leader acknowledges nothing, the
   * number of calls between two attempts doubles each time, up to 8. Call this method once per
   * second.
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
