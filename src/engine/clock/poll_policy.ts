/** Time before a deadline from which a thread polls, in milliseconds. */
const POLL_MS = 1;
/** Turns of the event loop that take at least this many milliseconds count as stalls. */
const STALL_MS = 10;
/** Number of stalls within `WINDOW_MS` after which a thread stops polling. */
const MAX_STALLS = 3;
const WINDOW_MS = 1_000;
/** Duration of the first rest in milliseconds. Each rest is twice as long as the one before. */
const FIRST_REST_MS = 10_000;

/**
 * Decides how early a thread starts to poll for a deadline.
 *
 * A core that has been idle takes up to several milliseconds to wake up on a virtual machine, so
 * polling makes starts punctual. In a container whose CPU time is limited, however, polling uses up
 * the CPU time, and the kernel then suspends the thread for tens of milliseconds. If that happens
 * several times within a second, the thread rests: it does not poll for some time.
 */
export class PollPolicy {
  #stalls = 0;
  #firstStallAt = -Infinity;
  #restMs = FIRST_REST_MS;
  #restsUntil = -Infinity;

  /**
   * Returns how many milliseconds before a deadline the thread starts to poll. Returns 0 during a
   * rest. `now` is the current time in milliseconds.
   */
  horizonMs(now: number): number {
    return now < this.#restsUntil ? 0 : POLL_MS;
  }

  /** Records that a turn of the event loop took from `from` to `now` (ms) while polling. */
  turn(from: number, now: number): void {
    if (now - from < STALL_MS) return;
    if (now - this.#firstStallAt >= WINDOW_MS) {
      this.#firstStallAt = now;
      this.#stalls = 0;
    }
    if (++this.#stalls < MAX_STALLS) return;
    this.#stalls = 0;
    this.#restsUntil = now + this.#restMs;
    this.#restMs *= 2;
  }
}
