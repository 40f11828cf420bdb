import { type ByteStrings, LEVELS, packBytes, stringAt } from "../profile/byte_arrays.ts";
import { checkInteger, checkList, checkRecord, checkText } from "../profile/profile_checks.ts";

/**
 * A collected value as JSON: the value, the log offset of its first request, and the number of its
 * requests at each sampling level.
 */
type ValueRow = readonly [value: string, first: number, ...counts: number[]];

/** Size, in bytes, of the endpoint number at the start of a key. The value follows it. */
export const NUMBER_BYTES = 4;

/** Contents of an `EndpointValues` collector. */
export interface ValueData {
  /** Lowest sampling level that is counted; 0 if all values are counted. */
  readonly level: number;
  /** The endpoints, as `METHOD route`. */
  readonly endpoints: ByteStrings;
  /**
   * For each value: the number of its endpoint (u32, big-endian), followed by the bytes of the
   * value.
   */
  readonly values: ByteStrings;
  /** For each value, the log offset of its first request; meaningful only if `level` is 0. */
  readonly firsts: Float64Array;
  /**
   * For each sampling level, the number of requests for each element of `values`; undefined if
   * there are none. If a level's array is shorter than `values`, the missing numbers are 0.
   */
  readonly counts: readonly (Uint32Array | undefined)[];
}

/**
 * Converts values to a JSON object. Its `level` is the lowest sampling level that is counted. Each
 * element of `endpoints` is an endpoint and its values:
 * `["METHOD route", [[value, first, requests, …]]]`. `first` is the log offset of the first
 * request, or 0 for a sample. The numbers of requests follow, one for each sampling level, starting
 * at `level`.
 */
export function listValues(data: ValueData): unknown {
  const { level, endpoints, values, firsts, counts } = data;
  const decoder = new TextDecoder();
  const rows: ValueRow[][] = Array.from({ length: endpoints.ends.length }, () => []);
  for (let value = 0; value < values.ends.length; value++) {
    const key = stringAt(values, value);
    const endpoint = new DataView(key.buffer, key.byteOffset).getUint32(0);
    const byLevel = Array.from(
      { length: LEVELS - level },
      (_, i) => counts[level + i]?.[value] ?? 0,
    );
    while (byLevel.length > 1 && byLevel.at(-1) === 0) byLevel.pop();
    const first = level === 0 ? firsts[value] : 0;
    rows[endpoint].push([decoder.decode(key.slice(NUMBER_BYTES)), first, ...byLevel]);
  }
  const all = rows.map((list, i) =>
    [
      decoder.decode(stringAt(endpoints, i).slice()),
      list.sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)),
    ] as const
  );
  return { level, endpoints: all.sort(([a], [b]) => a < b ? -1 : 1) };
}

/**
 * Parses the result of `listValues`. Throws `InvalidProfile` if it is not valid or contains a value
 * that is larger than `maxBytes` bytes.
 */
export function parseValues(json: unknown, maxBytes: number): ValueData {
  const read = checkRecord(json, "the record of collected values");
  const level = checkInteger(read.level, "the sampling level", LEVELS - 1);
  const endpoints: string[] = [];
  const keys: Uint8Array[] = [];
  const firsts: number[] = [];
  const counts = Array.from({ length: LEVELS }, (): number[] => []);
  const encoder = new TextEncoder();
  for (const entry of checkList(read.endpoints, "`endpoints` in a record of values")) {
    const [endpoint, rows] = checkList(entry, "an endpoint with values");
    for (const row of checkList(rows, "the second element of an endpoint with values")) {
      const [value, first, ...requests] = checkList(row, "a value");
      const text = encoder.encode(checkText(value, "a value"));
      checkInteger(text.length, "the length of a value", maxBytes);
      const key = new Uint8Array(NUMBER_BYTES + text.length);
      new DataView(key.buffer).setUint32(0, endpoints.length);
      key.set(text, NUMBER_BYTES);
      firsts.push(checkInteger(first, "the log offset of a value"));
      checkInteger(requests.length, "the number of sampling levels of a value", LEVELS - level);
      for (let i = 0; i < LEVELS; i++) {
        const count = requests[i - level] ?? 0;
        counts[i].push(checkInteger(count, "the number of requests with a value", 2 ** 32 - 1));
      }
      keys.push(key);
    }
    endpoints.push(checkText(endpoint, "an endpoint"));
  }
  return {
    level,
    endpoints: packBytes(endpoints.map((endpoint) => encoder.encode(endpoint))),
    values: packBytes(keys),
    firsts: Float64Array.from(firsts),
    counts: counts.map((list) => Uint32Array.from(list)),
  };
}

/** Reports whether the contents of a collector are packed, instead of JSON. */
export function isPacked(collected: unknown): collected is ValueData {
  return ArrayBuffer.isView(Object(collected).firsts);
}
