import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { printPlan } from "../../plan/print.ts";
import type { Scenario } from "../../plan/kinds/executors.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literal } from "../../plan/text/template.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { withoutSecretFields } from "../../traffic/session/without_secrets.ts";
import type { RunGiven } from "./run_options.ts";

/** Number of VUs unless `--vus` is given. */
const VUS = 10;
/** Duration of the load unless `--duration` is given. */
const DURATION = "10s";
/** Maximum number of VUs for `--rate` unless `--vus` is given. */
const MAX_VUS = 1_000;

/** Options that have no effect on a plan with one request to an absolute URL. */
const WITHOUT_EFFECT = ["base-url", "env", "scenario", "var", "rate-scale"];

/** Options of `run` for a URL. */
export type QuickOptions =
  & Pick<RunGiven, "vus" | "iterations" | "args">
  & Partial<Pick<RunGiven, "rate">>;

/**
 * Creates a plan that sends GET requests to `url`, with the load that the options specify: VUs
 * without pauses (`--vus`), a number of requests (`--iterations`), or requests per second
 * (`--rate`). Throws UsageError if the URL is invalid or an option has no effect.
 */
export function quickPlan(url: string, given: QuickOptions): Plan {
  const useless = WITHOUT_EFFECT.find((name) => given.args.has(name));
  if (useless !== undefined) {
    throw new UsageError(`--${useless} works only with a plan, not with a URL`);
  }
  const shown = safeSnippet(hidePasswords(url));
  const parsed = URL.parse(url);
  if (parsed === null) throw new UsageError(`${shown} is not a valid URL`);
  const name = `GET ${parsed.pathname}`;
  const plan: Plan = {
    // Reports contain the name, so it must not contain credentials.
    name: safeSnippet(withoutSecretFields(hidePasswords(url))),
    scenarios: {
      main: {
        ...load(given),
        flow: [{ request: { url: literal(url.replace(/#.*$/s, "")), name } }],
      },
    },
  };
  const { plan: checked, diagnostics } = loadPlan(printPlan(plan, []));
  if (checked !== undefined) return checked;
  throw new UsageError(`cannot send requests to ${shown}: ${diagnostics[0].message}`);
}

/** Scenario without its flow. */
type Load = Scenario extends infer Each ? Each extends Scenario ? Omit<Each, "flow"> : never
  : never;

function load({ vus, iterations, rate }: QuickOptions): Load {
  if (rate !== undefined && iterations !== undefined) {
    throw new UsageError("--iterations cannot be combined with --rate: use --duration");
  }
  if (rate !== undefined) {
    const max = vus ?? Math.max(VUS, Math.min(MAX_VUS, Math.ceil(rate)));
    return {
      executor: "constant-arrival-rate",
      rate,
      duration: DURATION,
      pre_allocated_vus: Math.min(VUS, max),
      max_vus: max,
    };
  }
  if (iterations === undefined) return { executor: "constant-vus", vus: VUS, duration: DURATION };
  return { executor: "shared-iterations", vus: Math.min(VUS, iterations), iterations };
}
