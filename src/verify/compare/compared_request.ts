import type { Exchange } from "../../traffic/har/recording.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { Assessor } from "../evidence/assess.ts";
import type { MockUser } from "../mock/mock_user.ts";
import type { PlanRequest } from "../plan/plan_requests.ts";
import type { RecordedSession } from "../session/recorded_session.ts";
import type { FreshValues } from "../values/fresh_values.ts";
import type { Difference, StaleValue, UnprovenValue } from "./comparison.ts";

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
  /**
   * Values that the plan's extractors return from recorded responses, with these exchanges. A plan
   * that extracts a value must not send it as a literal.
   */
  readonly extracted: ReadonlyMap<string, ReadonlySet<Exchange>>;
}

/** What the comparison of one request has found so far. */
export interface Findings {
  readonly stale: StaleValue[];
  readonly differing: Difference[];
  readonly unproven: UnprovenValue[];
}
