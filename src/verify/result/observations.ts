import type { Exchange } from "../../traffic/har/recording.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { Comparison, Difference, StaleValue, UnprovenValue } from "../compare/comparison.ts";

/** An item, with its number of occurrences. */
export type Counted<Item> = Item & { readonly count: number };

/** A request that the plan sends although it does not replay a recorded call, or sends it again. */
export interface AddedRequest {
  readonly method: string;
  readonly url: string;
  /**
   * Name of the recorded call whose response the request got, or undefined if it got status 404.
   */
  readonly like: string | undefined;
  /** True if the request repeats a recorded call that may change data. */
  readonly isWrite?: true;
}

/** Counts of the requests that matched one recorded call. */
export interface CallObservation {
  /** Number of requests. */
  sent: number;
  stale: number;
  unproven: number;
  differing: number;
  /** The exchanges whose responses first contained the values that the requests send. */
  readonly sources: Set<Exchange>;
}

/** Counts of the requests to the mock server and of their differences from the recording. */
export class Observations {
  /**
   * Number of requests, except those that follow a recorded redirect to a URL outside the
   * recording.
   */
  sent = 0;
  /**
   * Number of requests that are equal to a recorded call, except for fresh and client-generated
   * values.
   */
  matched = 0;
  /** Number of requests that do not look like the recorded call to which the plan assigns them. */
  misplaced = 0;
  readonly calls: Map<RecordedCall, CallObservation> = new Map();
  readonly stale: CallTally<StaleValue> = new CallTally();
  readonly unproven: CallTally<UnprovenValue> = new CallTally();
  readonly differing: CallTally<Difference> = new CallTally();
  readonly added: CallTally<AddedRequest> = new CallTally();

  /** Counts a request that does not replay any recorded call. */
  addAdded(request: AddedRequest): void {
    this.sent++;
    this.added.add(request);
  }

  /** Counts a request that matched `call`, and the result of its comparison. */
  add(call: RecordedCall, compared: Comparison, isAlike: boolean): void {
    const { stale, differing, unproven, sources } = compared;
    this.sent++;
    if (!isAlike) this.misplaced++;
    const observed = this.#observation(call);
    observed.sent++;
    observed.stale += stale.length;
    observed.unproven += unproven.length;
    observed.differing += differing.length;
    for (const source of sources) observed.sources.add(source);
    for (const value of stale) this.stale.add(value);
    for (const value of unproven) this.unproven.add(value);
    for (const difference of differing) this.differing.add(difference);
    if (stale.length + differing.length === 0) this.matched++;
  }

  #observation(call: RecordedCall): CallObservation {
    let observed = this.calls.get(call);
    if (observed === undefined) {
      observed = { sent: 0, stale: 0, unproven: 0, differing: 0, sources: new Set() };
      this.calls.set(call, observed);
    }
    return observed;
  }
}

/** Counts equal objects. Keeps the order of their first occurrence. */
export class CallTally<Item extends object> {
  readonly #counts = new Map<string, { readonly item: Item; count: number }>();

  /** Sum of all counts. */
  get total(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  /** Counts one occurrence of an object. */
  add(item: Item): void {
    const key = JSON.stringify(item);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { item, count: 1 });
  }

  /** Lists each distinct object with its number of occurrences. */
  list(): Counted<Item>[] {
    return [...this.#counts.values()].map(({ item, count }) => ({ ...item, count }));
  }
}
