import { plural } from "../base/format.ts";
import type { Outgoing } from "../http/sender.ts";
import type { CallOutcome } from "./call_outcome.ts";
import { findLoginDemand } from "../outcome/refusal.ts";
import type { RecordedSide, RecordedStep } from "./recorded_side.ts";
import type { RepeatedRequest } from "./repeated_requests.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import { findUnsentHeaders } from "./unsent_headers.ts";
import type { UserIteration } from "./user_iteration.ts";

/** A recorded call, and a live response to it that is as recorded. */
export interface Evidence {
  readonly step: RecordedStep;
  readonly last: ResponseSnapshot;
}

/** The outcome of a call, and the evidence that its response provides, if any. */
export interface Judged {
  readonly outcome: CallOutcome;
  readonly evidence?: Evidence;
  /** The recorded and the live response that were compared. */
  readonly compared?: { readonly recorded: ResponseSnapshot; readonly live: ResponseSnapshot };
  /** The last live response. Absent if there was no response. */
  readonly live?: ResponseSnapshot;
  /** True if a `retry` step repeats the request, so that the call has no outcome yet. */
  readonly isOpen?: true;
}

/**
 * Judges an attempt at a request that a `retry` step may repeat. The live server may need more or
 * fewer attempts than the recorded one, so only the last attempt is compared with the recording. If
 * the condition of the step is still false after the last attempt, the call does not match the
 * recording. If an attempt has a non-2xx status, that attempt is the outcome of the call.
 */
export function judgeAttempt(
  user: UserIteration,
  judged: Judged,
  repeated: RepeatedRequest | undefined,
): Judged {
  if (repeated === undefined) return judged;
  const { outcome, live } = judged;
  const { index } = outcome;
  const attempt = (user.attempts.get(index) ?? 0) + 1;
  user.attempts.set(index, attempt);
  if (user.ended.has(index)) return { outcome, isOpen: true };
  if (live !== undefined && repeated.isEnd(live)) {
    user.attempts.delete(index);
    return judged;
  }
  const isWorking = live !== undefined && live.status >= 200 && live.status < 300;
  if (isWorking && attempt < repeated.attempts) return { outcome, isOpen: true };
  user.ended.add(index);
  if (!isWorking) return judged;
  const difference = {
    kind: "condition",
    recorded: repeated.condition,
    live: plural(attempt, "attempt"),
  } as const;
  return { outcome: { ...outcome, differences: [difference, ...outcome.differences] }, live };
}

/**
 * Finds possible reasons why the response `live` to the request `sent` is not as recorded: a
 * refused login, and recorded headers that the request lacks. `refusal` is the text in the response
 * that reads like a refusal, if any. `recorded` contains all recorded calls.
 */
export function findReasons(
  { exchange, call, response }: RecordedStep,
  live: ResponseSnapshot,
  sent: Outgoing,
  refusal: string | undefined,
  recorded: RecordedSide,
): Pick<CallOutcome, "demand" | "unsentHeaders"> {
  const { method, url } = exchange.request;
  const shown = {
    recorded: response,
    live,
    method,
    url,
    ...(refusal !== undefined && { refusal }),
  };
  const demand = findLoginDemand(shown, (path) => recorded.isLoginPage(path));
  const unsentHeaders = findUnsentHeaders(call, sent, live);
  return { ...(demand && { demand }), ...(unsentHeaders && { unsentHeaders }) };
}
