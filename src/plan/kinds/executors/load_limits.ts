import { durationMs } from "../../../base/duration.ts";
import type { Path } from "../../rules/diagnostic.ts";
import { isMap } from "../../../base/exact_number.ts";

/** Maximum number of VUs of a scenario. */
export const MAX_VUS = 1_000_000;
/** Maximum number of iterations that a scenario starts per second. */
export const MAX_RATE = 10_000_000;

/** A number in a scenario that exceeds a limit. */
export interface Excess {
  /** Path of the number, relative to the scenario. */
  readonly below: Path;
  readonly message: string;
}

/**
 * Returns the numbers of VUs and the rates in a scenario that exceed what any machine can run. The
 * scenario need not be valid. `stageTargets` is what the targets of its stages are.
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
const RATES = ["rate", "start_rate"];

type Named = readonly [below: Path, value: unknown];

function named(scenario: Readonly<Record<string, unknown>>, keys: readonly string[]): Named[] {
  return keys.map((key) => [[key], scenario[key]]);
}

function excess(values: readonly Named[], max: number, unit: string): Excess[] {
  return values
    .filter(([, value]) => typeof value === "number" && value > max)
    .map(([below, value]) => ({ below, message: `${value} exceeds the limit of ${max} ${unit}` }));
}
