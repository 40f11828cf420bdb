import type { RateStats } from "../engine/summary/flow_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { conditionName, type Request, socketName } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";

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
  };
}

/** Functions that find a request in a plan and report whether it may change data. */
export interface RequestFinder {
  indexOf(request: Request): number | undefined;
  isWrite(index: number): boolean;
}

/**
 * Finds the calls after which a message did not arrive for which an `expect` step of a flow waited,
 * by the errors of the WebSockets. Such a call is the last write since the plan sent or awaited
 * another message, or the last request if there was no write.
 */
export function findEarlyCalls(
  flow: readonly Step[],
  { errors }: SocketReport,
  { indexOf, isWrite }: RequestFinder,
): EarlyCall[] {
  const names = listSocketNames(flow);
  let since: number[] = [];
  return [...listSteps(flow)].flatMap(({ request, expect, send, websocket }): EarlyCall[] => {
    const index = request && indexOf(request);
    if (index !== undefined) since.push(index);
    const start = expect && startOfError(expect);
    const error = start &&
      errors.find((one) => names.some((name) => one.startsWith(`${name}: ${start}`)));
    const cause = since.findLast(isWrite) ?? since.at(-1);
    if (expect ?? send ?? websocket) since = [];
    return error === undefined || cause === undefined ? [] : [{ index: cause, error }];
  });
}

/** Returns the beginning of the error message of an `expect` step whose message did not arrive. */
function startOfError({ condition }: NonNullable<Step["expect"]>): string {
  return condition === undefined
    ? "no message within "
    : `no message with \`${conditionName(condition)}\` within `;
}

/** Reads from the summary of a round what happened to the WebSockets of a flow, if it has any. */
export function readRoundSockets(
  summary: Summary,
  flow: readonly Step[],
  finder: RequestFinder,
): SocketReport | undefined {
  const found = readSockets(summary, listSocketNames(flow));
  if (found === undefined || found.failed === 0) return found;
  return { ...found, early: findEarlyCalls(flow, found, finder) };
}
