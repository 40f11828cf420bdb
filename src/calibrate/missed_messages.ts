import type { Summary } from "../engine/summary/summary.ts";
import { conditionName } from "../plan/kinds/names.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { type CallOutcome, isAsRecorded } from "./attempts.ts";
import { listSocketNames, readSockets, type SocketReport } from "./socket_report.ts";

/** A message that an `expect` step waited for, but that did not arrive. */
export interface MissedMessage {
  /** Indexes of the requests before the `expect` step, in the order of the plan. */
  readonly before: readonly number[];
  /**
   * Index of the request that most likely causes the message. Considers only requests since the
   * plan last sent or awaited another message: the last write among them, or the last request if
   * there was no write. Undefined if there was no such request.
   */
  readonly cause?: number;
  /** Error message of the `expect` step. */
  readonly error: string;
}

/** Functions that find a request in a plan and report whether it may change data. */
export interface RequestFinder {
  indexOf(request: Request): number | undefined;
  isWrite(index: number): boolean;
}

/**
 * Uses the errors of WebSockets to find the messages that the `expect` steps of a flow waited for,
 * but that did not arrive.
 */
export function findMissedMessages(
  flow: readonly Step[],
  { errors }: SocketReport,
  { indexOf, isWrite }: RequestFinder,
): MissedMessage[] {
  const names = listSocketNames(flow);
  const before: number[] = [];
  let since: number[] = [];
  const missed: MissedMessage[] = [];
  for (const { request, expect, send, websocket } of listSteps(flow)) {
    const index = request && indexOf(request);
    if (index !== undefined) {
      before.push(index);
      since.push(index);
    }
    const start = expect && startOfError(expect);
    const error = start &&
      errors.find((one) => names.some((name) => one.startsWith(`${name}: ${start}`)));
    if (error !== undefined) {
      const cause = since.findLast(isWrite) ?? since.at(-1);
      missed.push({ before: [...before], error, ...(cause !== undefined && { cause }) });
    }
    if (expect ?? send ?? websocket) since = [];
  }
  return missed;
}

/** Returns the beginning of the error message of an `expect` step whose message did not arrive. */
function startOfError({ condition }: NonNullable<Step["expect"]>): string {
  return condition === undefined
    ? "no message within "
    : `no message with \`${conditionName(condition)}\` within `;
}

/** Outcomes of the calls in a round, and functions that find the calls' requests in the plan. */
export interface RoundCalls extends RequestFinder {
  readonly outcomes: readonly CallOutcome[];
  /** Total number of iterations of all users. */
  readonly iterations: number;
}

/**
 * Reads from the summary of a round what happened to the WebSockets of a flow, and which calls
 * explain it. Returns undefined if the flow has no WebSocket.
 */
export function readRoundSockets(
  summary: Summary,
  flow: readonly Step[],
  calls: RoundCalls,
): SocketReport | undefined {
  const found = readSockets(summary, listSocketNames(flow));
  if (found === undefined || found.failed === 0) return found;
  const missed = findMissedMessages(flow, found, calls);
  const early = missed.flatMap(({ cause, error }) =>
    cause === undefined ? [] : [{ index: cause, error }]
  );
  const isConsequence = areConsequences(found, missed, calls.outcomes, calls.iterations);
  return { ...found, early, ...(isConsequence && { isConsequence }) };
}

/**
 * Reports whether failed calls explain all errors of the WebSockets in a round: only messages are
 * missing, and in each iteration, a call before the step that waited for the message failed.
 * `iterations` is the total number of iterations of all users.
 */
export function areConsequences(
  { errors }: SocketReport,
  missed: readonly MissedMessage[],
  outcomes: readonly CallOutcome[],
  iterations: number,
): boolean {
  const known = [
    ...Map.groupBy(outcomes, ({ user, iteration }) => `${user} ${iteration}`).values(),
  ];
  return errors.length > 0 && known.length === iterations &&
    errors.every((error) => missed.some((one) => one.error === error)) &&
    missed.every(({ before }) =>
      known.every((own) =>
        own.some((outcome) => !isAsRecorded(outcome) && before.includes(outcome.index))
      )
    );
}
