import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { realClock } from "../../engine/clock/real_clock.ts";
import type { RunOptions } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { leadRun } from "../../fleet/lead_run.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { VERSION } from "../../base/release.ts";
import { openFleet } from "./open_fleet.ts";

/** Throws UsageError if an output of a plan writes individual samples, which a fleet cannot do. */
export function refuseSampleOutputs({ outputs = [] }: Plan): void {
  const local = outputs.find(({ type }) => type === "json" || type === "csv");
  if (local !== undefined) {
    throw new UsageError(
      `the output \`${local.type}\` writes individual samples, which a fleet does not collect; remove it, ` +
        "or run without --fleet",
    );
  }
}

/** Options of `run` for a fleet. */
export interface FleetOptions {
  readonly fleet: string | undefined;
  readonly shards: number | undefined;
  readonly joinTimeout: number;
  readonly orphanTimeout: number;
  readonly tolerateLost: number;
}

/** Leads a fleet that runs a plan, using the command-line options. */
export async function leadFleet(
  plan: Plan,
  options: Pick<
    RunOptions,
    "readFile" | "seed" | "stop" | "kill" | "outputs" | "details" | "onTick"
  >,
  { fleet: address, shards, joinTimeout, orphanTimeout, tolerateLost }: FleetOptions,
  show: (text: string) => void,
): Promise<Summary> {
  const note = (text: string) => show(safeText(hidePasswords(text)));
  const fleet = await openFleet(address!, joinTimeout, note);
  const clock = realClock();
  try {
    return await leadRun(plan, {
      ...options,
      ...fleet,
      clock,
      version: VERSION,
      shards: shards!,
      orphanMs: orphanTimeout,
      tolerateLost,
      unixNow: Date.now,
      note,
    });
  } finally {
    await fleet.channel.bus.close();
    clock.close();
  }
}
