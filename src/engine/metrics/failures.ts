import {
  type ErrorKind,
  type HttpResponse,
  MAX_EXCERPT,
  type Outgoing,
  type ResponseNeeds,
} from "../../http/sender.ts";
import type { Redactor } from "../../base/redactor.ts";
import type { FailureStats } from "../summary/flow_stats.ts";
import type { Counts, LiveRow } from "./counts.ts";
import type { EndpointKey } from "./metrics.ts";
import { failureSample, type SampledExchange } from "./failure_sample.ts";

/**
 * Reason why a request failed. Undefined if the request passed or failed only because of its
 * status.
 */
export type Fault = {
  readonly kind: ErrorKind;
  readonly message: string;
  /**
   * Returns details to append to the message, without secrets. Called only for the first error of
   * an endpoint and kind. `hide` removes the secrets of the plan.
   */
  readonly details?: (hide: Redactor) => string;
} | undefined;

/** Counts the errors of each endpoint by kind, and keeps the first message of each kind. */
export class ErrorLog {
  readonly #counts: Counts;
  readonly #hide: Redactor;

  /** Creates the log, which counts in `counts`. `hide` removes secrets from text. */
  constructor(counts: Counts, hide: Redactor) {
    this.#counts = counts;
    this.#hide = hide;
  }

  /** Records an error for an endpoint, with secrets removed from its message. */
  add(
    { kind, message, details }: NonNullable<Fault>,
    { scenario, name }: Pick<EndpointKey, "scenario" | "name">,
  ): void {
    const row = this.#counts.row("errors", { kind, scenario, name });
    if (row.count++ === 0) row.message = this.#hide(message) + (details?.(this.#hide) ?? "");
  }
}

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
  readonly #counts: LiveRow<"failures">;
  readonly #log: FailureLog;
  #exchange: SampledExchange | undefined;
  /** Number of failures that may still be examined to find a complete sample. */
  #attemptsLeft = MAX_ATTEMPTS;

  constructor(counts: LiveRow<"failures">, log: FailureLog) {
    this.#counts = counts;
    this.#log = log;
  }

  /** Counts a failed request. */
  add(): void {
    this.#counts.count++;
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
      // A response without headers keeps its array, which then receives the headers of the next
      // response.
      response: {
        ...response,
        headers: [...response.headers],
        body: shortened(response.body),
      },
    };
    return this.#attemptsLeft > 0;
  }

  makeSample(convert: (exchange: SampledExchange) => FailureStats["sample"]): void {
    if (this.#exchange !== undefined) this.#counts.sample ??= convert(this.#exchange);
  }
}

/**
 * Counts failed requests by endpoint, status and kind of error, and keeps samples of some of them.
 */
export class FailureLog {
  readonly #counts: Counts;
  readonly #counters = new Map<LiveRow<"failures">, FailureCounter>();
  readonly #hide: Redactor;
  #left = MAX_SAMPLES;

  /** Creates the log, which counts in `counts`. `hide` removes secrets from text. */
  constructor(counts: Counts, hide: Redactor) {
    this.#counts = counts;
    this.#hide = hide;
  }

  /**
   * Returns the counter for the requests to an endpoint that failed with this status and error.
   * Status 0 means that there was no response.
   */
  counter(
    { scenario, group, name, method }: EndpointKey,
    status: number,
    fault: Fault,
  ): FailureCounter {
    const labels = { scenario, group, name, method, status, kind: fault?.kind };
    const row = this.#counts.row("failures", labels);
    let counter = this.#counters.get(row);
    if (counter === undefined) {
      if (fault) row.message = this.#hide(fault.message);
      counter = new FailureCounter(row, this);
      this.#counters.set(row, counter);
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
}

/** Removes all samples of failures except the first `MAX_SAMPLES`. */
export function limitSamples(failures: readonly FailureStats[]): FailureStats[] {
  let left = MAX_SAMPLES;
  return failures.map((failure) => {
    if (failure.sample === undefined || left-- > 0) return failure;
    const { sample: _, ...rest } = failure;
    return rest;
  });
}
