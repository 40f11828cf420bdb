import { UsageError } from "../../base/errors.ts";
import { formatThousands } from "../../base/format.ts";
import { maxVus } from "../../plan/kinds/executors/executors.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/** Maximum number of VUs of a run on one machine. */
export const MACHINE_VUS = 100_000;
/** Number of VUs above which a run may reach the machine's limit on open files. */
const MANY_FILES = 10_000;

/** Returns the maximum number of VUs of a plan: the sum of the maximums of its scenarios. */
export function totalVus({ scenarios }: Plan): number {
  return Object.values(scenarios).reduce((sum, scenario) => sum + maxVus(scenario), 0);
}

/** Throws a UsageError if one machine cannot run the given number of VUs. */
export function checkVus(vus: number): void {
  if (vus <= MACHINE_VUS) return;
  throw new UsageError(
    `cannot run ${formatThousands(vus)} VUs on one machine: the limit is ${
      formatThousands(MACHINE_VUS)
    }; use fewer VUs, or divide them among machines with \`--shard\` or \`--fleet\``,
  );
}

/**
 * Returns a line that asks the user to check the limit on open files before a run with many VUs.
 * Returns an empty string for other runs.
 */
export function openFilesNote(vus: number): string {
  if (vus <= MANY_FILES) return "";
  return `warning: ${formatThousands(vus)} VUs may open at least that many connections: ` +
    "`ulimit -n` must print a higher number; otherwise raise the limit or use fewer VUs\n";
}
