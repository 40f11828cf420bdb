export interface Expiring {
  readonly deadline: number;
  /** Aborts the operation and sets `deadline` to Infinity. Called when the deadline has passed. */
  expire(): void;
}

/** Minimum time between two checks for expired deadlines, in milliseconds. */
const MIN_GAP_MS = 5;
/** Maximum timer delay in milliseconds. `setTimeout` overflows at 2^31. */
const MAX_TIMER_MS = 2 ** 30;

/** Watches many deadlines with one timer, which only an earlier deadline reschedules. */
export class Deadlines {
  readonly #watched: Iterable<Expiring>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextCheckAt = Infinity;

  constructor(watched: Iterable<Expiring>) {
    this.#watched = watched;
  }

  /** Ensures that `deadline` is checked in time. */
  announce(deadline: number): void {
    if (deadline < this.#nextCheckAt) this.#scheduleCheck(deadline, performance.now());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#nextCheckAt = Infinity;
  }

  #scheduleCheck(time: number, now: number): void {
    this.stop();
    this.#nextCheckAt = time;
    const timer = setTimeout(this.#check, Math.min(time - now, MAX_TIMER_MS));
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  #check = (): void => {
    this.stop();
    const now = performance.now();
    let next = Infinity;
    for (const item of this.#watched) {
      if (item.deadline <= now) item.expire();
      else if (item.deadline < next) next = item.deadline;
    }
    if (next < Infinity) this.#scheduleCheck(Math.max(next, now + MIN_GAP_MS), now);
  };
}
