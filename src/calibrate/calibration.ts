import type { ContentDifference } from "../outcome/content.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Overload, RateLimitReport } from "./live_target.ts";
import type { VariableUses } from "./draft.ts";
import type { ComparedMessages } from "./messages.ts";
import type { MovedRequest } from "./flow_edits.ts";
import type { NeededPause } from "./pause_trial.ts";
import type { ExtractedRepair, ReceivedRepair, RemovedVariable, UniqueRepair } from "./trial.ts";
import type { ConstantVariable } from "./variable_watch.ts";
import type { LiveVerdict } from "./verdicts.ts";

export interface SocketReport {
  readonly sessions: number;
  /**
   * Number of sessions that failed because they could not be opened, ended early or did not receive
   * an expected message.
   */
  readonly failed: number;
  readonly errors: readonly string[];
}

/** A round of a calibration: one run of the plan by one or several users. */
export interface RoundReport {
  readonly name: string;
  readonly users: number;
  readonly iterations: number;
  /** True if the second user started when the first had sent half of the calls. */
  readonly staggered?: true;
  /**
   * True if each user omitted some recorded pauses in one iteration and kept them in the other, to
   * show whether calls need them.
   */
  readonly alternated?: true;
  readonly asRecorded: number;
  readonly calls: number;
  readonly repairs: number;
  readonly writes: number;
  readonly sockets?: SocketReport;
}

/** A content difference, and the number of the responses in which it occurs. */
export interface CountedDifference extends Omit<ContentDifference, "path"> {
  readonly responses: number;
}

/** A WebSocket or a response that is not compared with the recording, or only in part. */
export interface Uncompared {
  /** Zero-based index of the request whose response is not compared. Undefined for a WebSocket. */
  readonly index?: number;
  readonly name: string;
  readonly what:
    | "messages"
    | "events"
    | "events before the last one"
    | "body (not in the recording)";
  /**
   * Zero-based indexes of the requests that send a recorded value that the missing body may have
   * contained, because no other recorded response contains it. Absent if there are none.
   */
  readonly senders?: readonly number[];
}

/** Verdict on a call of the plan. */
export interface CalibratedCall extends LiveVerdict {
  readonly name: string;
  readonly scenario: string;
  /** One-based index of the call's entry in the recording. */
  readonly entry?: number;
  /** Does not affect the verdict. Absent if nothing differs. */
  readonly content?: readonly CountedDifference[];
}

export interface SocketFailure extends SocketReport {
  readonly round: string;
}

/** The result of calibrating a plan. May contain recorded and live text. */
export interface Calibration {
  readonly target: string;
  /**
   * True if a whole round of two users in two iterations, without repairs, shows that every call
   * did its work: each verdict is good, every recorded write was sent, and no WebSocket failed.
   */
  readonly proven: boolean;
  /**
   * Absent if the plan contains all repairs. Otherwise, some did harm, and the plan is without
   * them, or the given one without any change.
   */
  readonly kept?: "given" | "reduced";
  /**
   * Descriptions of the repairs that did harm, and zero-based indexes of the calls that work only
   * without them. Absent if the plan contains all repairs.
   */
  readonly discarded?: { readonly repairs: readonly string[]; readonly calls: readonly number[] };
  readonly interrupted?: true;
  readonly overload?: Overload;
  /** Limit of the total waiting time, in milliseconds. Absent unless a wait would exceed it. */
  readonly patienceMs?: number;
  readonly rateLimit?: RateLimitReport;
  /** As `proven`, but accepts differences that are due to a different state of the application. */
  readonly exceptState: boolean;
  readonly calls: readonly CalibratedCall[];
  readonly socketFailure?: SocketFailure;
  /** Compared messages of the last round. Differences do not affect `proven`. */
  readonly messages: readonly ComparedMessages[];
  /** WebSockets and responses that were compared only in part, or not at all. */
  readonly uncompared: readonly Uncompared[];
  /** Recorded writes that the plan neither sends nor lists in `recorded.left_out`. */
  readonly missing: readonly { readonly entry: number; readonly name: string }[];
  /** Calls that fail if users send them in lockstep, but not if the users are staggered. */
  readonly conflicts: readonly Pick<
    LiveVerdict,
    "index" | "user" | "iteration" | "differences"
  >[];
  /** True if all users log in as the recorded user, and one may have disturbed the other. */
  readonly sharedLogin?: true;
  readonly rounds: readonly RoundReport[];
  readonly writes: { readonly sent: number; readonly limit: number };
  readonly extracted: readonly (ExtractedRepair & VariableUses)[];
  readonly received: readonly ReceivedRepair[];
  readonly unique: readonly UniqueRepair[];
  readonly pauses: readonly NeededPause[];
  readonly moved: readonly MovedRequest[];
  readonly removed: readonly RemovedVariable[];
  readonly constants: readonly ConstantVariable[];
  readonly explanation: readonly string[];
}

/** A calibration, and the plan that results from it. */
export interface CalibratedPlan {
  readonly calibration: Calibration;
  readonly plan: Plan;
  readonly unpaused: Plan;
  readonly edits: number;
}
