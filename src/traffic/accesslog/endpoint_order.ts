import { type EndpointRecords, nextRecord, RECORD_HEAD } from "./endpoint_table.ts";

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
export function topEndpoints(records: EndpointRecords, count: number): EndpointCount[] {
  const { tallies } = records;
  const keyAt = keyReader(records);
  return candidates(records, count)
    .sort((a, b) => tallies[b * 2] - tallies[a * 2] || tallies[a * 2 + 1] - tallies[b * 2 + 1])
    .slice(0, count)
    .map((i) => {
      const key = keyAt(i);
      const space = key.indexOf(" ");
      return { method: key.slice(0, space), route: key.slice(space + 1), count: tallies[i * 2] };
    });
}

/** `[key, requests, first]` of every endpoint, in the order in which they were first met in the log. */
export function* endpointsByArrival(
  records: EndpointRecords,
): Generator<[key: string, count: number, first: number]> {
  const { size, tallies } = records;
  const keyAt = keyReader(records);
  const order = Array.from({ length: size }, (_, i) => i)
    .sort((a, b) => tallies[a * 2 + 1] - tallies[b * 2 + 1]);
  for (const i of order) yield [keyAt(i), tallies[i * 2], tallies[i * 2 + 1]];
}

/** Gives keys as text, `METHOD route`, by index. */
function keyReader({ size, words }: EndpointRecords): (i: number) => string {
  const starts = new Int32Array(size);
  for (let i = 0, record = 0; i < size; i++, record = nextRecord(words, record)) starts[i] = record;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (i) => {
    const start = (starts[i] + RECORD_HEAD) * Int32Array.BYTES_PER_ELEMENT;
    const length = words[starts[i] + 1];
    return decoder.decode(new Uint8Array(words.buffer as ArrayBuffer, start, length));
  };
}

/** Indices of the endpoints that are asked for as often as the `count`-th, or more. */
function candidates({ size, tallies }: EndpointRecords, count: number): number[] {
  const counts = Float64Array.from({ length: size }, (_, i) => tallies[i * 2]);
  const least = count < size ? counts.toSorted()[size - count] : 0;
  const found: number[] = [];
  for (let i = 0; i < size; i++) if (counts[i] >= least) found.push(i);
  return found;
}
