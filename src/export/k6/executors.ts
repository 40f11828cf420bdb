import { type Duration, durationMs } from "../../base/format.ts";
import { formatDuration, listCode, type Member, objectCode } from "./javascript.ts";
import type { ExecutorKind, Scenario, ScenarioOf } from "../../plan/kinds/executors.ts";

/** Writes the executor of a scenario as k6 options. `src/plan/kinds/executors` defines its keys. */
interface ExecutorWriter<E extends ExecutorKind> {
  /** Executor in the script, if k6 has none of this name. */
  readonly executor?: ExecutorKind;
  /** Returns the k6 options for the scenario's executor, without the `executor` option itself. */
  write(scenario: ScenarioOf<E>): readonly Member[];
  /** Returns the planned duration of the scenario in milliseconds. */
  durationMs(scenario: ScenarioOf<E>): number;
}

/** Returns the option `name` with a duration as its value. */
function durationOption(name: string, duration: Duration): Member {
  return [name, `'${formatDuration(durationMs(duration)!)}'`];
}

/**
 * Returns a list with the option `name` and its value `duration`. The list is empty if `duration`
 * is undefined.
 */
function optionalDuration(name: string, duration: Duration | undefined): readonly Member[] {
  return duration === undefined ? [] : [durationOption(name, duration)];
}

/** Returns the total duration of stages in milliseconds. */
function stagesMs(stages: readonly { readonly duration: Duration }[]): number {
  return stages.reduce((sum, { duration }) => sum + durationMs(duration)!, 0);
}

/** Writer for each executor. */
const EXECUTORS: { readonly [E in ExecutorKind]: ExecutorWriter<E> } = {
  "constant-vus": {
    write: ({ vus, duration }) => [["vus", String(vus)], durationOption("duration", duration)],
    durationMs: ({ duration }) => durationMs(duration)!,
  },
  "ramping-vus": {
    write: ({ start_vus = 0, stages, graceful_ramp_down }) => [
      ["startVUs", String(start_vus)],
      [
        "stages",
        listCode(
          stages.map(({ duration, target }) =>
            objectCode([durationOption("duration", duration), ["target", String(target)]])
          ),
        ),
      ],
      ...optionalDuration("gracefulRampDown", graceful_ramp_down),
    ],
    durationMs: ({ stages }) => stagesMs(stages),
  },
  "per-vu-iterations": {
    write: ({ vus, iterations, max_duration }) => [
      ["vus", String(vus)],
      ["iterations", String(iterations)],
      ...optionalDuration("maxDuration", max_duration),
    ],
    durationMs: ({ max_duration = "10m" }) => durationMs(max_duration)!,
  },
  // k6 requires at least as many iterations as VUs.
  "shared-iterations": {
    write: ({ vus, iterations, max_duration }) => [
      ["vus", String(Math.min(vus, iterations))],
      ["iterations", String(iterations)],
      ...optionalDuration("maxDuration", max_duration),
    ],
    durationMs: ({ max_duration = "10m" }) => durationMs(max_duration)!,
  },
  "constant-arrival-rate": {
    write(scenario) {
      const { rates: [rate], unitMs } = wholeRates([scenario.rate], scenario.time_unit);
      return [
        ["rate", String(rate)],
        ["timeUnit", `'${formatDuration(unitMs)}'`],
        durationOption("duration", scenario.duration),
        ...poolOptions(scenario),
      ];
    },
    durationMs: ({ duration }) => durationMs(duration)!,
  },
  "ramping-arrival-rate": {
    write(scenario) {
      const { start_rate = 0, stages, time_unit } = scenario;
      const { rates: [start, ...targets], unitMs } = wholeRates(
        [start_rate, ...stages.map(({ target }) => target)],
        time_unit,
      );
      return [
        ["startRate", String(start)],
        ["timeUnit", `'${formatDuration(unitMs)}'`],
        [
          "stages",
          listCode(
            stages.map(({ duration }, i) =>
              objectCode([durationOption("duration", duration), ["target", String(targets[i])]])
            ),
          ),
        ],
        ...poolOptions(scenario),
      ];
    },
    durationMs: ({ stages }) => stagesMs(stages),
  },
  // k6 cannot replay recorded arrivals: the script has a constant rate.
  "recorded-arrivals": {
    executor: "constant-arrival-rate",
    write: (scenario) =>
      EXECUTORS["constant-arrival-rate"].write({ ...scenario, executor: "constant-arrival-rate" }),
    durationMs: ({ duration }) => durationMs(duration)!,
  },
  "externally-controlled": {
    write: ({ vus, max_vus = vus, duration }) => [
      ["vus", String(vus)],
      ["maxVUs", String(max_vus)],
      durationOption("duration", duration),
    ],
    durationMs: ({ duration }) => durationMs(duration)!,
  },
};

/** Returns the k6 options for the executor of a scenario. */
export function executorOptions(scenario: Scenario): readonly Member[] {
  return writeKind(scenario.executor, scenario);
}

/** Returns the planned duration of a scenario in milliseconds. */
export function plannedMs(scenario: Scenario): number {
  return durationOfKind(scenario.executor, scenario);
}

function durationOfKind<E extends ExecutorKind>(kind: E, scenario: ScenarioOf<E>): number {
  return EXECUTORS[kind].durationMs(scenario);
}

function writeKind<E extends ExecutorKind>(kind: E, scenario: ScenarioOf<E>): readonly Member[] {
  const { executor = kind }: ExecutorWriter<E> = EXECUTORS[kind];
  return [["executor", `'${executor}'`], ...EXECUTORS[kind].write(scenario)];
}

/** Returns the k6 options that set the number of VUs of an arrival-rate executor. */
function poolOptions(
  { pre_allocated_vus, max_vus = pre_allocated_vus }: {
    readonly pre_allocated_vus: number;
    readonly max_vus?: number;
  },
): readonly Member[] {
  return [
    ["preAllocatedVUs", String(pre_allocated_vus)],
    ["maxVUs", String(Math.max(1, max_vus))],
  ];
}

/** Rates as whole numbers, which k6 requires, and their time unit. */
interface WholeRates {
  readonly rates: readonly number[];
  /** Time unit of the rates, in milliseconds. */
  readonly unitMs: number;
}

/** Maximum number of decimal places of a rate. Rates are rounded to this precision. */
const MAX_PLACES = 9;

/**
 * Multiplies rates and their time unit by the smallest power of 10 that makes all rates whole, and
 * then divides both by their common factors.
 */
function wholeRates(rates: readonly number[], timeUnit: Duration = "1s"): WholeRates {
  const places = Math.min(MAX_PLACES, Math.max(0, ...rates.map(decimalPlaces)));
  const scaled = rates.map((rate) => Math.round(rate * 10 ** places));
  const unitMs = durationMs(timeUnit)! * 10 ** places;
  if (places === 0 || !Number.isInteger(unitMs)) return { rates: scaled, unitMs };
  const factor = [...scaled, unitMs].reduce(greatestDivisor, 0);
  // The unit stays a multiple of a second, so that it is easy to read.
  const seconds = unitMs % 1_000 === 0 && (unitMs / factor) % 1_000 !== 0
    ? greatestDivisor(factor, unitMs / 1_000)
    : factor;
  return { rates: scaled.map((rate) => rate / seconds), unitMs: unitMs / seconds };
}

function decimalPlaces(rate: number): number {
  const [, fraction = "", exponent = "0"] = /^\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(rate)) ??
    [];
  return Math.max(0, fraction.length - Number(exponent));
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
