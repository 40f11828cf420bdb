import type { LogRequest } from "../../read/log_request.ts";
import type { RequestPart } from "../../read/request_use.ts";
import type { LogCollector } from "../collector.ts";
import { LEVELS } from "../../profile/sample_level.ts";
import {
  addStep,
  copyVisit,
  isContinued,
  joinVisit,
  MAX_STEPS,
  sortByTime,
  startVisit,
  type Visit,
  type Visitor,
} from "./visit.ts";
import {
  addClients,
  type Clients,
  type RecordedVisits,
  VISIT_PARTS,
  VisitRecorder,
} from "./visit_recorder.ts";
import { type VisitSequence, VisitTable } from "./visit_table.ts";
import { VisitedEndpoints } from "./visited_endpoints.ts";
import { visitorLevel } from "./visitor.ts";
import { listVisits, parseVisits, type VisitsData } from "./visits_json.ts";

/** Limits beyond which only a sample of the visitors is counted. */
export interface VisitLimits {
  /** Maximum number of visitors whose visits are counted. */
  readonly visitors: number;
  /** Maximum number of distinct endpoints requested by the counted visitors. */
  readonly endpoints: number;
  /**
   * Maximum number of distinct visit sequences. A sequence counts once for each sampling level in
   * which it occurs.
   */
  readonly sequences: number;
  /** Maximum total number of counters in the pause histograms. */
  readonly cells: number;
}

/** Limits that keep memory use below about 150 MB. */
const LIMITS: VisitLimits = {
  visitors: 2 ** 16,
  endpoints: 2 ** 17,
  sequences: 2 ** 16,
  cells: 2 ** 23,
};

/**
 * Groups the requests in a log into visits. A visit consists of the requests from one client
 * address and user agent, and ends after 30 idle minutes.
 *
 * Memory use is bounded: if there are too many visitors, endpoints or distinct sequences, only a
 * sample of the visitors is counted. Whether a visitor is in the sample depends only on its client
 * address and user agent. Parts of a log can be collected separately, because the first and the
 * last visit of each visitor are kept until `finish`.
 */
export class Visits implements LogCollector {
  readonly kind = "visits";
  readonly parts: readonly RequestPart[] = VISIT_PARTS;
  readonly #limits: VisitLimits;
  readonly #endpoints = new VisitedEndpoints();
  #visitors = new Map<number, Visitor>();
  readonly #table = new VisitTable();
  #level = 0;
  /** Number of completed visits by sampling level. */
  readonly #visits: number[] = new Array(LEVELS).fill(0);
  /** Number of completed visits with more than `MAX_STEPS` steps, by sampling level. */
  readonly #tooLong: number[] = new Array(LEVELS).fill(0);
  /**
   * Number of requests that are more than 30 minutes earlier than the visitor's preceding request
   * in the log, by sampling level.
   */
  readonly #unsorted: number[] = new Array(LEVELS).fill(0);
  #clients: Clients = { areSeveral: false, missing: 0 };
  readonly #recorder = new VisitRecorder();
  /** Number of requests that `add` has recorded but `#flush` has not yet added to the visits. */
  #pending = 0;

  /** Creates a collector. */
  constructor(limits: VisitLimits = LIMITS) {
    this.#limits = limits;
  }

