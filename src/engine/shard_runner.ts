import { durationMs } from "../base/format.ts";
import { random, uniqueText } from "../base/random.ts";
import { CookieJar } from "../http/cookies.ts";
import type { Origin, Sender } from "../http/sender.ts";
import { isOpenModel, plannedIterations, type Scenario } from "../plan/kinds/executors.ts";
import { partitionCount, type Shard, wholeNumber } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { type Constants, readConstants, type Readers } from "./flow/constants.ts";
import {
  type RequestObserver,
  type RequestSupervisor,
  type SetupValues,
  staticTags,
} from "./flow/scope.ts";
import { createExecutor } from "./kinds/executors.ts";
import { Recorder } from "./metrics/recorder.ts";
import { SampleBuffer, type TickReport } from "./metrics/snapshot.ts";
import { warmUpTimeline } from "./metrics/timeline.ts";
import { gracefulStopMs, latestStartMs } from "./progress.ts";
import { onAbort, type RunHooks, type Runner, type RunResult } from "./runner.ts";
import { ScenarioRunner } from "./scenario_runner.ts";
import { throttled } from "./steps/request.ts";
import { compileFlow } from "./steps/steps.ts";
import { type Clock, preciseClock, realClock } from "./vu/clock.ts";
import { type DataSource, dataSource, readRows } from "./vu/data_source.ts";
import { type Op, Vu } from "./vu/vu.ts";

export interface ShardParts extends Readers {
  readonly clock: Clock;
  readonly sender: Sender;
  readonly shard: Shard;
  readonly seed: number;
  readonly dataSeed: number;
  readonly samples?: boolean;
  readonly details?: boolean;
  readonly ticks?: boolean;
  readonly setup?: SetupValues;
  /** Called at the end of each iteration with the variables that are set at that time. */
  readonly onEnd?: (variables: Record<string, unknown>) => void;
  readonly observer?: RequestObserver;
  readonly supervisor?: RequestSupervisor;
  /** Called when a scenario has ended here. Resolves to its end in all shards. */
  readonly endedEverywhere?: (scenario: string) => Promise<number>;
}

/** Planned duration in ms from which the histogram of each second is compressed at once. */
const LONG_RUN_MS = 600_000;

/** Opens a clock that is as accurate as the scheduled times of a plan need. */
export async function openClock({ scenarios }: Plan): Promise<Clock> {
  const isOpen = Object.values(scenarios).some(({ executor }) => isOpenModel(executor));
  return isOpen ? await preciseClock() : realClock();
}

/** Runs one shard of a plan in this thread. */
export class ShardRunner implements Runner {
  readonly #plan: Plan;
  readonly #parts: ShardParts;
  readonly #constants: Constants;
  readonly #origins = new Set<Origin>();
  readonly #recorder: Recorder;
  readonly #samples: SampleBuffer | undefined;
  readonly #scenarios = new Map<string, ScenarioRunner>();
  #ended: "assertion" | undefined;
  #seconds = 0;

  constructor(plan: Plan, parts: ShardParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#constants = readConstants(plan, parts);
    this.#samples = parts.samples ? new SampleBuffer() : undefined;
    this.#recorder = new Recorder(
      Object.keys(plan.thresholds ?? {}),
      this.#constants.hide,
      this.#samples,
    );
    const sources = this.#sources();
    for (const [index, [name, scenario]] of Object.entries(plan.scenarios).entries()) {
      this.#scenarios.set(name, this.#scenario(index, name, scenario, sources));
    }
    warmUpTimeline(this.#isLong);
  }

  get plannedMs(): number {
    return Math.max(...this.#scenarios.values().map(({ plannedMs }) => plannedMs));
  }

  /** Compressing all histograms at the end of a long run would take seconds. */
  get #isLong(): boolean {
    return this.plannedMs >= LONG_RUN_MS;
  }

