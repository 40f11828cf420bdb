import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { realClock } from "../../engine/clock/real_clock.ts";
import type { RunOptions } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { leadRun } from "../../fleet/lead_run.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { parseWholeNumber } from "../command/args.ts";
import type { Args } from "../command/command.ts";
import { VERSION } from "../../base/release.ts";
import { openFleet, parseDuration } from "./open_fleet.ts";

/** Default of `--orphan-timeout` in ms. */
const ORPHAN_MS = 60_000;

/** Options of `run` that cannot be combined with `--fleet`, and what to do instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  once: "run the plan without --fleet",
  shard: "each `rehearse join` gets its own shard",
  workers: "pass it to `rehearse join`",
};

/**
 * Checks the options of a run with `--fleet`, and the outputs of its plan. Throws UsageError if the
 * options contradict each other, the number of shards is missing, or an output writes individual
 * samples.
 */
export function checkFleetOptions(args: Args, { outputs = [] }: Plan): void {
  for (const [name, advice] of Object.entries(ELSEWHERE)) {
    if (args.has(name)) {
      throw new UsageError(`--${name} cannot be combined with --fleet: ${advice}`);
    }
  }
  if (!args.has("shards")) {
    throw new UsageError("--fleet needs the number of shards: add `--shards N`");
  }
  const local = outputs.find(({ type }) => type === "json" || type === "csv");
  if (local !== undefined) {
    throw new UsageError(
      `the output \`${local.type}\` writes individual samples, which a fleet does not collect; remove it, ` +
        "or run without --fleet",
    );
  }
}

/** Leads a fleet that runs a plan, using the command-line options. */
export async function leadFleet(
  plan: Plan,
  options: Pick<
    RunOptions,
    "readFile" | "seed" | "stop" | "kill" | "outputs" | "details" | "onTick"
  >,
  args: Args,
  show: (text: string) => void,
): Promise<Summary> {
  const note = (text: string) => show(safeText(hidePasswords(text)));
  const orphanMs = parseDuration(args, "orphan-timeout") ?? ORPHAN_MS;
  const tolerateLost = parseWholeNumber(args, "tolerate-lost") ?? 0;
  const shards = parseWholeNumber(args, "shards", 1, 100_000)!;
  const fleet = await openFleet(args.text("fleet")!, args, note);
  const clock = realClock();
  try {
    return await leadRun(plan, {
      ...options,
      ...fleet,
      clock,
      version: VERSION,
      shards,
      orphanMs,
      tolerateLost,
      unixNow: Date.now,
      note,
    });
  } finally {
    await fleet.channel.bus.close();
    clock.close();
  }
}
