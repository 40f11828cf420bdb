import type { EndpointStats } from "../engine/summary.ts";

/** Returns the failed share of an endpoint's requests, 0 to 1. Requests not sent count as failed. */
export function failedShare({ count, failed, unsent = 0 }: EndpointStats): number {
  // Summaries of older versions lack `unsent`, so `failed` may exceed `count`.
  const all = Math.max(count + unsent, failed);
  return all === 0 ? 0 : failed / all;
}
