import {
  type ErrorKind,
  type HttpResponse,
  MAX_EXCERPT,
  type Outgoing,
  type ResponseNeeds,
} from "../../http/sender.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { FailureStats } from "../summary/flow_stats.ts";
import type { SeriesKey } from "./endpoint.ts";
import type { Fault } from "./error_log.ts";
import { failureSample, type SampledExchange } from "./failure_sample.ts";

/** Maximum number of samples of failed requests in a run. Limits the size of the summary. */
export const MAX_SAMPLES = 25;

/** Maximum size, in bytes, of a body that is kept in full until the end of the run. */
const MAX_KEPT = 65_536;

/** Returns the body, or only its first bytes if it is too large to keep. */
function shortened<Body extends Uint8Array | undefined>(body: Body): Body | Uint8Array {
  return body !== undefined && body.length > MAX_KEPT ? body.slice(0, MAX_EXCERPT) : body;
}

/**
 * Maximum number of failed requests with the same status and kind of error that are examined to
 * find a complete response.
 */
const MAX_ATTEMPTS = 4;

/** Response headers that the client always keeps. */
const ALWAYS_KEPT: ReadonlySet<string> = new Set([
  "set-cookie",
  "location",
  "content-type",
  "content-encoding",
]);

/** Reports whether all headers and at least the first bytes of the body were kept. */
function isKept({ headers, body, excerpt, bodySize }: HttpResponse, needs: ResponseNeeds): boolean {
  return (body.length > 0 || excerpt.length > 0 || bodySize === 0) &&
    (needs.headers || headers.some(([name]) => !ALWAYS_KEPT.has(name)));
}

/** Counts an endpoint's failed requests that share one status and kind of error. */
export class FailureCounter {
  readonly #stats: Omit<FailureStats, "count" | "sample">;
  readonly #log: FailureLog;
  #count = 0;
  #exchange: SampledExchange | undefined;
  /** Number of failures that may still be examined to find a complete sample. */
  #attemptsLeft = MAX_ATTEMPTS;
  #sample: FailureStats["sample"];

  constructor(stats: Omit<FailureStats, "count" | "sample">, log: FailureLog) {
    this.#stats = stats;
    this.#log = log;
  }

  /** Counts a failed request. */
  add(): void {
    this.#count++;
  }

  /**
   * Keeps the exchange as a sample, unless a complete sample already exists or the run has enough
   * samples. Returns true if parts of the response are missing: a later failure must then be kept
   * in full.
   */
  keep(request: Outgoing, response: HttpResponse): boolean {
    if (this.#attemptsLeft === 0) return false;
    if (this.#exchange === undefined && !this.#log.takeTurn()) {
      this.#attemptsLeft = 0;
      return false;
    }
    const isComplete = response.status === 0 || isKept(response, request.needs);
    this.#attemptsLeft = isComplete ? 0 : this.#attemptsLeft - 1;
    if (this.#exchange !== undefined && !isComplete) return this.#attemptsLeft > 0;
    this.#exchange = {
      request: { ...request, body: shortened(request.body) },
      requestSize: request.body?.length ?? 0,
      // A response without headers keeps its array, which then receives the headers of the next response.
      response: {
        ...response,
        headers: [...response.headers],
        body: shortened(response.body),
      },
    };
    return this.#attemptsLeft > 0;
  }

  /** Converts the kept exchange to a sample. */
  makeSample(convert: (exchange: SampledExchange) => FailureStats["sample"]): void {
    if (this.#exchange !== undefined) this.#sample ??= convert(this.#exchange);
  }

  /** Returns the counts as plain data. */
  data(): FailureStats {
    const sample = this.#sample && { sample: this.#sample };
    return { ...this.#stats, count: this.#count, ...sample };
  }
}

/**
 * Counts failed requests by endpoint, status and kind of error, and keeps samples of some of them.
 */
export class FailureLog {
  readonly #counters = new Map<string, FailureCounter>();
  readonly #hide: Redactor;
  #left = MAX_SAMPLES;

  /** Creates the log. `hide` removes secrets from text. */
  constructor(hide: Redactor) {
    this.#hide = hide;
  }

  /**
   * Returns the counter for the requests to an endpoint that failed with this status and error.
   * Status 0 means that there was no response.
   */
  counter(
    { scenario, group, name, method }: SeriesKey,
    status: number,
    fault: Fault,
  ): FailureCounter {
    const kind: ErrorKind | undefined = fault?.kind;
    const key = JSON.stringify([scenario, group, name, method, status, kind]);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      const error = fault && { kind: fault.kind, message: this.#hide(fault.message) };
      counter = new FailureCounter({ scenario, group, name, method, status, ...error }, this);
      this.#counters.set(key, counter);
    }
    return counter;
  }

  /** True if another sample may be kept. */
  get hasRoom(): boolean {
    return this.#left > 0;
  }

  /**
   * Reserves room for one of the `MAX_SAMPLES` samples of the run. Returns false if no room is
   * left.
   */
  takeTurn(): boolean {
    return this.#left > 0 && this.#left-- > 0;
  }

  /** Converts the kept exchanges to samples without secrets. Call it after the run. */
  makeSamples(): void {
    if (this.#left === MAX_SAMPLES) return;
    for (const counter of this.#counters.values()) {
      counter.makeSample((exchange) => failureSample(exchange, this.#hide));
    }
  }

  /** Returns the number of failed requests for each endpoint, status and kind of error. */
  data(): FailureStats[] {
    return [...this.#counters.values()].map((counter) => counter.data())
      .filter(({ count }) => count > 0);
  }
}

/**
 * Adds up the counts of failures that have the same endpoint, status and kind of error. Keeps at
 * most `MAX_SAMPLES` samples.
 */
export function mergeFailures(failures: readonly FailureStats[]): FailureStats[] {
  const merged = new Map<string, FailureStats>();
  for (const failure of failures) {
    const { scenario, group, name, method, status, kind } = failure;
    const key = JSON.stringify([scenario, group, name, method, status, kind]);
    const known = merged.get(key);
    const sample = known?.sample ?? failure.sample;
    const count = (known?.count ?? 0) + failure.count;
    merged.set(key, { ...(known ?? failure), count, ...(sample && { sample }) });
  }
  let left = MAX_SAMPLES;
  return [...merged.values()].map((failure) => {
    if (failure.sample === undefined || left-- > 0) return failure;
    const { sample: _, ...rest } = failure;
    return rest;
  });
}
