import * as z from "zod";
import { durationMs } from "../../base/format.ts";
import { type CheckContext, endFlow, startFlow } from "../rules/check_context.ts";
import { shapeOf, type Unchecked, unionOf, withRule } from "../values/schema_walk.ts";
import {
  checkFile,
  countOrZero,
  countSchema,
  duration,
  rate,
  rateOrZero,
} from "../values/values.ts";
import {
  arrivalKeys,
  changedPool,
  type Excess,
  type ExecutorFacts,
  type ExecutorVariant,
  findExcess,
  given,
  iterationTime,
  type LoadChanges,
  maxDuration,
  openKeys,
  openMaxVus,
  perSecond,
  type RatePoint,
  scenarioKeys,
  stageTime,
  stretchStages,
  vus,
} from "./scenario.ts";

const vuStage = z.strictObject({
  duration: stageTime,
  target: countOrZero.meta({
    description: "Number of VUs at the end of the stage",
    examples: [50],
  }),
}).meta({ id: "vu_stage" });

const rateStage = z.strictObject({
  duration: stageTime,
  target: rateOrZero.meta({
    description: "Rate at the end of the stage, per `time_unit`",
    examples: [200],
  }),
}).meta({ id: "rate_stage" });

/** First line of a file with recorded arrivals. */
export const ARRIVALS_HEADER = "second,starts";

const arrivalsFile = withRule(
  z.string().meta({
    description: `CSV file, relative to the plan, with the header \`${ARRIVALS_HEADER}\` and the ` +
      "number of iterations that start in each second. A time with a fraction is an exact start; " +
      "other starts are at random times within the second. The last row ends the recorded time",
    examples: ["plan.yaml.arrivals"],
  }),
  {
    notation: "path",
    check(context, path) {
      checkFile(context, path);
      const line = context.files?.firstLine(path);
      if (line === undefined || line === ARRIVALS_HEADER) return;
      context.report("bad-value", `the file does not start with \`${ARRIVALS_HEADER}\``);
    },
  },
);

function kind<Schema extends z.ZodObject>(
  variant: ExecutorVariant<Schema>,
): ExecutorVariant<Schema> {
  return variant;
}

