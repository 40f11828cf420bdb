/** Number of milliseconds before a deadline at which a thread starts to poll. */
const POLL_MS = 1;
/** Minimum duration, in milliseconds, of an event loop turn that counts as a stall. */
const STALL_MS = 10;
/** Number of stalls within `WINDOW_MS` after which a thread stops polling. */
const MAX_STALLS = 3;
const WINDOW_MS = 1_000;
/**
 * Time in milliseconds for which a thread stops polling the first time that stalls make it stop.
 * Each later period without polling is twice as long as the previous one.
 */
const FIRST_REST_MS = 10_000;

/**
 * Decides how early a thread starts to poll for a deadline.
 *
 * A core that has been idle takes up to several milliseconds to wake up on a virtual machine, so
 * polling makes starts punctual. In a container whose CPU time is limited, however, polling uses up
 * the CPU time, and the kernel then suspends the thread for tens of milliseconds. If that happens
 * several times within a second, the thread stops polling for some time.
 */
export class PollPolicy {
  #stalls = 0;
  #firstStallAt = -Infinity;
  #restMs = FIRST_REST_MS;
  #restsUntil = -Infinity;

  /**
   * Returns how many milliseconds before a deadline the thread starts to poll, or 0 while it must
   * not poll. `now` is the current time in milliseconds.
   */
  horizonMs(now: number): number {
    return now < this.#restsUntil ? 0 : POLL_MS;
  }

  /**
   * Records a turn of the event loop that lasted from `from` to `now` (ms) while the thread was
   * polling.
   */
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
