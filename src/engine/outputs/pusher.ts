import { durationMs, formatMs } from "../../base/format.ts";
import { systemMessage } from "../../base/errors.ts";
import type { HistogramPoint, Point } from "./points.ts";
import type { OutputReport, RunOutput } from "./open_output.ts";

/** Timeout of a push in milliseconds. */
const PUSH_TIMEOUT_MS = 5_000;
/** Maximum length of a response that is checked. */
const SHORT_BYTES = 64 * 1024;

/** Latest values of all metrics. */
export interface MetricValues {
  readonly points: readonly Point[];
  readonly histograms: readonly HistogramPoint[];
}

/** Receiver of metrics, and the interval at which they are pushed to it. */
export interface Push {
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

  points(points: readonly Point[], histograms: readonly HistogramPoint[] = []): void {
    this.#values = { points, histograms };
  }

  /** Pushes the final metrics and waits for the push to end. */
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
