import { statusClass } from "../../traffic/accesslog/collect/status_class_totals.ts";

/**
 * Number of responses per status class. Index 2 counts the statuses 200 to 299, and index 0 the
 * responses without a status.
 */
export type StatusClassCounts = readonly number[];

/** Adds up the number of responses in each status class. */
export function countByClass(statuses: Readonly<Record<string, number>>): number[] {
  const counts = noResponses();
  for (const [status, count] of Object.entries(statuses)) {
    counts[statusClass(Number(status))] += count;
  }
  return counts;
}

/** Adds up the response counts of several endpoints, separately for each status class. */
export function sumCounts(responses: Iterable<StatusClassCounts>): number[] {
  const sum = noResponses();
  for (const counts of responses) counts.forEach((count, i) => sum[i] += count);
  return sum;
}

function noResponses(): number[] {
  return [0, 0, 0, 0, 0, 0];
}
