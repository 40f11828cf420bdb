import type { EndpointColumns } from "./endpoint_table.ts";

/** An endpoint and how often it was asked for. */
export interface EndpointCount {
  /** As recorded. */
  readonly method: string;
  /**
   * The normalised path as text of a plan: `${vars.id}` stands for an id, recorded `${` is `$${`. May
   * hold any other character that was recorded.
   */
  readonly route: string;
  /** Requests. */
  readonly count: number;
}

/** The `count` endpoints with the most requests, the most first; ties as first met in the log. */
export function topEndpoints(columns: EndpointColumns, count: number): EndpointCount[] {
  const { counts, firsts } = columns;
  return candidates(columns, count)
    .sort((a, b) => counts[b] - counts[a] || firsts[a] - firsts[b])
    .slice(0, count)
    .map((i) => ({ ...endpointAt(columns, i), count: counts[i] }));
}

/** Indices of all endpoints, in the order in which they were first met in the log. */
export function inOrderOfArrival(columns: EndpointColumns): number[] {
  const { size, firsts } = columns;
  return Array.from({ length: size }, (_, i) => i).sort((a, b) => firsts[a] - firsts[b]);
}

/** An endpoint's key as text, `METHOD route`. */
export function keyAt(columns: EndpointColumns, i: number): string {
  const { words, starts, lengths } = columns;
  const bytes = new Uint8Array(words.buffer as ArrayBuffer, starts[i] * 4, lengths[i]);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function endpointAt(columns: EndpointColumns, i: number): { method: string; route: string } {
  const key = keyAt(columns, i);
  const space = key.indexOf(" ");
  return { method: key.slice(0, space), route: key.slice(space + 1) };
}

/** Indices of the endpoints that are asked for as often as the `count`-th, or more. */
function candidates({ size, counts }: EndpointColumns, count: number): number[] {
  const least = count < size ? counts.slice(0, size).sort()[size - count] : 0;
  const found: number[] = [];
  for (let i = 0; i < size; i++) if (counts[i] >= least) found.push(i);
  return found;
}
