import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { Observer } from "../mock/mock_sender.ts";
import { CallTally } from "./call_tally.ts";
import type { Difference, StaleValue, UnprovenValue } from "./verification.ts";

/** Observations of the mock server about its clients. */
export class Observations {
  /** Requests, without those that followed redirects out of the recording. */
  sent = 0;
  /** Requests that matched the recording, apart from fresh values. */
  matched = 0;
  /** Number of times each recorded call was sent. */
  readonly callCounts: Map<RecordedCall, number> = new Map();
  readonly stale: CallTally<StaleValue> = new CallTally();
  readonly unproven: CallTally<UnprovenValue> = new CallTally();
  readonly differing: CallTally<Difference> = new CallTally();
  readonly unknown: CallTally<{ readonly method: string; readonly url: string }> = new CallTally();

  /** Records an exchange. */
  readonly observe: Observer = ({ method, url }, { call, comparison, isExternalRedirect }) => {
    if (isExternalRedirect) return;
    this.sent++;
    if (call === undefined) return this.unknown.add({ method, url });
    this.callCounts.set(call, (this.callCounts.get(call) ?? 0) + 1);
    for (const stale of comparison.stale) this.stale.add(stale);
    for (const value of comparison.unproven) this.unproven.add(value);
    for (const difference of comparison.differing) this.differing.add(difference);
    if (comparison.stale.length + comparison.differing.length === 0) this.matched++;
  };
}