/** All executors, by name. The docs list them in this order. */
const EXECUTORS = {
  "constant-vus": kind({
    schema: z.strictObject({
      executor: z.literal("constant-vus").describe(
        "A fixed number of VUs run iterations for a set duration",
      ),
      vus,
      duration: iterationTime,
      ...scenarioKeys,
    }),
    withLoad: (scenario, { vus, duration }) => ({ ...scenario, ...given({ vus, duration }) }),
    maxVus: ({ vus }) => vus,
  }),
  "ramping-vus": kind({
    schema: z.strictObject({
      executor: z.literal("ramping-vus").describe("The number of VUs follows the stages"),
      start_vus: countOrZero.optional().meta({
        description: "Number of VUs at the start (default: 0)",
        examples: [10],
      }),
      stages: z.array(vuStage).min(1)
        .describe("Stages, each a linear ramp from the previous number of VUs to `target`"),
      graceful_ramp_down: duration.optional().describe(
        "Time allowed for a VU to finish its iteration when the number of VUs falls (default: 30s)",
      ),
      ...scenarioKeys,
    }),
    withLoad(scenario, { vus, duration }) {
      const { start_vus = 0, stages } = scenario;
      const highest = highestTarget(scenario);
      const scale = vus === undefined || highest === 0 ? 1 : vus / highest;
      return {
        ...scenario,
        start_vus: Math.round(start_vus * scale),
        stages: stretchStages(stages, duration, (target) => Math.round(target * scale)),
      };
    },
    maxVus: highestTarget,
  }),
  "per-vu-iterations": kind({
    schema: z.strictObject({
      executor: z.literal("per-vu-iterations").describe(
        "Each VU runs a fixed number of iterations",
      ),
      vus,
      iterations: countSchema.meta({ description: "Number of iterations per VU", examples: [5] }),
      max_duration: maxDuration,
      ...scenarioKeys,
    }),
    withLoad: (scenario, { vus, iterations, duration }) => ({
      ...scenario,
      ...given({ vus, iterations, max_duration: duration }),
    }),
    maxVus: ({ vus }) => vus,
    plannedIterations: ({ vus, iterations }, countInShard) => countInShard(vus) * iterations,
  }),
  "shared-iterations": kind({
    schema: z.strictObject({
      executor: z.literal("shared-iterations").describe(
        "The VUs share a fixed number of iterations",
      ),
      vus,
      iterations: countSchema.meta({
        description: "Total number of iterations of all VUs",
        examples: [1000],
      }),
      max_duration: maxDuration,
      ...scenarioKeys,
    }),
    withLoad: (scenario, { vus, iterations, duration }) => ({
      ...scenario,
      ...given({ vus, iterations, max_duration: duration }),
    }),
    maxVus: ({ vus }) => vus,
    plannedIterations: ({ iterations }, countInShard) => countInShard(iterations),
  }),
  "constant-arrival-rate": kind({
    schema: z.strictObject({
      executor: z.literal("constant-arrival-rate").describe(
        "Iterations start at a fixed rate, independent of response times",
      ),
      rate: rate.meta({ description: "Iterations started per `time_unit`", examples: [50] }),
      duration: iterationTime,
      ...arrivalKeys,
      ...scenarioKeys,
    }),
    withLoad: (scenario, { vus, duration, rateScale = 1 }) => ({
      ...scenario,
      ...given({ duration }),
      rate: scenario.rate * rateScale,
      ...changedPool(scenario, vus, rateScale),
    }),
    maxVus: openMaxVus,
    rateCurve(scenario) {
      const rate = perSecond(scenario.rate, scenario);
      return [{ seconds: 0, rate }, { seconds: durationMs(scenario.duration)! / 1_000, rate }];
    },
  }),
  "ramping-arrival-rate": kind({
    schema: z.strictObject({
      executor: z.literal("ramping-arrival-rate").describe(
        "Iterations start at a rate that follows the stages, independent of response times",
      ),
      start_rate: rateOrZero.optional().describe("Rate at the start, per `time_unit` (default: 0)"),
      stages: z.array(rateStage).min(1)
        .describe("Stages, each a linear ramp from the previous rate to `target`"),
      ...arrivalKeys,
      ...scenarioKeys,
    }),
    withLoad: (scenario, { vus, duration, rateScale = 1 }) => ({
      ...scenario,
      start_rate: (scenario.start_rate ?? 0) * rateScale,
      stages: stretchStages(scenario.stages, duration, (target) => target * rateScale),
      ...changedPool(scenario, vus, rateScale),
    }),
    maxVus: openMaxVus,
    rateCurve(scenario) {
      const curve = [{ seconds: 0, rate: perSecond(scenario.start_rate ?? 0, scenario) }];
      for (const { duration, target } of scenario.stages) {
        const seconds = curve[curve.length - 1].seconds + durationMs(duration)! / 1_000;
        curve.push({ seconds, rate: perSecond(target, scenario) });
      }
      return curve;
    },
  }),
  "recorded-arrivals": kind({
    schema: z.strictObject({
      executor: z.literal("recorded-arrivals").describe(
        "Iterations start at the times of a recording, independent of response times",
      ),
      path: arrivalsFile,
      rate: rate.meta({
        description: "Mean number of iterations started per `time_unit` over the recorded time. " +
          "Recorded starts are repeated or dropped at random to reach it",
        examples: [50],
      }),
      peak_rate: rate.optional().meta({
        description: "Highest rate, only for predictions (default: the value of `rate`)",
        examples: [200],
      }),
      squeeze: rate.optional().meta({
        description:
          "Factor that divides the recorded times and the pauses of visits; the same iterations start " +
          "in less time (default: 1)",
        examples: [10],
      }),
      duration: iterationTime,
      ...openKeys,
      ...scenarioKeys,
    }),
    // A shorter duration stops early, because stretching would change the recorded intervals.
    withLoad: (scenario, { vus, duration, rateScale = 1 }) => ({
      ...scenario,
      ...given({ duration }),
      rate: scenario.rate * rateScale,
      ...(scenario.peak_rate !== undefined && { peak_rate: scenario.peak_rate * rateScale }),
      ...changedPool(scenario, vus, rateScale),
    }),
    maxVus: openMaxVus,
    // The times are in the file. The curve has the mean and the highest rate, not their times.
    rateCurve(scenario) {
      const seconds = durationMs(scenario.duration)! / 1_000;
      const mean = perSecond(scenario.rate, scenario);
      const peak = perSecond(scenario.peak_rate ?? scenario.rate, scenario);
      const peakSeconds = Math.min(1, seconds * mean / peak);
      const rest = (mean * seconds - peak * peakSeconds) / (seconds - peakSeconds || 1);
      return [
        { seconds: 0, rate: peak },
        { seconds: peakSeconds, rate: peak },
        { seconds: peakSeconds, rate: rest },
        { seconds, rate: rest },
      ];
    },
  }),
  "externally-controlled": kind({
    schema: z.strictObject({
      executor: z.literal("externally-controlled").describe(
        "You change the number of VUs during the run, with keys in the terminal or requests to the `--ui` server",
      ),
      vus: countOrZero.meta({ description: "Number of VUs at the start", examples: [10] }),
      max_vus: countSchema.optional().meta({
        description: "Maximum number of VUs (default: the value of `vus`)",
        examples: [100],
      }),
      duration: iterationTime,
      graceful_ramp_down: duration.optional().describe(
        "Time allowed for a VU to finish its iteration when the number of VUs falls (default: 30s)",
      ),
      ...scenarioKeys,
    }),
    withLoad: (scenario, { vus, duration }) => ({
      ...scenario,
      ...given({ vus, duration }),
      ...(vus !== undefined && { max_vus: Math.max(vus, scenario.max_vus ?? 0) }),
    }),
    maxVus: ({ vus, max_vus }) => max_vus ?? vus,
    controlledVus: ({ vus }) => vus,
  }),
};

