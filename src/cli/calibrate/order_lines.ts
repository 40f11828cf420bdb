import { formatMs, plural } from "../../base/format.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
import type { NeededPause } from "../../calibrate/needed_pause.ts";
import { NAME_WIDTH } from "./call_lines.ts";
import type { Show } from "./content_text.ts";

/**
 * Describes the server's rate limit: the number and statuses of the responses that reported it, the
 * requests that it affected, how long the calibration waited, and what to do.
 */
export function rateLimitLines({ rateLimit }: Calibration): string[] {
  if (rateLimit === undefined) return [];
  const { responses, statuses } = rateLimit;
  return [
    `Rate limit of the server: ${plural(responses, "response")} with status ${
      statuses.join(" or ")
    }`,
    ...rateLimitDetails(rateLimit).map((line) => `  ${line}`),
    "",
  ];
}

/** Describes which requests a server limited, how long a calibration waited, and what to do. */
export function rateLimitDetails(
  { calls, sockets, waitedMs, longestMs }: NonNullable<Calibration["rateLimit"]>,
): string[] {
  const numbers = calls.map((index) => index + 1).join(", ");
  const sent = [
    ...(calls.length === 0 ? [] : [`${calls.length === 1 ? "call" : "calls"} ${numbers}`]),
    ...(sockets === 0 ? [] : ["requests that open WebSockets"]),
  ].join(" and ");
  return [
    `waited ${formatMs(waitedMs)} in total, at most ${formatMs(longestMs)} before one request; ` +
    `rate-limited: ${sent}`,
    "a run does not wait: add `pacing` to the scenario, or a `think_time` before these requests " +
    "(`convert --think-time` adds the recorded pauses)",
  ];
}

/** Lists the requests that the plan now sends earlier. */
export function movedLines({ moved, calls }: Calibration, show: Show): string[] {
  if (moved.length === 0) return [];
  const nameOf = (index: number) => {
    const name = calls.find((call) => call.index === index)?.name ?? "";
    return `call ${index + 1} (${show(name, NAME_WIDTH)})`;
  };
  return [
    `Requests moved before others (${moved.length})`,
    ...moved.map(({ index, before, ms }) =>
      `  ${nameOf(index)} before ${nameOf(before)}: ${reasonToMove(ms)}`
    ),
    "",
  ];
}

/**
 * Explains why a request was moved before another request that the browser sent `ms` milliseconds
 * earlier.
 */
export function reasonToMove(ms: number): string {
  return `the browser sent it ${
    formatMs(Math.round(ms))
  } later, before the response changed a cookie`;
}

/** Lists recorded pauses that the plan keeps, under `title`. */
export function pauseLines(title: string, pauses: readonly NeededPause[], show: Show): string[] {
  if (pauses.length === 0) return [];
  return [
    `${title} (${pauses.length})`,
    ...pauses.map((pause) =>
      `  call ${pause.index + 1}: ${formatMs(pause.ms)}; without it: ${
        withoutPause(pause, (text) => show(text, 120))
      }`
    ),
    "",
  ];
}

/** Describes what goes wrong if the plan omits a pause that a call needs. */
export function withoutPause({ differences }: NeededPause, show: (text: string) => string): string {
  return differences.length === 0
    ? "an extractor found no value"
    : differences.map(show).join("; ");
}
