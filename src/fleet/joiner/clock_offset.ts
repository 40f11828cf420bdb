/**
 * Maximum number of measurements to keep. Older measurements are dropped, so that the estimate
 * adapts to clock drift.
 */
const KEPT = 60;

interface Measurement {
  readonly roundTripMs: number;
  readonly offsetMs: number;
}

/**
 * Estimates how far the leader's clock is ahead of this process's clock, from round trips over
 * the bus. Uses the shortest round trip, because the error of an estimate is at most half the
 * duration of its round trip.
 */
export class ClockOffset {
  readonly #measured: Measurement[] = [];

  /**
   * Adds a round trip: a ping sent at `sent` and its response received at `received`, both on this
   * process's clock. `leaderNow` is the leader's time when it responded. All times are in ms.
   */
  add(sent: number, received: number, leaderNow: number): void {
    const roundTripMs = received - sent;
    if (roundTripMs < 0) return;
    this.#measured.push({ roundTripMs, offsetMs: leaderNow - (sent + received) / 2 });
    if (this.#measured.length > KEPT) this.#measured.shift();
  }

  /** Number of measurements. */
  get count(): number {
    return this.#measured.length;
  }

  /** Duration of the shortest round trip in ms; Infinity before the first round trip. */
  get roundTripMs(): number {
    return this.#best?.roundTripMs ?? Infinity;
  }

  /** Converts a time on this process's clock to the leader's clock. */
  toLeader(time: number): number {
    return time + (this.#best?.offsetMs ?? 0);
  }

  /** Converts a time on the leader's clock to the clock of this process. */
  fromLeader(time: number): number {
    return time - (this.#best?.offsetMs ?? 0);
  }

  get #best(): Measurement | undefined {
    let best: Measurement | undefined;
    for (const one of this.#measured) {
      if (best === undefined || one.roundTripMs <= best.roundTripMs) best = one;
    }
    return best;
  }
}