export type ExecutorKind = keyof typeof EXECUTORS;

const executors = unionOf("executor", shapeOf(EXECUTORS));

export type Scenario = z.infer<typeof executors>;
/** The type of a scenario that uses the executor `E`. */
export type ScenarioOf<E extends ExecutorKind> = Extract<Scenario, { executor: E }>;

/** The schema of a scenario: a flow, and an executor that defines when and how often it runs. */
export const scenario = withRule(executors, { enter: startFlow, check: checkScenario });

/** Iterations start at a planned rate. False for unknown executors. */
export function isOpenModel(executor: string): boolean {
  return isExecutor(executor) && "rateCurve" in EXECUTORS[executor];
}

/** Returns a copy of the scenario with the changes applied to its load. */
export function withLoad(scenario: Scenario, changes: LoadChanges): Scenario {
  return executorFacts(scenario).withLoad(scenario, changes);
}

/** Returns the maximum number of VUs that a scenario runs at the same time. */
export function maxVus(scenario: Scenario): number {
  return executorFacts(scenario).maxVus(scenario);
}

/**
 * Iterations that a shard runs, or `Infinity` if not limited. `countInShard(count)` returns how
 * many of `count` items belong to the shard.
 */
export function plannedIterations(
  scenario: Scenario,
  countInShard: (count: number) => number = (count) => count,
): number {
  return executorFacts(scenario).plannedIterations?.(scenario, countInShard) ?? Infinity;
}

/** Undefined if the user cannot change the number during the run. */
export function controlledVus(scenario: Scenario): number | undefined {
  return executorFacts(scenario).controlledVus?.(scenario);
}

/** Points with a linear ramp between them. Empty for closed models. */
export function rateCurve(scenario: Scenario): RatePoint[] {
  return executorFacts(scenario).rateCurve?.(scenario) ?? [];
}

/** VU counts and rates that exceed the limits. Accepts scenarios not checked yet. */
export function excessiveLoad(scenario: Unchecked<Scenario>): Excess[] {
  return findExcess(scenario, isOpenModel(String(scenario.executor)));
}

function isExecutor(name: unknown): name is ExecutorKind {
  return typeof name === "string" && Object.hasOwn(EXECUTORS, name);
}

function executorFacts({ executor }: Scenario): ExecutorFacts<Scenario> {
  return EXECUTORS[executor];
}

/** Called after the content of the scenario has been checked. */
function checkScenario(context: CheckContext, scenario: Unchecked<Scenario>): void {
  endFlow(context);
  context.addTagValue("scenario", context.path.at(-1));
  if (scenario.pacing !== undefined && isOpenModel(String(scenario.executor))) {
    const message = "`pacing` has no effect with an arrival-rate executor";
    const hint = "remove `pacing`: the executor sets the iteration rate";
    context.report("no-effect", message, { below: ["pacing"], hint, severity: "warning" });
  }
  for (const { below, message } of excessiveLoad(scenario)) {
    context.report("bad-value", message, { below });
  }
  const key = "pre_allocated_vus" in scenario ? "pre_allocated_vus" : "vus";
  const { [key]: min, max_vus: max = min } = scenario;
  if (typeof min !== "number" || typeof max !== "number") return;
  const { executor } = scenario;
  if (key === "vus" && !(isExecutor(executor) && "controlledVus" in EXECUTORS[executor])) return;
  if (max < min) {
    const message = `\`max_vus\` is less than \`${key}\`: expected at least ${min}, found ${max}`;
    context.report("bad-value", message, { below: ["max_vus"] });
  } else if (max === 0) {
    const message = `the scenario has no VUs: expected at least 1 in \`${key}\` or \`max_vus\``;
    context.report("bad-value", message, { below: [key] });
  }
}

function highestTarget(
  { start_vus = 0, stages }: {
    readonly start_vus?: number;
    readonly stages: readonly { readonly target: number }[];
  },
): number {
  return Math.max(start_vus, ...stages.map(({ target }) => target));
}
