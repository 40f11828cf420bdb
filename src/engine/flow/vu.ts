import type { Random } from "../../base/random.ts";
import type { Cancel, Clock } from "../clock.ts";
import type { Row } from "../data/row.ts";
import type { CookieJar } from "../http/cookies.ts";
import type { HttpSession, Outgoing } from "../sender.ts";
import { ReceivedResponse } from "./received.ts";

/** What a VU is made of. */
export interface VuParts {
  /** From 1, over the whole plan. */
  readonly id: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly open: () => HttpSession;
  readonly jar: CookieJar | undefined;
}

/** One virtual user: what it remembers, and its connections. It plays one iteration at a time. */
export class Vu {
  readonly id: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly session: HttpSession;
  /** What came of the last request. */
  readonly received: ReceivedResponse;
  /** Iterations begun so far, less one: the number of the current one, from 0. */
  iteration: number = -1;
  /** Variables by slot; undefined is unset. */
  variables: unknown[] = [];
  /** This iteration's row of each data source, once it was needed. */
  rows: (Row | undefined)[] = [];
  /** How far it is in the data sources that each VU reads on its own. */
  cursors: number[] = [];
  /** When this open-model iteration was due, until its first request is recorded; else NaN. */
  scheduledAt: number = NaN;
  /** A request was made since the iteration or the last pause began. */
  pauseDue = false;
  /** Requests with the jar's cookies put in, as long as the jar does not change. */
  readonly cookied: Map<Outgoing, { version: number; outgoing: Outgoing }> = new Map();
  /** Nothing more is to be done: whatever it waits for ends at once. */
  cancelled = false;
  /** In the middle of an iteration. */
  playing = false;
  /** Did something in this iteration that took its turn from others. */
  yielded = false;
  /** Rounds of loops since it last waited for anything. */
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

  /** Begins the next iteration; `scheduledAt` is when an open model wanted it, else NaN. */
  begin(scheduledAt: number): void {
    this.iteration++;
    this.scheduledAt = scheduledAt;
    this.pauseDue = this.cancelled = this.yielded = false;
    if (this.rows.length > 0) this.rows = [];
  }

  /** Waits until `time`, or until it is cancelled or woken. */
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

  /** Waits between two iterations: until `time`, or until it is cancelled or no longer wanted. */
  async idleUntil(time: number): Promise<void> {
    this.#idle = true;
    await this.sleepUntil(time);
    this.#idle = false;
  }

  /** Ends an `idleUntil`. */
  wakeIdle(): void {
    if (this.#idle) this.#wakeNow();
  }

  /** Breaks off the current iteration. */
  cancel(): void {
    this.cancelled = true;
    this.#wakeNow();
    this.session.close();
    for (const branch of this.#branches) branch.cancel();
  }

  /** Creates a VU for a branch of `parallel`; it shares memory, cookie jar and connections. */
  branch(): Vu {
    const branch = new Vu({ ...this.#parts, open: () => this.session.branch() });
    branch.iteration = this.iteration;
    branch.variables = this.variables;
    branch.rows = this.rows;
    branch.cursors = this.cursors;
    branch.cancelled = this.cancelled;
    // The first request of the iteration is the first branch's.
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
