import { formatMs } from "../base/format.ts";
import type { HttpResponse, Outgoing } from "../http/sender.ts";
import { secondsToWait } from "../outcome/judge_response.ts";
import { listRequests, listSteps } from "../plan/kinds/list_requests.ts";
import { type Request, requestMethod } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { PlanDraft } from "./draft.ts";
import { isGraphqlQuery, isSafeMethod } from "../traffic/session/changes_data.ts";

/** Load of a round: one user, two users in lockstep, or two staggered users. */
export type Load = "one user" | "lock step" | "staggered";

/** Maximum number of trials of unique text in a calibration, for each kind of text. */
export const MOST_TRIALS = 8;
/** Maximum number of rounds with a single user. */
export const MOST_PASSES = 3;
/** Numbers of users and iterations in a round that can prove that the plan works. */
export const PROOF = { users: 2, iterations: 2 } as const;
/** Number of users, and of iterations per user, in each kind of round. */
export const LOADS: Readonly<Record<Load, typeof PROOF | { users: 1; iterations: 1 }>> = {
  "one user": { users: 1, iterations: 1 },
  "lock step": PROOF,
  "staggered": PROOF,
};
/** Maximum number of rounds with two users in lockstep. Such a round can prove the plan. */
export const MOST_PROOFS = 3;

/**
 * Numbers of requests and writes in a plan, and the maximum number of writes that a calibration
 * sends. Opening a WebSocket counts as a request and as a write.
 */
export interface PlannedCalls {
  readonly requests: number;
  readonly writes: number;
  /** Maximum total number of writes in all rounds. */
  readonly mostWrites: number;
}

/** Counts the requests and writes in the scenarios of a plan that replay a recording. */
export function plannedCalls(plan: Plan): PlannedCalls {
  const draft = new PlanDraft(plan);
  const replayed = draft.replayed();
  const indexes = [...replayed.values()].flat();
  const flows = [...replayed.keys()].map((name) => plan.scenarios[name].flow);
  // The messages of a WebSocket may write, so opening it counts as a write.
  const sockets = flows.map(countSockets).reduce((sum, count) => sum + count, 0);
  const writes = indexes.filter((index) => isWriteRequest(draft.at(index))).length + sockets;
  const proofs = MOST_PROOFS + 1; // One more with staggered users.
  const iterations = MOST_PASSES + proofs * PROOF.users * PROOF.iterations;
  const around = [...plan.setup ?? [], ...plan.teardown ?? []];
  const writesAround = [...listRequests(around)].filter(isWriteRequest).length +
    countSockets(around);
  const rounds = (MOST_PASSES + proofs) * replayed.size;
  return {
    requests: indexes.length + sockets,
    writes,
    // Before each trial, the write is sent again unchanged.
    mostWrites: (writes === 0 ? 0 : writes * iterations + 2 * MOST_TRIALS) + writesAround * rounds,
  };
}

function countSockets(flow: readonly Step[]): number {
  return [...listSteps(flow)].filter(({ websocket }) => websocket !== undefined).length;
}

/** Limits the number of requests that may change data on the target. */
export class WriteBudget {
  readonly limit: number;
  #sent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Number of writes that may still be sent. */
  get left(): number {
    return this.limit - this.#sent;
  }

  /** Counts a request. Returns false if it must not be sent, because it would exceed the limit. */
  allows({ method, body }: Pick<Outgoing, "method" | "body">): boolean {
    if (isSafeMethod(method)) return true;
    if (body !== undefined && isGraphqlQuery(new TextDecoder().decode(body))) return true;
    if (this.#sent >= this.limit) return false;
    this.#sent++;
    return true;
  }
}

/** Reports whether a request may change data: it is neither a read nor a GraphQL query. */
export function isWriteRequest(request: Request): boolean {
  return !isSafeMethod(requestMethod(request)) && !hasGraphqlQuery(request.body);
}

// A calibration judges each request many times.
const known = new WeakMap<object, boolean>();

function hasGraphqlQuery(body: Request["body"]): boolean {
  if (typeof body === "string") return isGraphqlQuery(body);
  if (body?.json === undefined) return false;
  let isQuery = known.get(body);
  if (isQuery === undefined) known.set(body, isQuery = isGraphqlQuery(JSON.stringify(body.json)));
  return isQuery;
}

/** Responses in which a target enforced a rate limit, and the waits because of them. */
export interface RateLimitReport {
  /** Number of responses with status 429 or 503. */
  readonly responses: number;
  /** Status codes of these responses, each once: 429, 503 or both. */
  readonly statuses: readonly number[];
  /** Zero-based indexes of the calls that got these responses, in ascending order. */
  readonly calls: readonly number[];
  readonly sockets: number;
  readonly waitedMs: number;
  readonly longestMs: number;
}

/** A target that still enforces a rate limit, or is still overloaded, after waiting. */
export interface Overload {
  /** Status code of the last response: 429 or 503. */
  readonly status: number;
  /** Time, in whole seconds, that the calibration waited before this response. */
  readonly seconds: number;
}

/** The part of an outcome that shows whether the server enforced a rate limit. */
export interface LimitedOutcome {
  /** Seconds to wait before the request is sent again. Absent if there is no rate limit. */
  readonly rateLimit?: number;
  readonly error?: string;
  readonly index?: number;
}

/** Maximum number of times that one request waits because of a rate limit. */
const MOST_WAITS = 2;
/**
 * Total waiting time, in milliseconds, during which every response has status 429 or 503. If the
 * next response has this status too, the calibration ends.
 */
const LONGEST_MS = 60_000;

/** What waiting requires. */
export interface Waiting {
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns the time in Unix milliseconds. */
  readonly now: () => number;
  /** Receives a line about each wait, for the progress output. */
  readonly announce: (text: string) => void;
}

/** Limits the total time that a calibration waits, for all reasons together, and waits. */
export class Patience {
  readonly limitMs: number;
  readonly #waiting: Waiting;
  #waitedMs = 0;
  #isExhausted = false;

