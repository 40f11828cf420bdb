import { OutputError, systemMessage } from "../../base/errors.ts";
import { durationMs, formatMs } from "../../base/format.ts";
import type { Output, OutputKind } from "../../plan/kinds/outputs.ts";
import type { SampleBatch } from "../metrics/sample.ts";
import type { MetricData, TickDetails } from "../metrics/snapshot.ts";
import { type MetricValues, metricValues, type Point } from "./points.ts";

export type OutputOf<Kind extends OutputKind> = Extract<Output, { type: Kind }>;

/**
 * Function that opens an output of one kind. It returns several outputs if one entry of the plan
 * has several destinations. `resolve` maps a path in the plan to the path of the file to write, and
 * throws OutputError for a file that must not be written. `identity` labels exported metrics. The
 * function throws OutputError if the output cannot be opened, and NotCapable if a permission is
 * missing.
 */
export type OpenOutput<Kind extends OutputKind> = (
  output: OutputOf<Kind>,
  resolve: (path: string) => string,
  identity: ExportIdentity,
) => RunOutput[];

/** Labels that distinguish runs and processes in the systems that receive metrics. */
export interface ExportIdentity {
  readonly labels: Point["labels"];
  readonly instance?: string;
}

export const ANONYMOUS: ExportIdentity = { labels: [] };

/** Parses `host:port`. The host is 127.0.0.1 by default. The error names the plan key `key`. */
export function parseAddress(text: string, key: string): { hostname: string; port: number } {
  const [, bracketed, host, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new OutputError(
      `invalid \`${key}\`: expected host:port, such as 127.0.0.1:9464, found ${text}`,
    );
  }
  return { hostname: bracketed ?? (host || "127.0.0.1"), port: Number(port) };
}

/** Destination of metrics or samples. Its methods neither block nor throw. */
export interface RunOutput {
  /** Receives the latest values about once per second, and at the end. */
  receive?(values: MetricValues): void;
  /** Receives the samples of a thread since the last call. */
  samples?(batch: SampleBatch): void;
  /** Writes the queued data and closes the output. Takes at most a few seconds. */
  close(): Promise<OutputReport>;
}

/** How many items an output wrote, how many it dropped, and its first error. */
export interface OutputReport {
  /** Type and target of the output, such as `json samples.jsonl`. */
  readonly name: string;
  /** Number of samples written, or number of successful pushes or scrapes of metrics. */
  readonly written: number;
  /** Samples that the full queue dropped, or pushes after the last accepted one. */
  readonly dropped: number;
  readonly error?: string;
}

export function needsSamples(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ samples }) => samples !== undefined);
}

/** Reports whether any output receives series per endpoint and scenario. */
export function needsDetails(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ receive }) => receive !== undefined);
}

export function publishToOutputs(
  outputs: readonly RunOutput[],
  metrics: Readonly<Record<string, MetricData>>,
  details: TickDetails | undefined,
): void {
  if (!needsDetails(outputs)) return;
  const values = metricValues(metrics, details);
  for (const output of outputs) output.receive?.(values);
}

const PUSH_TIMEOUT_MS = 5_000;
/** Maximum length of a response that is checked. */
const SHORT_BYTES = 64 * 1024;

interface Push {
  readonly name: string;
  readonly intervalMs: number;
  /**
   * Sends the values; `time` is in Unix milliseconds. Rejects if the receiver does not accept them.
   */
  send(values: MetricValues, time: number, signal: AbortSignal): Promise<void>;
}

/** Returns the push interval of an output in milliseconds: at least 100, by default 5,000. */
export function pushIntervalMs(
  { interval = "5s" }: { readonly interval?: string | number },
): number {
  return Math.max(100, durationMs(interval) ?? 5_000);
}

/**
 * Pushes the latest metrics at a fixed interval, one push at a time. Each push contains the totals
 * since the start, so that nothing is lost if a later push succeeds. Only pushes after the last
 * successful one count as dropped.
 */
export class Pusher implements RunOutput {
  readonly #push: Push;
  readonly #timer: ReturnType<typeof setInterval>;
  #values: MetricValues | undefined;
  #sending: Promise<void> | undefined;
  #written = 0;
  #dropped = 0;
  #error: string | undefined;

  constructor(push: Push) {
    this.#push = push;
    this.#timer = setInterval(() => this.#due(), push.intervalMs);
  }

  receive(values: MetricValues): void {
    this.#values = values;
  }

  async close(): Promise<OutputReport> {
    clearInterval(this.#timer);
    await this.#sending;
    this.#due();
    await this.#sending;
    const report = { name: this.#push.name, written: this.#written, dropped: this.#dropped };
    return this.#error === undefined ? report : { ...report, error: this.#error };
  }

  #due(): void {
    if (this.#values !== undefined) this.#sending ??= this.#send(this.#values);
  }

  async #send(values: MetricValues): Promise<void> {
    try {
      await this.#push.send(values, Date.now(), AbortSignal.timeout(PUSH_TIMEOUT_MS));
      this.#written++;
      this.#dropped = 0;
      this.#error = undefined;
    } catch (error) {
      this.#dropped++;
      this.#error ??= describePushError(error);
    }
    this.#sending = undefined;
  }
}

/**
 * Returns the reason why a push failed, such as a refused connection, a timeout or an unknown host.
 */
function describePushError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no response within ${formatMs(PUSH_TIMEOUT_MS)}`;
  // `fetch` stores the address and the reason in the cause. The output's name already contains the
  // address.
  if (error.cause instanceof Error) {
    return systemMessage(error.cause)
      .replace(/^error sending request for url \(.*?\): /, "")
      .replace(/^client error \(\w+\): /, "");
  }
  return systemMessage(error);
}

/**
 * Sends `body` in a POST request. Rejects if the request fails, is redirected, gets a status other
 * than 2xx, or if `check` throws an error for the text of a short response.
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: BodyInit,
  signal: AbortSignal,
  check?: (response: string) => void,
): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
  const isShort = Number(response.headers.get("content-length") ?? Infinity) <= SHORT_BYTES;
  if (response.ok && isShort && check !== undefined) return check(await response.text());
  await response.body?.cancel();
  if (response.ok) return;
  throw new Error(`the receiver responded with ${response.status} ${response.statusText}`);
}
