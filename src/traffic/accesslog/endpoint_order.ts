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
  const { tallies } = columns;
  return candidates(columns, count)
    .sort((a, b) => tallies[b * 2] - tallies[a * 2] || tallies[a * 2 + 1] - tallies[b * 2 + 1])
    .slice(0, count)
    .map((i) => ({ ...endpointAt(columns, i), count: tallies[i * 2] }));
}

/** `[key, requests, first]` of every endpoint, in the order in which they were first met in the log. */
export function* endpointsByArrival(
  columns: EndpointColumns,
): Generator<[key: string, count: number, first: number]> {
  const { size, tallies } = columns;
  const order = Array.from({ length: size }, (_, i) => i)
    .sort((a, b) => tallies[a * 2 + 1] - tallies[b * 2 + 1]);
  for (const i of order) yield [keyAt(columns, i), tallies[i * 2], tallies[i * 2 + 1]];
}

function keyAt({ words, keys }: EndpointColumns, i: number): string {
  const bytes = new Uint8Array(words.buffer as ArrayBuffer, keys[i * 2] * 4, keys[i * 2 + 1]);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function endpointAt(columns: EndpointColumns, i: number): { method: string; route: string } {
  const key = keyAt(columns, i);
  const space = key.indexOf(" ");
  return { method: key.slice(0, space), route: key.slice(space + 1) };
}

/** Indices of the endpoints that are asked for as often as the `count`-th, or more. */
function candidates({ size, tallies }: EndpointColumns, count: number): number[] {
  const counts = Float64Array.from({ length: size }, (_, i) => tallies[i * 2]);
  const least = count < size ? counts.toSorted()[size - count] : 0;
  const found: number[] = [];
  for (let i = 0; i < size; i++) if (counts[i] >= least) found.push(i);
  return found;
}
