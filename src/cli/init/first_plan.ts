import { amendPlanText } from "../../plan/amend/amend_plan_text.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { readArgs } from "../command/args.ts";
import type { Command } from "../command/command.ts";
import type { Io } from "../system/io.ts";

/** The choices that `rehearse init` asks the user to make. */
export interface PlanChoices {
  /** Path of the access log or the HAR. */
  readonly input: string;
  readonly kind: "accesslog" | "har" | "profile";
  /** Base URL of the target, or undefined to keep the recorded one. */
  readonly baseUrl: string | undefined;
  /** Duration of a run, such as `1m`. */
  readonly duration: string;
  readonly thresholds: Plan["thresholds"];
}

/**
 * Converts the input and adds the target, the duration and the thresholds to the plan. Prints the
 * warnings of the conversion. `convert` is the `rehearse convert` command. Returns the text of the
 * plan. Throws the same errors as `convert`.
 */
export async function buildFirstPlan(
  choices: PlanChoices,
  convert: Command,
  io: Io,
): Promise<string> {
  const { input, kind, baseUrl, duration, thresholds } = choices;
  const target = baseUrl === undefined ? [] : ["--base-url", baseUrl];
  const options = kind === "har"
    ? ["--correlate", "all", "--checks"]
    : ["--duration", duration, ...target];
  // The name of the input may suggest a different kind than its content.
  const from = kind === "profile" ? [] : ["--from", kind];
  let text = "";
  const args = readArgs([...options, ...from, "--", input], convert.flags);
  const stdout = { write: (part: string) => void (text += part), columns: () => undefined };
  await convert.run(args, { ...io, stdout });
  const { plan } = await loadPlan(text);
  if (plan === undefined) throw new Error("the converted plan is invalid");
  const { defaults, scenarios } = plan;
  const http = { ...defaults?.http, base_url: baseUrl };
  const changed: Plan = {
    ...plan,
    ...(baseUrl !== undefined && { defaults: { ...defaults, http } }),
    scenarios: kind === "har" ? repeated(scenarios, duration) : scenarios,
    ...(thresholds && { thresholds }),
  };
  return await amendPlanText(text, changed) ?? printPlan(changed, []);
}

/** Returns scenarios in which one user repeats the recorded session for a set duration. */
function repeated(scenarios: Plan["scenarios"], duration: string): Plan["scenarios"] {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => {
      if (scenario.executor !== "per-vu-iterations") return [name, scenario];
      const { iterations: _iterations, max_duration: _limit, ...rest } = scenario;
      return [name, { ...rest, executor: "constant-vus", duration }];
    }),
  );
}
