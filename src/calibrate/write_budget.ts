import type { Outgoing } from "../http/sender.ts";
import { listRequests, listSteps } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { isSafeMethod, onlyReads } from "../traffic/session/changes_data.ts";
import type { RoundLoad } from "./attempts.ts";
import { PlanDraft } from "./draft.ts";
import { isWriteRequest } from "./literal_edit.ts";
import { MOST_TRIALS } from "./trial.ts";

export const MOST_PASSES = 3;
/** Numbers of users and iterations in a round that can prove that the plan works. */
export const PROVING_LOAD = { users: 2, iterations: 2 } as const;
export const LOADS: Readonly<Record<RoundLoad, typeof PROVING_LOAD | { users: 1; iterations: 1 }>> =
  {
    "one user": { users: 1, iterations: 1 },
    "lock step": PROVING_LOAD,
    "staggered": PROVING_LOAD,
  };
/** Maximum number of rounds with two users in lockstep. Such a round can prove the plan. */
export const MOST_PROVING_ROUNDS = 3;

/**
 * Numbers of requests and writes in a plan, and the maximum number of writes that a calibration
 * sends. Opening a WebSocket counts as a request and as a write.
 */
export interface PlannedCalls {
  readonly requests: number;
  readonly writes: number;
  readonly mostWrites: number;
}

/** Counts the requests and writes in the scenarios of a plan that replay a recording. */
export function plannedCalls(plan: Plan): PlannedCalls {
  const draft = new PlanDraft(plan);
  const replayed = draft.replayed();
  const indexes = [...replayed.values()].flat();
  const flows = [...replayed.keys()].map((name) => plan.scenarios[name].flow);
  // The messages of a WebSocket may write, so opening it counts as a write.
  const sockets = flows.map(countSockets).reduce((sum, count) => sum + count, 0);
  const writes = indexes.filter((index) => draft.isWrite(index)).length + sockets;
  const provingRounds = MOST_PROVING_ROUNDS + 1; // One more with staggered users.
  const iterations = MOST_PASSES +
    provingRounds * PROVING_LOAD.users * PROVING_LOAD.iterations;
  const around = [...plan.setup ?? [], ...plan.teardown ?? []];
  const writesAround = [...listRequests(around)].filter(isWriteRequest).length +
    countSockets(around);
  const rounds = (MOST_PASSES + provingRounds) * replayed.size;
  return {
    requests: indexes.length + sockets,
    writes,
    // Before each trial, the write is sent again unchanged.
    mostWrites: (writes === 0 ? 0 : writes * iterations + 2 * MOST_TRIALS) + writesAround * rounds,
  };
}

function countSockets(flow: readonly Step[]): number {
  return [...listSteps(flow)].filter(({ websocket }) => websocket !== undefined).length;
}
export class WriteBudget {
  readonly limit: number;
  sent = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get left(): number {
    return this.limit - this.sent;
  }

  /** Counts a request. Returns false if it must not be sent, because it would exceed the limit. */
  allows({ method, body }: Pick<Outgoing, "method" | "body">): boolean {
    if (isSafeMethod(method)) return true;
    if (body !== undefined && onlyReads(new TextDecoder().decode(body))) return true;
    if (this.sent >= this.limit) return false;
    this.sent++;
    return true;
  }
}