  add(request: LogRequest): void {
    this.#recorder.add(request);
    if (++this.#pending === 1 << 12) this.#flush();
  }

  createRecorder(): VisitRecorder {
    return new VisitRecorder();
  }

  append(recorded: RecordedVisits, thread: number): void {
    const { visitors, times, endpoints, clients } = recorded;
    this.#clients = addClients(this.#clients, clients);
    const known = this.#endpoints.ofThread(recorded, thread);
    for (let i = 0; i < visitors.length; i++) {
      const level = visitorLevel(visitors[i]);
      if (level < this.#level) continue;
      const endpoint = this.#endpoints.numberOf(known, endpoints[i], level);
      this.#addRequest(visitors[i], level, times[i], endpoint);
      while (this.#isFull()) this.#raise(this.#level + 1);
    }
  }

  data(): VisitsData {
    this.#flush();
    return {
      level: this.#level,
      clients: this.#clients,
      visits: this.#visits,
      tooLong: this.#tooLong,
      unsorted: this.#unsorted,
      endpoints: this.#endpoints.keys,
      endpointLevels: this.#endpoints.levels,
      visitors: this.#visitors,
      groups: this.#table.groups,
    };
  }

  /** Adds the visits of the next part of the log. */
  merge(next: VisitsData): void {
    this.#flush();
    if (next.level > this.#level) this.#raise(next.level);
    this.#clients = addClients(this.#clients, next.clients);
    for (let level = this.#level; level < LEVELS; level++) {
      this.#visits[level] += next.visits[level];
      this.#tooLong[level] += next.tooLong[level];
      this.#unsorted[level] += next.unsorted[level];
    }
    const numbers = next.endpointLevels.map((level, i) =>
      level < this.#level ? -1 : this.#endpoints.number(next.endpoints.at(i), level)
    );
    for (const [visitor, { head, tail }] of next.visitors) {
      const level = visitorLevel(visitor);
      if (level < this.#level) continue;
      const copy = (visit: Visit) => renumber(copyVisit(visit), numbers);
      this.#appendVisitor(visitor, level, head && copy(head), copy(tail));
    }
    for (const group of next.groups) {
      if (group.level < this.#level) continue;
      this.#table.merge(group, group.level, group.steps.map((step) => numbers[step]));
    }
    while (this.#isFull()) this.#raise(this.#level + 1);
  }

  toJson(): unknown {
    return listVisits(this.data());
  }

  fromJson(json: unknown): VisitsData {
    return parseVisits(json);
  }

  /**
   * Ends all visits. Call it once, after the last request. Returns the number of visits, and the
   * sequences of visits with several requests, sorted by number of visits, highest first. `left` is
   * the number of visits whose sequence is too long to be returned. `unsorted` is the number of
   * requests that are more than 30 minutes earlier than the visitor's preceding request in the log.
   * Visits may be split at these requests. If only a sample of the visitors was counted, the
   * numbers are estimates, and `oneIn` is the number of visitors that each visitor in the sample
   * represents.
   */
  finish(): {
    sequences: VisitSequence[];
    visits: number;
    left: number;
    unsorted: number;
    oneIn: number;
  } {
    this.#flush();
    for (const [visitor, { head, tail }] of this.#visitors) {
      const level = visitorLevel(visitor);
      for (const visit of [head, tail]) {
        if (visit === undefined || level < this.#level) continue;
        this.#end(visit, level);
        while (this.#isFull()) this.#raise(this.#level + 1);
      }
    }
    this.#visitors.clear();
    const oneIn = 2 ** this.#level;
    const total = (byLevel: readonly number[]) =>
      oneIn * byLevel.slice(this.#level).reduce((sum, count) => sum + count, 0);
    return {
      sequences: this.#sequences(oneIn),
      visits: total(this.#visits),
      left: total(this.#tooLong),
      unsorted: total(this.#unsorted),
      oneIn,
    };
  }

  /**
   * Address of the only client in the log; undefined if there are several clients or no client
   * addresses.
   */
  get onlyClient(): string | undefined {
    this.#flush();
    const { first, areSeveral } = this.#clients;
    return first === undefined || areSeveral ? undefined : new TextDecoder().decode(first);
  }

  /** Number of requests whose log line has no client address. */
  get withoutClient(): number {
    this.#flush();
    return this.#clients.missing;
  }

  /** Returns the endpoint with this number as `METHOD route`. */
  endpoint(number: number): string {
    return this.#endpoints.name(number);
  }

  /** Assigns the requests that `add` has recorded so far to visits. */
  #flush(): void {
    if (this.#pending === 0) return;
    this.#pending = 0;
    this.append(this.#recorder.take(), -1);
  }

  #addRequest(hash: number, level: number, time: number, endpoint: number): void {
    const visitor = this.#visitors.get(hash);
    if (visitor === undefined) {
      this.#visitors.set(hash, { head: undefined, tail: startVisit(time, endpoint) });
    } else if (isContinued(visitor.tail, time)) addStep(visitor.tail, time, endpoint);
    else {
      if (time < visitor.tail.last) this.#unsorted[level]++;
      this.#endTail(visitor, level);
      visitor.tail = startVisit(time, endpoint);
    }
  }

  /**
   * Adds the first and last visits of a visitor in the next part of the log. `head` is undefined if
   * there is only one visit.
   */
  #appendVisitor(hash: number, level: number, head: Visit | undefined, tail: Visit): void {
    const visitor = this.#visitors.get(hash);
    if (visitor === undefined) return void this.#visitors.set(hash, { head, tail });
    const first = head ?? tail;
    if (isContinued(visitor.tail, first.first)) {
      joinVisit(visitor.tail, first);
      if (head === undefined) return;
      this.#endTail(visitor, level);
    } else {
      if (first.first < visitor.tail.last) this.#unsorted[level]++;
      this.#endTail(visitor, level);
      if (head !== undefined) this.#end(head, level);
    }
    visitor.tail = tail;
  }

  #endTail(visitor: Visitor, level: number): void {
    if (visitor.head === undefined) visitor.head = visitor.tail;
    else this.#end(visitor.tail, level);
  }

  #end(visit: Visit, level: number): void {
    this.#visits[level]++;
    if (visit.steps.length > MAX_STEPS) return void this.#tooLong[level]++;
    const { steps, pauses } = sortByTime(visit);
    if (steps.length > 1) this.#table.add(steps, pauses, level);
  }

  #isFull(): boolean {
    const { visitors, endpoints, sequences, cells } = this.#limits;
    return this.#level < LEVELS - 1 && (
      this.#visitors.size > visitors || this.#endpoints.size > endpoints ||
      this.#table.size > sequences || this.#table.cells > cells
    );
  }

  /**
   * Raises the sampling level to `level`: drops all visitors below this level, and all endpoints
   * that only they requested.
   */
  #raise(level: number): void {
    this.#level = level;
    const numbers = this.#endpoints.raise(level);
    const visitors = this.#visitors;
    this.#visitors = new Map();
    for (const [hash, visitor] of visitors) {
      if (visitorLevel(hash) < level) continue;
      if (visitor.head !== undefined) renumber(visitor.head, numbers);
      renumber(visitor.tail, numbers);
      this.#visitors.set(hash, visitor);
    }
    this.#table.raise(level, numbers);
  }

  #sequences(oneIn: number): VisitSequence[] {
    const ranks = this.#endpoints.ranks();
    return this.#table.sequences((endpoint) => ranks[endpoint]).map(
      ({ steps, count, pauses }) => ({
        steps,
        count: count * oneIn,
        pauses: pauses.map(({ sum, squares, counts }) => ({
          sum: sum * oneIn,
          squares: squares * oneIn,
          counts,
        })),
      }),
    );
  }
}

/**
 * Replaces each endpoint number in `visit` with its new number, `numbers[old]`. Changes and returns
 * `visit`.
 */
function renumber(visit: Visit, numbers: ArrayLike<number>): Visit {
  const { steps } = visit;
  for (let i = 0; i < steps.length; i++) steps[i] = numbers[steps[i]];
  return visit;
}
