/** Idle time in milliseconds after which a visit ends. */
export const IDLE_MS: number = 30 * 60_000;
/**
 * Maximum number of steps in a visit. Longer visits rarely come from a person or follow a pattern.
 */
export const MAX_STEPS = 40;

/**
 * Consecutive requests of one visitor, in the order of the log, with pauses of at most 30 minutes.
 */
export interface Visit {
  /** Timestamp of the first request, in Unix milliseconds. */
  readonly first: number;
  /** Timestamp of the last request, in Unix milliseconds. */
  last: number;
  /**
   * Endpoint number of each request, up to request number `MAX_STEPS` + 1. Later requests are not
   * stored.
   */
  readonly steps: number[];
  /**
   * Pause before each request except the first, in milliseconds. A pause can be negative, because
   * the lines of a log are not always sorted by time.
   */
  readonly pauses: number[];
}

/**
 * The first and last visits of one visitor in a part of a log. They can continue in other parts.
 */
export interface Visitor {
  /**
   * First visit, which may have started in a preceding part of the log. Absent if it is also the
   * last visit.
   */
  head?: Visit;
  /** Last visit, which may continue in the next part of the log. */
  tail: Visit;
}

/** Creates a visit that consists of one request. */
export function startVisit(time: number, endpoint: number): Visit {
  return { first: time, last: time, steps: [endpoint], pauses: [] };
}

/** Returns an independent copy of a visit. */
export function copyVisit({ first, last, steps, pauses }: Visit): Visit {
  return { first, last, steps: steps.slice(), pauses: pauses.slice() };
}

/**
 * Reports whether a request at `time` continues a visit. Returns false if the request is more than
 * 30 minutes later or more than 30 minutes earlier than the visit's last request.
 */
export function isContinued({ last }: Visit, time: number): boolean {
  return Math.abs(time - last) <= IDLE_MS;
}

/** Adds the next request of the log to a visit. */
export function addStep(visit: Visit, time: number, endpoint: number): void {
  if (visit.steps.length <= MAX_STEPS) {
    visit.steps.push(endpoint);
    visit.pauses.push(time - visit.last);
  }
  visit.last = time;
}

/** Appends `next`, which continues `visit` in the next part of the log. */
export function joinVisit(visit: Visit, next: Visit): void {
  addStep(visit, next.first, next.steps[0]);
  for (let i = 1; i < next.steps.length && visit.steps.length <= MAX_STEPS; i++) {
    visit.steps.push(next.steps[i]);
    visit.pauses.push(next.pauses[i - 1]);
  }
  visit.last = next.last;
}

/**
 * Returns the steps of a visit sorted by time, and the pause before each step except the first, in
 * milliseconds. Requests with the same timestamp keep the order of the log.
 */
export function sortByTime(
  { steps, pauses }: Visit,
): { steps: readonly number[]; pauses: readonly number[] } {
  if (pauses.every((pause) => pause >= 0)) return { steps, pauses };
  const times = [0];
  for (const pause of pauses) times.push(times.at(-1)! + pause);
  const order = [...steps.keys()].sort((a, b) => times[a] - times[b]);
  return {
    steps: order.map((i) => steps[i]),
    pauses: order.slice(1).map((i, k) => times[i] - times[order[k]]),
  };
}
