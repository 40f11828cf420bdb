import { durationMs } from "../../../base/format.ts";
import type { Path } from "../../rules/diagnostic.ts";
import { isMap } from "../../../base/exact_number.ts";

/** Maximum number of VUs in a scenario. */
export const MAX_VUS = 1_000_000;
/** Maximum number of iterations per second that a scenario may start. */
export const MAX_RATE = 10_000_000;

/** A VU count or rate that exceeds its limit. */
export interface Excess {
  /** Path of the VU count or rate, relative to the scenario. */
  readonly below: Path;
  readonly message: string;
}

/**
 * Returns the VU counts and rates of a scenario that exceed their limits. Accepts scenarios that
 * have not been checked yet. `stageTargets` states whether the `target` of a stage is a VU count or
 * a rate.
 */
export function findExcess(
  scenario: Readonly<Record<string, unknown>>,
  stageTargets: "VUs" | "rates",
): Excess[] {
  const { stages, time_unit = "1s" } = scenario;
  const unitMs = typeof time_unit === "string" || typeof time_unit === "number"
    ? durationMs(time_unit) ?? NaN
    : NaN;
  const targets = (Array.isArray(stages) ? stages : [])
    .map((stage, i): Named => [["stages", i, "target"], isMap(stage) ? stage.target : undefined]);
  return [
    ...excess([...named(scenario, VUS), ...stageTargets === "VUs" ? targets : []], MAX_VUS, "VUs"),
    ...excess(
      [...named(scenario, RATES), ...stageTargets === "rates" ? targets : []],
      MAX_RATE * unitMs / 1_000,
      `iterations per \`time_unit\` (${MAX_RATE} per second)`,
    ),
  ];
}

const VUS = ["vus", "start_vus", "pre_allocated_vus", "max_vus"];
const RATES = ["rate", "peak_rate", "start_rate"];

type Named = readonly [below: Path, value: unknown];

function named(scenario: Readonly<Record<string, unknown>>, keys: readonly string[]): Named[] {
  return keys.map((key) => [[key], scenario[key]]);
}

function excess(values: readonly Named[], max: number, unit: string): Excess[] {
  return values
    .filter(([, value]) => typeof value === "number" && value > max)
    .map(([below, value]) => ({ below, message: `${value} exceeds the limit of ${max} ${unit}` }));
}
