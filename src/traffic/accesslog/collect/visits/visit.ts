/** Idle time in milliseconds after which a visit ends. */
const IDLE_MS = 30 * 60_000;
/**
 * Maximum number of steps in a visit. Longer visits rarely come from a person and rarely follow a
 * pattern.
 */
export const MAX_STEPS = 40;

/** The requests of one visitor, in the order of the log, without an idle time between them. */
export interface Visit {
  /** Timestamp of the first request, in Unix milliseconds. */
  readonly first: number;
  /** Timestamp of the last request, in Unix milliseconds. */
  last: number;
  /** Endpoint number of each request, at most `MAX_STEPS` + 1. */
  readonly steps: number[];
  /** Pause before each request except the first, in milliseconds. */
  readonly pauses: number[];
}

/** The visits of one visitor that can continue in another part of the log. */
export interface Visitor {
  /** First visit, if it is not the last one. A preceding part of the log may begin it. */
  head?: Visit;
  /** Last visit. The next part of the log may continue it. */
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
 * 30 minutes later or earlier than the last one.
 */
export function isContinued({ last }: Visit, time: number): boolean {
  return Math.abs(time - last) <= IDLE_MS;
}

/** Adds a request to a visit. If the request is earlier than the last one, the pause is 0. */
export function addStep(visit: Visit, time: number, endpoint: number): void {
  if (visit.steps.length <= MAX_STEPS) {
    visit.steps.push(endpoint);
    visit.pauses.push(Math.max(0, time - visit.last));
  }
  visit.last = time;
}

/** Adds a visit that continues `visit` in the next part of the log. */
export function joinVisit(visit: Visit, next: Visit): void {
  addStep(visit, next.first, next.steps[0]);
  for (let i = 1; i < next.steps.length && visit.steps.length <= MAX_STEPS; i++) {
    visit.steps.push(next.steps[i]);
    visit.pauses.push(next.pauses[i - 1]);
  }
  visit.last = next.last;
}
