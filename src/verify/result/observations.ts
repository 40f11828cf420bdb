import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { Comparison, Difference, StaleValue, UnprovenValue } from "../compare/comparison.ts";
import type { Counted } from "./verification.ts";

/** Counts of the requests to the mock server and of their differences from the recording. */
export class Observations {
  /** Number of requests, except those redirected to a URL outside the recording. */
  sent = 0;
  /** Number of requests that are equal to a recorded call, except for fresh values. */
  matched = 0;
  /** Number of requests that matched each recorded call. */
  readonly callCounts: Map<RecordedCall, number> = new Map();
  readonly stale: CallTally<StaleValue> = new CallTally();
  readonly unproven: CallTally<UnprovenValue> = new CallTally();
  readonly differing: CallTally<Difference> = new CallTally();
  readonly unknown: CallTally<{ readonly method: string; readonly url: string }> = new CallTally();

  /** Counts a request that matched no recorded call. */
  addUnknown(method: string, url: string): void {
    this.sent++;
    this.unknown.add({ method, url });
  }

  /** Counts a request that matched `call`, and the result of its comparison. */
  add(call: RecordedCall, { stale, differing, unproven }: Comparison): void {
    this.sent++;
    this.callCounts.set(call, (this.callCounts.get(call) ?? 0) + 1);
    for (const value of stale) this.stale.add(value);
    for (const value of unproven) this.unproven.add(value);
    for (const difference of differing) this.differing.add(difference);
    if (stale.length + differing.length === 0) this.matched++;
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

  /** Lists each object with its count. */
  list(): Counted<Item>[] {
    return [...this.#counts.values()].map(({ item, count }) => ({ ...item, count }));
  }
}
