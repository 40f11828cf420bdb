import { InputError, UsageError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { VERSION } from "../../base/release.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type { RunEnvironment } from "../../engine/summary/summary.ts";
import { plannedIterations, type Scenario } from "../../plan/kinds/executors.ts";
import { firstRequestNumbers } from "../../plan/kinds/list_requests.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { oneIteration, override, withEveryChoice } from "../../plan/override.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { targets } from "../../plan/targets.ts";
import { literal } from "../../plan/text/template.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import type { Args } from "../command/command.ts";
import type { Given } from "../command/options.ts";
import { readPlan } from "../input/read_documents.ts";
import type { Io } from "../system/io.ts";
import type { LOAD_CHANGES, PLAN_CHANGES, RunGiven } from "./run_options.ts";

/** Options of `run` that determine what the plan sends. `inspect` has some of them. */
export type PlanOptions =
  & Given<typeof PLAN_CHANGES & typeof LOAD_CHANGES>
  & Partial<Pick<RunGiven, "once" | "rate">>;

/** A plan to run, with the options of the command line applied. */
export interface PlanToRun {
  readonly plan: Plan;
  /**
   * Number of the first request of each scenario, by the scenario's name. It does not depend on the
   * scenarios that `--scenario` selects.
   */
  readonly firstNumbers: ReadonlyMap<string, number>;
}

/**
 * Reads the plan at `path`, or creates one if `path` is the URL of a target. Applies the overlay
 * and the options that the command line specifies. Prints diagnostics to standard error. Returns
 * undefined if the plan is invalid. Throws InputError if the file cannot be read, and UsageError if
 * an option is invalid.
 */
export async function planToRun(
  path: string,
  given: PlanOptions,
  io: Io,
): Promise<PlanToRun | undefined> {
  const { baseUrl, vus, iterations, duration, rateScale, once } = given;
  const plan = await planAt(path, given, io);
  if (plan === undefined) return undefined;
  const firstNumbers = firstRequestNumbers(plan);
  const changed = override(plan, {
    baseUrl,
    scenarios: given.scenario,
    variables: new Map(given.var),
    vus,
    iterations,
    duration,
    rateScale,
  });
  if (once === undefined) {
    if (duration !== undefined && iterations === undefined) noteLimits(changed, duration, io);
    return { plan: changed, firstNumbers };
  }
  // The reports of the run list the thresholds as not evaluated.
  const { thresholds } = changed;
  const tried = oneIteration(once === "all" ? withEveryChoice(changed) : changed);
  return { plan: { ...tried, thresholds }, firstNumbers };
}

async function planAt(path: string, given: PlanOptions, io: Io): Promise<Plan | undefined> {
  if (isTargetUrl(path)) return quickPlan(path, given);
  try {
    return await readPlan(path, given.env, io);
  } catch (error) {
    throw error instanceof InputError && isMissing(error.cause) && explainUrl(path) || error;
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Deno.errors.NotFound || cause instanceof Deno.errors.NotADirectory;
}

/**
 * Returns an error if `path`, which does not name a file, looks like a URL: for example, if it is
 * `host:port`, has too few slashes, or has a scheme that `run` does not support. Otherwise, returns
 * undefined.
 */
function explainUrl(path: string): UsageError | undefined {
  const shown = safeSnippet(hidePasswords(path));
  const rest = /^https?:\/?(.+)$/is.exec(path)?.[1] ?? path;
  if (/^(?:\[[\da-f:.]+\]|[\w.-]+):\d{1,5}(?:[/?#]|$)/i.test(rest) || rest !== path) {
    const scheme = /^https:/i.test(path) ? "https" : "http";
    const url = safeSnippet(hidePasswords(`${scheme}://${rest}`));
    return new UsageError(`there is no file ${shown}; did you mean the URL ${url}?`);
  }
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(path)) return undefined;
  return new UsageError(`cannot send load to ${shown}: only http:// and https:// URLs are allowed`);
}

/** Returns the kind of an input of `run`, as its options name it. */
export function planOrUrl(path: string): string {
  return isTargetUrl(path) ? "a URL" : "a plan";
}

function isTargetUrl(argument: string): boolean {
  return /^https?:\/\//i.test(argument);
}

function noteLimits({ scenarios }: Plan, duration: string, io: Io): void {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const iterations = plannedIterations(scenario);
    if (iterations === Infinity) continue;
    io.stderr.write(
      `--duration only limits ${safeText(name)}, which ends after ${
        plural(iterations, "iteration")
      }; to repeat its flow for ${duration}, change its executor to \`constant-vus\`\n`,
    );
  }
}

/** Number of VUs unless `--vus` is given. */
const VUS = 10;

/** Duration of the load unless `--duration` is given. */
const DURATION = "10s";

/** Maximum number of VUs for `--rate` unless `--vus` is given. */
const MAX_VUS = 1_000;

type QuickOptions =
  & Pick<RunGiven, "vus" | "iterations">
  & Partial<Pick<RunGiven, "rate">>;

/**
 * Creates a plan that sends GET requests to `url`, with the load that the options specify: VUs
 * without pauses (`--vus`), a number of requests (`--iterations`), or requests per second
 * (`--rate`). Throws UsageError if the URL is invalid.
 */
function quickPlan(url: string, given: QuickOptions): Plan {
  const shown = safeSnippet(hidePasswords(url));
  const parsed = URL.parse(url);
  if (parsed === null) throw new UsageError(`${shown} is not a valid URL`);
  const name = `GET ${parsed.pathname}`;
  const plan: Plan = {
    // Reports contain the name, so it must not contain credentials.
    name: safeSnippet(withoutSecrets(hidePasswords(url))),
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

type Load = Scenario extends infer Each ? Each extends Scenario ? Omit<Each, "flow"> : never
  : never;

function load({ vus, iterations, rate }: QuickOptions): Load {
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

/**
 * Options that reports show because they change the load. `--base-url` is omitted, because reports
 * show the targets anyway.
 */
const LOAD_OPTIONS = [
  "env",
  "scenario",
  "vus",
  "iterations",
  "duration",
  "rate",
  "rate-scale",
  "seed",
  "workers",
  "shard",
  "shards",
  "tolerate-lost",
];

/**
 * Describes how a run of `plan` was started and how many threads it used, for reports. The
 * description contains neither secrets nor user names.
 */
export function runEnvironment(
  { plan, path, args, readEnv, redact, workers }: {
    readonly plan: Plan;
    readonly path: string;
    readonly args: Args;
    readonly readEnv: (name: string) => string | undefined;
    readonly redact: Redactor;
    readonly workers: number;
  },
): RunEnvironment {
  const once = args.has("once");
  return {
    version: VERSION,
    // The URL of a target may contain credentials, which the name of its plan does not contain.
    plan: redact(isTargetUrl(path) ? plan.name! : path),
    targets: targets(plan, readEnv).origins.map((origin) => redact(origin)),
    options: [
      ...(once ? [args.text("once") === "all" ? "--once all" : "--once"] : []),
      ...LOAD_OPTIONS.flatMap((name) => args.all(name).map((value) => `--${name} ${value}`)),
      ...args.all("var").map((given) => `--var ${given.replace(/=.*$/s, "")}`),
    ],
    cores: navigator.hardwareConcurrency,
    workers,
  };
}
