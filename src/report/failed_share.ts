import type { EndpointStats } from "../engine/summary.ts";

/** Failed requests of an endpoint as a share, 0 to 1, of those sent and those that could not be. */
export function failedShare({ count, failed, unsent = 0 }: EndpointStats): number {
  // Summaries of older versions do not say how many were not sent: `failed` may exceed `count`.
  const all = Math.max(count + unsent, failed);
  return all === 0 ? 0 : failed / all;
}
