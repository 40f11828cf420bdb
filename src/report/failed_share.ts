import type { EndpointStats } from "../engine/summary/summary.ts";

/**
 * Returns the fraction of the requests to an endpoint that failed, from 0 to 1. Requests that were
 * not sent count as failed.
 */
export function failedShare({ count, failed, unsent = 0 }: EndpointStats): number {
  // Summaries of older versions lack `unsent`, so `failed` may exceed `count`.
  const all = Math.max(count + unsent, failed);
  return all === 0 ? 0 : failed / all;
}
