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

/** Up to how many endpoints are picked out one by one; sorting all of them is faster for more. */
const FEW = 1_000;

/** The `count` endpoints with the most requests, the most first; ties as first met in the log. */
export function topEndpoints(records: EndpointRecords, count: number): EndpointCount[] {
  const { size, tallies } = records;
  const keyAt = keyReader(records);
  const compare = (a: number, b: number) =>
    tallies[b * 2] - tallies[a * 2] || tallies[a * 2 + 1] - tallies[b * 2 + 1];
  const found = count > FEW ? all(size).sort(compare).slice(0, count) : least(size, count, compare);
  return found
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
  const order = all(size).sort((a, b) => tallies[a * 2 + 1] - tallies[b * 2 + 1]);
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

function all(size: number): number[] {
  return Array.from({ length: size }, (_, i) => i);
}

/** The `count` indices that come first, in order, without a list of all of them. */
function least(
  size: number,
  count: number,
  compare: (a: number, b: number) => number,
): number[] {
  const found: number[] = [];
  for (let i = 0; i < size; i++) {
    if (found.length === count && (count === 0 || compare(i, found[count - 1]) >= 0)) continue;
    let at = found.length;
    while (at > 0 && compare(i, found[at - 1]) < 0) at--;
    found.splice(at, 0, i);
    if (found.length > count) found.pop();
  }
  return found;
}
