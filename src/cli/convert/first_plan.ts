import { amendPlanText } from "../../plan/edits/amend_plan.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { parseThreshold } from "../../plan/rules/thresholds.ts";
import { readArgs } from "../command/args.ts";
import type { Command } from "../command/command.ts";
import { describeLoad, planFacts } from "../run/planned_load.ts";
import type { Io } from "../system/io.ts";

export interface PlanChoices {
  readonly input: string;
  readonly kind: "accesslog" | "har" | "profile";
  /** Base URL of the target, or undefined to keep the recorded one. */
  readonly baseUrl: string | undefined;
  /** Duration of a run, such as `1m`. */
  readonly duration: string;
  /** Thresholds of the plan, or null for none. */
  readonly thresholds: Plan["thresholds"] | null;
  /** True to replay the busiest part of a log, with the given duration. */
  readonly isFaithful: boolean;
}

export interface FirstPlan {
  readonly text: string;
  /** Load of a run, as one line. */
  readonly load: string;
}

/**
 * Converts the input and adds the target, the duration and the thresholds to the plan. Prints the
 * warnings of the conversion. Files that the plan reads are written next to `path`, the path of the
 * plan. `convert` is the `rehearse convert` command. Throws the same errors as `convert`.
 */
export async function buildFirstPlan(
  choices: PlanChoices,
  path: string,
  convert: Command,
  io: Io,
): Promise<FirstPlan> {
  const { input, kind, baseUrl, duration, thresholds, isFaithful } = choices;
  const target = baseUrl === undefined ? [] : ["--base-url", baseUrl];
  const options = kind === "har"
    ? ["--checks", "--think-time"]
    : isFaithful
    ? ["--faithful", "--busiest", duration, "-o", path, ...target]
    : ["--duration", duration, ...target];
  // The name of the input may suggest a different kind than its content.
  const from = kind === "profile" ? [] : ["--from", kind];
  let text = "";
  const args = readArgs([...options, ...from, "--", input], convert.flags);
  const stdout = { write: (part: string) => void (text += part), columns: () => undefined };
  await convert.run(args, { ...io, stdout });
  if (isFaithful) text = await Deno.readTextFile(path);
  const { plan } = loadPlan(text);
  if (plan === undefined) throw new Error("the converted plan is invalid");
  const { defaults, scenarios } = plan;
  const http = { ...defaults?.http, base_url: baseUrl };
  const changed: Plan = {
    ...plan,
    ...(baseUrl !== undefined && { defaults: { ...defaults, http } }),
    scenarios: kind === "har" ? repeated(scenarios, duration) : scenarios,
    ...(thresholds && { thresholds }),
  };
  return {
    text: amendPlanText(text, changed) ?? printPlan(changed, []),
    load: describeLoad(planFacts(changed)),
  };
}

/** Maximum rate at which a VU repeats a session, which limits only sessions with short pauses. */
const ITERATIONS_PER_SECOND = 1;

/** Returns scenarios in which one user repeats the recorded session for a set duration. */
function repeated(scenarios: Plan["scenarios"], duration: string): Plan["scenarios"] {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => {
      if (scenario.executor !== "per-vu-iterations") return [name, scenario];
      const { iterations: _iterations, max_duration: _limit, ...rest } = scenario;
      const pacing = { iterations_per_second: ITERATIONS_PER_SECOND };
      return [name, { ...rest, executor: "constant-vus", duration, pacing }];
    }),
  );
}

/** Default pass criteria of a plan: a limit on response times and a limit on failed requests. */
export const DEFAULT_CRITERIA = "p(95)<500ms, failed<1%";

const FAILED = /^(?:failed|errors?)\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(%?)$/i;

/**
 * Parses pass criteria, such as `p(95)<500ms, failed<1%`, into the thresholds of a plan. Returns
 * null for `none`, and undefined if a criterion is invalid.
 */
export function parseCriteria(text: string): Record<string, string[]> | null | undefined {
  const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
  if (parts.length === 0 || text.trim().toLowerCase() === "none") return null;
  const thresholds: Record<string, string[]> = {};
  for (const part of parts) {
    const criterion = parseCriterion(part);
    if (criterion === undefined) return undefined;
    const [metric, expression] = criterion;
    (thresholds[metric] ??= []).push(expression);
  }
  return thresholds;
}

function parseCriterion(text: string): [metric: string, expression: string] | undefined {
  const failed = FAILED.exec(text);
  if (failed !== null) {
    const [, operator, number, unit] = failed;
    const share = unit === "%" ? Number((Number(number) / 100).toPrecision(12)) : Number(number);
    return share < 1 ? ["http_req_failed", `rate${operator}${share}`] : undefined;
  }
  const expression = text.replace(/^p(\d+(?:\.\d+)?)/, "p($1)").replace(/\s+/g, "");
  try {
    const { aggregation } = parseThreshold(expression);
    const isTime = ["p", "avg", "med", "max", "min"].includes(aggregation);
    return isTime ? ["http_req_duration", expression] : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
