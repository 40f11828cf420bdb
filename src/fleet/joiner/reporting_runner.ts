import type { SampleBatch } from "../../engine/metrics/sample.ts";
import type { TickReport } from "../../engine/metrics/snapshot.ts";
import type { Runner, RunResult } from "../../engine/runner.ts";
import { type DeltaCounts, DeltaEncoder } from "../deltas.ts";

/** Runs a shard, and reports its counts once per second and at the end. */
export class ReportingRunner implements Runner {
  readonly #inner: Runner;
  readonly #report: (counts: DeltaCounts) => void;
  readonly #deliver: (result: RunResult) => Promise<void>;

  /**
   * Wraps the runner `inner`, whose one-second reports must contain `details`. Once per second and
   * at the end, calls `report` with the counts since its last call. The run ends when the promise
   * that `deliver` returns resolves.
   */
  constructor(
    inner: Runner,
    report: (counts: DeltaCounts) => void,
    deliver: (result: RunResult) => Promise<void>,
  ) {
    this.#inner = inner;
    this.#report = report;
    this.#deliver = deliver;
  }

  get plannedMs(): number {
    return this.#inner.plannedMs;
  }

  get endsMs(): number {
    return this.#inner.endsMs;
  }

  async run(
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult> {
    const encoder = new DeltaEncoder();
    const result = await this.#inner.run(startsAt, (second) => {
      this.#report(encoder.tick(second, second.last.at * 1_000));
      onSecond(second);
    }, onSamples);
    this.#report(encoder.end(result.snapshot));
    // Deliver the result before the caller computes the summary, which can block a busy machine for
    // seconds.
    await this.#deliver(result);
    return result;
  }

  stop(): void {
    this.#inner.stop();
  }

  kill(): void {
    this.#inner.kill();
  }
}
