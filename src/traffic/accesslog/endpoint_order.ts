import {
  type EndpointRecords,
  recordAt,
  recordCount,
  recordFirstSeen,
  recordStarts,
} from "./endpoint_records.ts";

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
  const { words } = records;
  const starts = recordStarts(records);
  const compare = (a: number, b: number) =>
    recordCount(words, b) - recordCount(words, a) ||
    recordFirstSeen(words, a) - recordFirstSeen(words, b);
  const found = count > FEW
    ? Array.from(starts).sort(compare).slice(0, count)
    : least(starts, count, compare);
  const decoder = keyDecoder();
  return found.map((start) => {
    const { key, count } = recordAt(records, start);
    const text = decoder.decode(key);
    const space = text.indexOf(" ");
    return { method: text.slice(0, space), route: text.slice(space + 1), count };
  });
}

/** `[key, requests, first]` of every endpoint, in the order in which they were first met in the log. */
export function* endpointsByArrival(
  records: EndpointRecords,
): Generator<[key: string, count: number, first: number]> {
  const { words } = records;
  const decoder = keyDecoder();
  const byArrival = (a: number, b: number) => recordFirstSeen(words, a) - recordFirstSeen(words, b);
  for (const start of Array.from(recordStarts(records)).sort(byArrival)) {
    const { key, count, first } = recordAt(records, start);
    yield [decoder.decode(key), count, first];
  }
}

/** The requests of the endpoints that `matches` accepts, given the bytes of `METHOD route`. */
export function requestsWhere(
  records: EndpointRecords,
  matches: (key: Uint8Array) => boolean,
): number {
  let sum = 0;
  for (const start of recordStarts(records)) {
    const { key, count } = recordAt(records, start);
    if (matches(key)) sum += count;
  }
  return sum;
}

function keyDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/** The `count` of `all` that come first, in order, without a sorted list of all of them. */
function least(
  all: Int32Array,
  count: number,
  compare: (a: number, b: number) => number,
): number[] {
  const found: number[] = [];
  for (const i of all) {
    if (found.length === count && (count === 0 || compare(i, found[count - 1]) >= 0)) continue;
    let at = found.length;
    while (at > 0 && compare(i, found[at - 1]) < 0) at--;
    found.splice(at, 0, i);
    if (found.length > count) found.pop();
  }
  return found;
}
