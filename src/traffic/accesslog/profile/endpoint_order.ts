import {
  type EndpointRecords,
  listRecordStarts,
  readRecord,
  recordCount,
  recordFirstSeen,
} from "./endpoint_records.ts";

/** An endpoint and its number of requests. */
export interface EndpointCount {
  /** HTTP method, as written in the log. */
  readonly method: string;
  /**
   * Normalized path, escaped as in a plan: `${vars.id}` replaces each id, and `$${` replaces each
   * `${` in the log. The path may contain any other character.
   */
  readonly route: string;
  /** Number of requests. */
  readonly count: number;
}

/**
 * Maximum number of endpoints to select by insertion. Above it, sorting all endpoints is faster.
 */
const FEW = 1_000;

/**
 * Returns the `count` endpoints with the most requests, sorted by number of requests, highest
 * first. Endpoints with the same number of requests are in order of first occurrence.
 */
export function listTopEndpoints(records: EndpointRecords, count: number): EndpointCount[] {
  const { words } = records;
  const starts = listRecordStarts(records);
  const compare = (a: number, b: number) =>
    recordCount(words, b) - recordCount(words, a) ||
    recordFirstSeen(words, a) - recordFirstSeen(words, b);
  const found = count > FEW
    ? Array.from(starts).sort(compare).slice(0, count)
    : selectSmallest(starts, count, compare);
  const decoder = keyDecoder();
  return found.map((start) => {
    const { key, count } = readRecord(records, start);
    const text = decoder.decode(key);
    const space = text.indexOf(" ");
    return { method: text.slice(0, space), route: text.slice(space + 1), count };
  });
}

/**
 * Yields the key (`METHOD route`), the number of requests and the log offset of the first request
 * for each endpoint, in order of first occurrence.
 */
export function* iterateEndpoints(
  records: EndpointRecords,
): Generator<[key: string, count: number, first: number]> {
  const { words } = records;
  const decoder = keyDecoder();
  const byArrival = (a: number, b: number) => recordFirstSeen(words, a) - recordFirstSeen(words, b);
  for (const start of Array.from(listRecordStarts(records)).sort(byArrival)) {
    const { key, count, first } = readRecord(records, start);
    yield [decoder.decode(key), count, first];
  }
}

/**
 * Returns the total number of requests to endpoints whose key satisfies `matches`. A key is `METHOD
 * route` in UTF-8.
 */
export function countRequestsWhere(
  records: EndpointRecords,
  matches: (key: Uint8Array) => boolean,
): number {
  let sum = 0;
  for (const start of listRecordStarts(records)) {
    const { key, count } = readRecord(records, start);
    if (matches(key)) sum += count;
  }
  return sum;
}

function keyDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/**
 * Returns the `count` smallest elements of `all` in ascending order, without sorting all elements.
 */
function selectSmallest(
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
