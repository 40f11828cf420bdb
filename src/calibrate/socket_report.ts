import type { RateStats } from "../engine/summary/metric_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { socketName } from "../plan/kinds/names.ts";
import type { Step } from "../plan/kinds/steps.ts";

/** Counts and errors of the WebSocket sessions in a round. */
export interface SocketReport {
  /** Number of sessions that the plan tried to open. */
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
export function listSocketNames(flow: readonly Step[]): string[] {
  const names = [...listSteps(flow)].flatMap(({ websocket }) =>
    websocket === undefined ? [] : [socketName(websocket)]
  );
  return [...new Set(names)];
}

/** Reads the counts and errors of the WebSockets with these names from a summary. */
export function readSockets(
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
