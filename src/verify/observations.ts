import type { Draft } from "../convert/correlate/draft.ts";
import type { Observer } from "./mock_sender.ts";
import { CallTally } from "./call_tally.ts";
import type { Difference, StaleValue, UnprovenValue } from "./verification.ts";

/** What the stand-in saw of its clients. */
export class Observations {
  /** Requests but for those that recorded redirects led out of the recording. */
  sent = 0;
  /** Of them, those that were as recorded but for fresh values. */
  matched = 0;
  /** How often each recorded call was made. */
  readonly made: Map<Draft, number> = new Map();
  readonly stale: CallTally<StaleValue> = new CallTally();
  readonly unproven: CallTally<UnprovenValue> = new CallTally();
  readonly differing: CallTally<Difference> = new CallTally();
  readonly unknown: CallTally<{ readonly method: string; readonly url: string }> = new CallTally();

  /** Takes an exchange in. */
  readonly observe: Observer = ({ method, url }, { call, judgement, beyond }) => {
    if (beyond) return;
    this.sent++;
    if (call === undefined) return this.unknown.add({ method, url });
    this.made.set(call, (this.made.get(call) ?? 0) + 1);
    for (const stale of judgement.stale) this.stale.add(stale);
    for (const value of judgement.unproven) this.unproven.add(value);
    for (const difference of judgement.differing) this.differing.add(difference);
    if (judgement.stale.length + judgement.differing.length === 0) this.matched++;
  };
}
