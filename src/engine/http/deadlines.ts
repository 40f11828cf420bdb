/** Something that must end by a certain time. */
export interface Expiring {
  /** When, in `performance.now()` milliseconds; Infinity for never. */
  readonly deadline: number;
  /** Called once it is past; the deadline must be Infinity afterwards. */
  expire(): void;
}

const LEAST_GAP_MS = 5;
const LONGEST_TIMER_MS = 2 ** 30;

/**
 * Watches the deadlines of many with a single timer. Setting one costs a comparison: the timer is
 * only moved when the new deadline comes before the next look at all of them.
 */
export class Deadlines {
  readonly #watched: Iterable<Expiring>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextLook = Infinity;

  /** Watches whatever `watched` holds at the time. */
  constructor(watched: Iterable<Expiring>) {
    this.#watched = watched;
  }

  /** To be called when one of those watched has got `deadline`. */
  announce(deadline: number): void {
    if (deadline < this.#nextLook) this.#lookAt(deadline, performance.now());
  }

  /** Watches no more, until the next deadline is announced. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#nextLook = Infinity;
  }

  #lookAt(time: number, now: number): void {
    this.stop();
    this.#nextLook = time;
    const timer = setTimeout(this.#look, Math.min(time - now, LONGEST_TIMER_MS));
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  #look = (): void => {
    this.stop();
    const now = performance.now();
    let next = Infinity;
    for (const one of this.#watched) {
      if (one.deadline <= now) one.expire();
      else if (one.deadline < next) next = one.deadline;
    }
    if (next < Infinity) this.#lookAt(Math.max(next, now + LEAST_GAP_MS), now);
  };
}