  constructor(waiting: Waiting, limitMs: number = LONGEST_MS) {
    this.#waiting = waiting;
    this.limitMs = limitMs;
  }

  /** True after a wait was refused. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Counts a wait. Returns false if it would exceed the limit, so that it must not take place. */
  take(ms: number): boolean {
    if (this.#waitedMs + ms > this.limitMs) {
      this.#isExhausted = true;
      return false;
    }
    this.#waitedMs += ms;
    return true;
  }

  /** Waits for a time that `take` allowed. `what` names the call, and `why` the reason. */
  async wait(ms: number, what: string, why: string): Promise<void> {
    this.#waiting.announce(`  ${what}: waiting ${formatMs(ms)} (${why})`);
    await this.#waiting.sleep(ms);
  }
}

const LIMITED = "the server reported a rate limit or an overload";

/**
 * Waits because of a rate limit or an overload (status 429 or 503), and counts these waits. One
 * request waits at most twice. If no other response arrives during a minute of waiting, the
 * calibration ends.
 */
export class RateLimitWaits {
  readonly #patience: Patience;
  readonly #now: () => number;
  /** Waiting time, in milliseconds, since the last response that did not enforce a rate limit. */
  #ms = 0;
  #overload: Overload | undefined;
  #responses = 0;
  #sockets = 0;
  #waitedMs = 0;
  #longestMs = 0;
  #lastStatus = 0;
  readonly #statuses = new Set<number>();
  readonly #calls = new Set<number>();

  constructor(patience: Patience, now: () => number) {
    this.#patience = patience;
    this.#now = now;
  }

  /** The reason why the calibration must end. Undefined while it may continue. */
  get overload(): Overload | undefined {
    return this.#overload;
  }

  /** Returns the responses that enforced a rate limit, or undefined if there were none. */
  report(): RateLimitReport | undefined {
    if (this.#responses === 0) return undefined;
    return {
      responses: this.#responses,
      statuses: [...this.#statuses].sort((a, b) => a - b),
      calls: [...this.#calls].sort((a, b) => a - b),
      sockets: this.#sockets,
      waitedMs: this.#waitedMs,
      longestMs: this.#longestMs,
    };
  }

  /**
   * Adds the outcome of an attempt. `status` is undefined if there was no response. The index of
   * the outcome is undefined if the request opens a WebSocket.
   */
  add({ rateLimit, error, index }: LimitedOutcome, status: number | undefined): void {
    if (error !== undefined) return;
    if (rateLimit === undefined) this.#ms = 0;
    else if (status !== undefined) {
      this.#responses++;
      this.#statuses.add(status);
      this.#lastStatus = status;
      if (index === undefined) this.#sockets++;
      else this.#calls.add(index);
      if (this.#ms >= LONGEST_MS) this.#end();
    }
  }

  /**
   * Waits before a request is sent again. `waits` is the number of times that the request has
   * waited. `pause` is the recorded pause before the request, to try first, in milliseconds.
   * Returns the waiting time, or undefined if the request must not be sent again. If the patience
   * ends while only such responses arrive, the calibration ends.
   */
  async wait(
    { rateLimit }: LimitedOutcome,
    what: string,
    waits: number,
    pause?: number,
  ): Promise<number | undefined> {
    if (rateLimit === undefined || waits >= MOST_WAITS || this.#overload !== undefined) {
      return undefined;
    }
    const ms = waits === 0 && pause !== undefined ? pause : rateLimit * 1_000;
    if (!this.#patience.take(ms)) {
      if (this.#ms > 0) this.#end();
      return undefined;
    }
    this.#ms += ms;
    this.#waitedMs += ms;
    this.#longestMs = Math.max(this.#longestMs, ms);
    await this.#patience.wait(ms, what, LIMITED);
    return ms;
  }

  /**
   * Waits if the response to a request that opens a WebSocket has status 429 or 503. Returns true
   * if the request must be sent again. `isOver` reports whether the calibration has ended.
   */
  async waitToOpen(
    { status, headers: pairs }: Pick<HttpResponse, "status" | "headers">,
    waits: number,
    isOver: () => boolean,
  ): Promise<boolean> {
    const headers = pairs.map(([name, value]) => ({ name, value }));
    const rateLimit = secondsToWait(undefined, { status, headers }, this.#now());
    if (status === 101) this.add({}, status);
    if (rateLimit === undefined || isOver()) return false;
    this.add({ rateLimit }, status);
    return await this.wait({ rateLimit }, "WebSocket", waits) !== undefined && !isOver();
  }

  #end(): void {
    this.#overload = { status: this.#lastStatus, seconds: Math.round(this.#ms / 1_000) };
  }
}
