import type { CounterStats } from "../../../src/engine/summary/flow_stats.ts";
import type { Summary } from "../../../src/engine/summary/summary.ts";

/** Prints the results of checks and counts those that failed. */
export class Checks {
  #failed = 0;

  /** Prints whether a check passed. If it failed, also prints `details`. */
  check(name: string, passed: boolean, details = ""): void {
    if (!passed) this.#failed++;
    console.log(`${passed ? "passed" : "FAILED"}: ${name}`);
    if (!passed && details !== "") console.log(details);
  }

  /** Prints the number of failed checks, and returns the exit code of the script. */
  end(subject: string): number {
    const result = this.#failed === 0 ? "all checks passed" : `${this.#failed} checks failed`;
    console.log(`\n${subject}: ${result}`);
    return this.#failed === 0 ? 0 : 1;
  }
}

/** Creates a plan that sends `rate` requests per second for `seconds` seconds. */
export function loadPlan(
  { port, rate, seconds, threshold = `http_req_failed: ["rate<0.5"]` }: {
    readonly port: number;
    readonly rate: number;
    readonly seconds: number;
    /** An entry of the plan's `thresholds`, as one line of YAML. */
    readonly threshold?: string;
  },
): string {
  return `name: test
defaults: {http: {base_url: "http://127.0.0.1:${port}"}}
scenarios:
  main:
    executor: constant-arrival-rate
    rate: ${rate}
    duration: ${seconds}s
    pre_allocated_vus: ${rate}
    flow: [{request: {url: /, name: page}}]
thresholds:
  ${threshold}
`;
}

/** Returns the number of requests in a summary. */
export function requests({ metrics }: Summary): number {
  return (metrics.http_reqs as CounterStats).count;
}

/** Returns the time from the start of the first shard to the start of the last shard, in ms. */
export function startSpread({ shards }: Summary): number {
  const starts = shards.map(({ started_at }) => Date.parse(started_at));
  return Math.max(...starts) - Math.min(...starts);
}

/**
 * Waits until a process has ended, and returns the time at which it ended, in Unix milliseconds.
 */
export async function endOf(pid: number): Promise<number> {
  const isRunning = () => {
    try {
      // A process that has ended but that nobody has waited for has no memory map.
      return Deno.readTextFileSync(`/proc/${pid}/maps`) !== "";
    } catch {
      return false;
    }
  };
  while (isRunning()) await sleep(20);
  return Date.now();
}

/** Waits for `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
