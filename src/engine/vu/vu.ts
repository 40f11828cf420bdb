import type { Random } from "../../base/random.ts";
import type { Cancel, Clock } from "../clock/clock.ts";
import type { Row } from "../data/row.ts";
import type { CookieJar } from "../../http/cookies.ts";
import type { HttpSession, Outgoing } from "../../http/sender.ts";
import { ReceivedResponse } from "./received_response.ts";

/** Dependencies of a VU. */
export interface VuParts {
  /** Number of the VU within its scenario, counted from 1 over all shards. */
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
  /** Response to the last request, reused for each request. */
  readonly received: ReceivedResponse;
  /** Number of the current iteration, from 0; -1 before the first. */
  iteration: number = -1;
  /** Variables by index; undefined means unset. */
  variables: unknown[] = [];
  /** Row of each data source in this iteration, read on first use. */
  rows: (Row | undefined)[] = [];
  /** Number of rows that the VU has used of each `per_vu` data source, by index of the source. */
  cursors: number[] = [];
  /**
   * Scheduled time of this open-model iteration until its first request is recorded; otherwise NaN.
   */
  scheduledAt: number = NaN;
  /**
   * True if a request was sent after the start of the iteration and after the last pause. The next
   * request then pauses first.
   */
  pauseDue = false;
  /** Cache of requests with the jar's cookies, valid for one version of the jar. */
  readonly withCookies: Map<Outgoing, { version: number; outgoing: Outgoing }> = new Map();
  /** True if the iteration was canceled. Waits then end at once. */
  cancelled = false;
  /** Whether an iteration is running. */
  running = false;
  /** True if this iteration has waited for anything, so that timers and other VUs had a turn. */
  yielded = false;
  /** Number of loop rounds since the VU last waited. */
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

  /** Waits until `time` on the clock, or until the VU is canceled or woken. */
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

  /**
   * Waits between two iterations, until `time` on the clock, until `wakeIdle`, or until the VU is
   * canceled.
   */
  async idleUntil(time: number): Promise<void> {
    this.#idle = true;
    await this.sleepUntil(time);
    this.#idle = false;
  }

  /** Ends a wait in `idleUntil`. Does nothing if the VU is not waiting there. */
  wakeIdle(): void {
    if (this.#idle) this.#wakeNow();
  }

  /** Cancels the current iteration, its branches and its requests. */
  cancel(): void {
    this.cancelled = true;
    this.#wakeNow();
    this.session.close();
    for (const branch of this.#branches) branch.cancel();
  }

  /**
   * Creates a VU for a branch of a `parallel` step. It shares variables, data rows, the cookie jar
   * and connections with this VU.
   */
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

  /** Closes a VU that `branch` created. */
  join(branch: Vu): void {
    this.#branches.delete(branch);
    branch.session.close();
    this.yielded ||= branch.yielded;
  }
}
