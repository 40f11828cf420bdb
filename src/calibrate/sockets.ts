import type { RateStats } from "../engine/summary/flow_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { conditionName, type Request, socketName } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { type CallOutcome, isAsRecorded } from "./attempts.ts";

/** Counts and errors of the WebSocket sessions in a round. */
export interface SocketReport {
  readonly sessions: number;
  /**
   * Number of sessions that failed because they could not be opened, ended early or did not receive
   * an expected message.
   */
  readonly failed: number;
  /** Messages of the first errors of each kind. */
  readonly errors: readonly string[];
  /** Calls that the plan may have sent too early, so that the expected message did not arrive. */
  readonly early?: readonly EarlyCall[];
  /** True if failed calls explain all failed sessions. */
  readonly isConsequence?: true;
}

/** A call after which an awaited message did not arrive. */
export interface EarlyCall {
  /** Zero-based index of the call. */
  readonly index: number;
  /** Error of the step that waited for the message. */
  readonly error: string;
}

/** Returns the names of the WebSockets in a flow, each once. */
function listSocketNames(flow: readonly Step[]): string[] {
  const names = [...listSteps(flow)].flatMap(({ websocket }) =>
    websocket === undefined ? [] : [socketName(websocket)]
  );
  return [...new Set(names)];
}

/** Reads the counts and errors of the WebSockets with these names from a summary. */
function readSockets(
  { metrics, errors }: Summary,
  names: readonly string[],
): SocketReport | undefined {
  const rate = metrics.ws_session_failed as RateStats | undefined;
  if (rate === undefined || names.length === 0) return undefined;
  const own = errors.filter(({ name }) => names.includes(name));
  return {
    sessions: rate.passes + rate.fails,
    failed: rate.passes,
    errors: rate.passes === 0 ? [] : own.map(({ name, message }) => `${name}: ${message}`),
  };
}

/** Returns the sum of two reports. */
export function addSockets(one: SocketReport | undefined, other: SocketReport): SocketReport {
  if (one === undefined) return other;
  return {
    sessions: one.sessions + other.sessions,
    failed: one.failed + other.failed,
    errors: [...one.errors, ...other.errors],
    early: [...one.early ?? [], ...other.early ?? []],
    ...([one, other].every(isExplained) && { isConsequence: true }),
  };
}

/**
 * Reports whether failed calls explain all failures of WebSockets. Returns true if no WebSocket
 * failed.
 */
export function isExplained({ failed, isConsequence }: SocketReport): boolean {
  return failed === 0 || isConsequence === true;
}

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

export interface RoundCalls extends RequestFinder {
  readonly outcomes: readonly CallOutcome[];
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
