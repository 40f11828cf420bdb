import type { Recording } from "../traffic/har/recording.ts";
import type { AimedPlan } from "./aimed_plan.ts";
import type { CalibratedPlan } from "./calibration.ts";
import type { CalibrationOptions } from "./calibration_options.ts";
import { Calibrator } from "./calibrator.ts";
import { collapseDefaultHeaders, inlineDefaultHeaders } from "./default_headers.ts";
import { insertPauses } from "./insert_pauses.ts";
import { moveOverlapped } from "./overlapped_requests.ts";
import { PlanDraft } from "./plan_draft.ts";
import { readRecordedSide } from "./recorded_side.ts";

/**
 * Runs a plan against a live application, compares each response with the recorded one, and repairs
 * the plan based on the differences. Throws InputError if the plan cannot run.
 */
export async function calibratePlan(
  { plan: aimed, recorded: origin, target }: AimedPlan,
  recording: Recording,
  options: CalibrationOptions,
): Promise<CalibratedPlan> {
  const { plan: given, moved } = moveOverlapped(aimed, recording);
  const draft = new PlanDraft(given);
  const entries = taggedEntries(draft);
  const plan = inlineDefaultHeaders(given);
  const recorded = readRecordedSide(
    recording,
    entries,
    { recorded: origin, target },
    {
      areTogether: (index, other) => draft.areTogether(index, other),
      requestAt: (index) => draft.at(index),
    },
  );
  const calibrator = new Calibrator(plan, recorded, target, recording, options);
  await calibrator.run();
  const report = calibrator.report();
  if (report.kept === "given") {
    const calibration = { ...report, pauses: [], possiblePauses: [], moved: [] };
    return { calibration, plan: aimed, unpaused: aimed, edits: 0 };
  }
  const calibration = { ...report, moved };
  const pauses = [...calibration.pauses, ...calibration.possiblePauses];
  const repaired = collapseDefaultHeaders(calibrator.calibratedPlan(calibration), given);
  return {
    calibration,
    plan: insertPauses(repaired, pauses),
    unpaused: repaired,
    edits: calibrator.draft.edits + pauses.length + moved.length,
  };
}

function taggedEntries(draft: PlanDraft): Map<number, number> {
  const entries = new Map<number, number>();
  for (let index = 0; index < draft.size; index++) {
    const entry = draft.entryOf(index);
    if (entry !== undefined) entries.set(index, entry);
  }
  return entries;
}
