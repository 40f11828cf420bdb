import type { Random } from "../../base/random.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { Row } from "../data/row.ts";
import type { CookieJar } from "../http/cookies.ts";
import type { HttpSession, Outgoing } from "../sender.ts";
import { ReceivedResponse } from "./received.ts";

/** Dependencies of a VU. */
export interface VuParts {
  /** Number of the VU, from 1, within its scenario and over all shards. */
  readonly id: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly open: () => HttpSession;
  readonly jar: CookieJar | undefined;
}

/** Virtual user with its variables and connections. It runs one iteration at a time. */
export class Vu {
  readonly id: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly session: HttpSession;
  /** Response to the last request. */
  readonly received: ReceivedResponse;
  /** Number of the current iteration, from 0; -1 before the first. */
  iteration: number = -1;
  /** Variables by index; undefined means unset. */
  variables: unknown[] = [];
  /** Row of each data source in this iteration, read on first use. */
  rows: (Row | undefined)[] = [];
  /** Position in each data source that the VU reads separately (`per_vu`). */
  cursors: number[] = [];
  /**
   * Scheduled time of this open-model iteration until its first request is recorded; otherwise NaN.
   */
  scheduledAt: number = NaN;
  /** Whether a request was sent since the start of the iteration or the last pause. */
  pauseDue = false;
  /** Cache of requests with the jar's cookies, valid for one version of the jar. */
  readonly withCookies: Map<Outgoing, { version: number; outgoing: Outgoing }> = new Map();
  /** Whether the iteration was cancelled: any wait ends at once. */
  cancelled = false;
  /** Whether an iteration is running. */
  running = false;
  /** Whether this iteration has awaited anything. */
  yielded = false;
  /** Rounds of loops since the VU last waited. */
  roundsSinceWait = 0;
  readonly #parts: VuParts;
  readonly #branches = new Set<Vu>();
  #idle = false;
  #wake: (() => void) | undefined;
  #cancelTimer: Cancel | undefined;

  constructor(parts: VuParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.clock = parts.clock;
    this.random = parts.random;
    this.session = parts.open();
    this.received = new ReceivedResponse(parts.jar);
  }

  /**
   * Begins the next iteration; `scheduledAt` is its scheduled time in an open model, otherwise NaN.
   */
  begin(scheduledAt: number): void {
    this.iteration++;
    this.scheduledAt = scheduledAt;
    this.pauseDue = this.cancelled = this.yielded = false;
    if (this.rows.length > 0) this.rows = [];
  }

  /** Waits until `time`, or until the VU is cancelled or woken. */
  sleepUntil(time: number): Promise<void> {
    this.yielded = true;
    this.roundsSinceWait = 0;
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#cancelTimer = this.clock.at(time, resolve);
    });
  }

  #wakeNow(): void {
    this.#cancelTimer?.();
    this.#wake?.();
  }

  /** Waits between two iterations until `time`, cancellation or `wakeIdle`. */
  async idleUntil(time: number): Promise<void> {
    this.#idle = true;
    await this.sleepUntil(time);
    this.#idle = false;
  }

  /** Ends a wait in `idleUntil`. */
  wakeIdle(): void {
    if (this.#idle) this.#wakeNow();
  }

  /** Cancels the current iteration. */
  cancel(): void {
    this.cancelled = true;
    this.#wakeNow();
    this.session.close();
    for (const branch of this.#branches) branch.cancel();
  }

  /** Creates a VU for a branch of `parallel`; it shares variables, cookie jar and connections. */
  branch(): Vu {
    const branch = new Vu({ ...this.#parts, open: () => this.session.branch() });
    branch.iteration = this.iteration;
    branch.variables = this.variables;
    branch.rows = this.rows;
    branch.cursors = this.cursors;
    branch.cancelled = this.cancelled;
    // The first request of the iteration is that of the first branch.
    [branch.scheduledAt, this.scheduledAt] = [this.scheduledAt, NaN];
    this.#branches.add(branch);
    return branch;
  }

  /** Closes a branch. */
  join(branch: Vu): void {
    this.#branches.delete(branch);
    branch.session.close();
    this.yielded ||= branch.yielded;
  }
}
