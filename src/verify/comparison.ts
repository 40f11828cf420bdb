import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { Assessor } from "./assess.ts";
import type { FreshValues } from "./fresh_values.ts";
import type { MockUser } from "./mock_session.ts";
import type { PlanRequest } from "./plan_requests.ts";
import type { RecordedSession } from "./recorded_session.ts";

/**
 * Origin of a stale value: the recording, an earlier response to the same user, or a response to
 * another user.
 */
export type Staleness = "as recorded" | "from an earlier response" | "another user's";

/**
 * A value that a request still contains even though the mock server replaced it with a fresh one.
 * May contain recorded text.
 */
export interface StaleValue {
  readonly value: string;
  readonly why: Staleness;
  /** Name of the call that sent the value, such as `request 4 (POST /orders)`. */
  readonly call: string;
  /** Place in the request, such as `header x-csrf`. */
  readonly place: string;
  /** Name of the call whose response contains the value. */
  readonly producer: string;
  /**
   * Extractor to add to the plan. Undefined for cookies, which the cookie jar sends, if the plan
   * has one, and if no extractor returns the recorded value.
   */
  readonly extractor: Extractor | undefined;
  /** Template to write in place of the value. Empty if no variable contains the value. */
  readonly write: string;
}

/** Reason why a value is unproven. */
export type UnprovenReason =
  /**
   * An earlier response contains the value. The recording does not show whether the value changes.
   */
  | "response"
  /**
   * An earlier response contains the value, but the value looks like a constant of the application.
   */
  | "constant"
  /** The value looks random, and no earlier response contains it. */
  | "random"
  /** The recorded value is from a response, but the plan sends a different value in its place. */
  | "other value"
  /**
   * The plan takes the value from a response that contains it as the id of a different kind of
   * object.
   */
  | "other object"
  /**
   * The user typed the value. The plan sends it in each iteration, although the server may refuse
   * duplicates.
   */
  | "same text"
  /** The browser sent a cookie that no recorded response sets, and the plan does not send it. */
  | "cookie"
  /** The request deletes a row that the plan takes from a list by its position. */
  | "position";

/**
 * A recorded value that the plan sends or replaces, although the recording does not show whether
 * that is right. Contains recorded text.
 */
export interface UnprovenValue {
  readonly value: string;
  readonly reason: UnprovenReason;
  readonly call: string;
  readonly place: string;
  readonly producer: string | undefined;
  /**
   * Extractor that reads the value from the response of `producer`. Undefined if the plan has one,
   * or if no extractor returns the value.
   */
  readonly extractor: Extractor | undefined;
  /**
   * Template to write in place of the value. For the reason `same text`, an example such as
   * `TEXT-${unique}`. Empty if neither the plan nor `extractor` has a variable for it.
   */
  readonly write: string;
}

/** A place at which a request differs from its recorded call. Contains recorded text. */
export interface Difference {
  readonly call: string;
  readonly place: string;
  /** The recorded value at this place. Undefined if the recorded call has no such place. */
  readonly recorded: string | undefined;
  /** The sent value at this place. Undefined if the request has no such place. */
  readonly sent: string | undefined;
}

/** A request to compare with its recorded call. */
export interface ComparedRequest {
  readonly call: RecordedCall;
  readonly sent: RecordedCall;
  readonly user: MockUser;
  /** The request of the plan, or undefined if the request may come from any client. */
  readonly planned: PlanRequest | undefined;
  /**
   * True if the literals in the plan's requests are known. A sent value that is not one of them
   * then comes from a variable.
   */
  readonly hasPlan: boolean;
  readonly found: Findings;
}

/** A variable of the plan, and the entry from whose response it is extracted. */
export interface PlanVariable {
  readonly name: string;
  readonly entry: number;
  readonly recorded: string;
  /** True if the variable contains only the value by which it was found. */
  readonly isWhole: boolean;
  /** True if the extractor takes one of several rows of a list by its position. */
  readonly isByPosition: boolean;
}

/** Result of comparing a request with a recorded call. */
export interface Comparison extends Findings {
  /** The exchanges whose responses first contained the server-generated values of the request. */
  readonly sources: ReadonlySet<Exchange>;
}

/** The recorded session and facts about its values, for comparing requests with it. */
export interface ComparedSession {
  readonly session: RecordedSession;
  /** Values that the mock server generated instead of the recorded ones. */
  readonly values: FreshValues;
  readonly assessor: Assessor;
  /** Values that the mock server does not regenerate. */
  readonly kept: ReadonlySet<string>;
  /** Values that `calibrate` found to be the same in recorded and live responses. */
  readonly constants: ReadonlySet<string>;
  /** Variables of the plan that contain a value, by the value's key or by an extracted text. */
  readonly extracted: ReadonlyMap<string, readonly PlanVariable[]>;
}

/** What is found in one request. */
export interface Findings {
  readonly stale: StaleValue[];
  readonly differing: Difference[];
  readonly unproven: UnprovenValue[];
}

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
  sent: number;
  stale: number;
  unproven: number;
  differing: number;
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

  addAdded(request: AddedRequest): void {
    this.sent++;
    this.added.add(request);
  }

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

  get total(): number {
    return this.list().reduce((sum, { count }) => sum + count, 0);
  }

  add(item: Item): void {
    const key = JSON.stringify(item);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else this.#counts.set(key, { item, count: 1 });
  }

  list(): Counted<Item>[] {
    return [...this.#counts.values()].map(({ item, count }) => ({ ...item, count }));
  }
}
