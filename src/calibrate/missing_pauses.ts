import { durationMs } from "../base/format.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import type { ThinkTime } from "../plan/kinds/think_time.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import { isWriteRequest } from "./write_budget.ts";

/** Longest pause that `calibrate` tries before a call, in milliseconds. */
export const LONGEST_PAUSE_MS = 30_000;
/** Shortest recorded pause whose absence can cause a call to fail, in milliseconds. */
const SHORTEST_PAUSE_MS = 50;

/**
 * Returns the recorded pauses that a plan leaves out, in whole milliseconds, by index of the
 * request. The pause before a call starts at the end of the last write, because the server may
 * still be processing it, or at the end of the preceding call if no write precedes it. The think
 * times of the plan count as part of the pause. Omits pauses below 50 ms, and shortens those above
 * 30 s. Omits requests that a `retry` step repeats.
 */
export function findMissingPauses(
  plan: Plan,
  draft: PlanDraft,
  recorded: RecordedSide,
): Map<number, number> {
  const missing = new Map<number, number>();
  for (const { flow } of Object.values(plan.scenarios)) {
    let last: Reference | undefined;
    for (const { think_time, request } of listSteps(flow)) {
      if (think_time !== undefined && last !== undefined) last.planned += typicalMs(think_time);
      const index = request === undefined ? undefined : draft.indexOf(request);
      const step = index === undefined ? undefined : recorded.at(index);
      if (index === undefined || step === undefined) continue;
      const { startedAt, endedAt } = step.exchange;
      const pause = last === undefined ? 0 : Math.round(startedAt - last.endedAt - last.planned);
      const isRepeated = draft.repeatedAt(index) !== undefined; // A `retry` step has its own pauses.
      if (!isRepeated && pause >= SHORTEST_PAUSE_MS) {
        missing.set(index, Math.min(pause, LONGEST_PAUSE_MS));
      }
      const isWrite = isWriteRequest(draft.at(index));
      if (isWrite || !last?.isWrite) last = { endedAt, planned: 0, isWrite };
    }
  }
  return missing;
}

/** The recorded call after which a pause starts. */
interface Reference {
  readonly endedAt: number;
  readonly isWrite: boolean;
  /** Sum of the plan's think times after this call, in milliseconds. */
  planned: number;
}

/** Returns the mean length of a pause in the plan, in milliseconds. */
function typicalMs(pause: ThinkTime): number {
  if (typeof pause !== "object") return durationMs(pause) ?? 0;
  switch (pause.type) {
    case "constant":
      return durationMs(pause.duration) ?? 0;
    case "uniform":
      return ((durationMs(pause.min) ?? 0) + (durationMs(pause.max) ?? 0)) / 2;
    case "gaussian":
      return durationMs(pause.mean) ?? 0;
  }
}