  get endsMs(): number {
    return Math.max(...this.#scenarios.values().map(({ endsMs }) => endsMs));
  }

  async run(
    startsAt: number,
    { onSecond, onSamples, onControl, stop, kill }: RunHooks,
  ): Promise<RunResult> {
    const { clock, ticks = true } = this.#parts;
    const scenarios = [...this.#scenarios.values()];
    let stopTicking = () => {};
    const tickAt = (second: number) => {
      stopTicking = clock.at(startsAt + second * 1_000, () => {
        onSecond?.(this.#tick(second, startsAt + second * 1_000));
        if (this.#samples) onSamples?.(this.#samples.take());
        tickAt(second + 1);
      });
    };
    if (ticks) tickAt(1);
    onControl?.((load) => scenarios.forEach((one) => one.setLoad(load, startsAt)));
    try {
      const running = this.#runScenarios(startsAt);
      using _stop = onAbort(stop, () => this.#stop());
      using _kill = onAbort(kill, () => scenarios.forEach((one) => one.kill()));
      await running;
    } finally {
      stopTicking();
    }
    if (this.#samples) onSamples?.(this.#samples.take());
    const elapsed = Math.max(0, clock.now() - startsAt);
    if (elapsed > this.#seconds * 1_000) this.#tick(this.#seconds + 1, clock.now());
    this.#recorder.makeSamples();
    return { snapshot: this.#recorder.snapshot(elapsed), ended: this.#ended };
  }

  #stop(): void {
    for (const scenario of this.#scenarios.values()) scenario.stop();
  }

  async #runScenarios(startsAt: number): Promise<void> {
    const { clock, endedEverywhere = () => Promise.resolve(clock.now()) } = this.#parts;
    const ends = new Map<string, Promise<number>>();
    const end = (name: string): Promise<number> => {
      const known = ends.get(name) ?? run(name);
      ends.set(name, known);
      return known;
    };
    const run = async (name: string): Promise<number> => {
      const { after } = this.#plan.scenarios[name];
      await this.#scenarios.get(name)!.run(after === undefined ? startsAt : await end(after));
      return await endedEverywhere(name);
    };
    await Promise.all(this.#scenarios.keys().map(end));
  }

  #tick(second: number, until: number): TickReport {
    this.#seconds = second;
    const report = this.#recorder.tick(second, until);
    if (this.#isLong) void report.last.histogram;
    return this.#parts.details ? { ...report, details: this.#recorder.details() } : report;
  }

  #sources(): Map<string, DataSource> {
    const { shard, dataSeed, readFile } = this.#parts;
    return new Map(
      Object.entries(this.#plan.data ?? {}).map(([name, feeder], index) => {
        const rows = readRows(feeder, readFile);
        return [name, dataSource(feeder, rows, { index, shard, seed: dataSeed + index })];
      }),
    );
  }

  #scenario(
    index: number,
    name: string,
    scenario: Scenario,
    sources: ReadonlyMap<string, DataSource>,
  ): ScenarioRunner {
    const { defaults = {} } = this.#plan;
    const { clock, shard, readFile } = this.#parts;
    const tags = staticTags({ tags: {}, scenario: name, group: "" }, {
      ...defaults.tags,
      ...scenario.tags,
    });
    const throttle = scenario.throttle?.requests_per_second;
    const variables = new Map<string, number>();
    const compiled = compileFlow(scenario.flow, {
      scenario: name,
      group: "",
      tags,
      http: defaults.http ?? {},
      constants: this.#constants,
      setup: this.#parts.setup ?? { current: {} },
      variables,
      isParallel: false,
      sockets: [],
      origins: this.#origins,
      sources,
      recorder: this.#recorder,
      readFile,
      thinkTime: scenario.think_time ?? defaults.think_time,
      observer: this.#parts.observer,
      supervisor: this.#parts.supervisor,
      throttle: throttle === undefined ? undefined : throttled(1_000 / throttle * shard.of),
    });
    const { onEnd } = this.#parts;
    const flow = onEnd === undefined ? compiled : reporting(compiled, variables, onEnd);
    const stats = this.#recorder.scenario(name, scenario.executor, tags);
    stats.limit = plannedIterations(scenario, (count) => partitionCount(count, shard));
    const pace = scenario.pacing?.iterations_per_second;
    return new ScenarioRunner({
      name,
      clock,
      shard,
      flow,
      stats,
      seed: this.#parts.dataSeed + index,
      readFile,
      executor: createExecutor(scenario),
      delayMs: durationMs(scenario.start_time ?? 0)!,
      latestStartMs: latestStartMs(scenario, this.#plan.scenarios),
      gracefulStopMs: gracefulStopMs(scenario),
      paceMs: pace === undefined ? 0 : 1_000 / pace,
      openVu: this.#vuMaker(index, name, scenario),
      endTest: () => {
        this.#ended = "assertion";
        this.#stop();
      },
    });
  }

  /** Returns a function that creates the k-th VU. VU ids are unique, also across shards. */
  #vuMaker(
    scenario: number,
    name: string,
    { new_user = false, new_connections = false }: Scenario,
  ): (k: number) => Vu {
    const { clock, sender, shard, seed } = this.#parts;
    const cookies = this.#plan.defaults?.http?.cookies ?? true;
    return (k) => {
      const id = wholeNumber(k, shard) + 1;
      return new Vu({
        id,
        clock,
        random: random(seed, scenario, id),
        open: () => sender.open(`${name} ${id}`),
        jar: cookies ? new CookieJar() : undefined,
        newUser: new_user,
        newConnections: new_connections,
        uniqueText: (iteration) => uniqueText(random(seed, scenario, id, iteration + 1)),
      });
    };
  }
}

/** Calls `onEnd` with the variables that are set each time the flow ends. */
function reporting(
  flow: Op,
  indices: ReadonlyMap<string, number>,
  onEnd: NonNullable<ShardParts["onEnd"]>,
): Op {
  return async (vu, now) => {
    try {
      await flow(vu, now);
    } finally {
      const set = [...indices].filter(([, index]) => vu.variables[index] !== undefined);
      onEnd(Object.fromEntries(set.map(([name, index]) => [name, vu.variables[index]])));
    }
  };
}
