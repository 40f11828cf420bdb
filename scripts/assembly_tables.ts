import { SLASH } from "../src/base/ascii.ts";
import { NO_ID, SEGMENT_CLASS, SPECIAL } from "../src/traffic/accesslog/read/log_request.ts";
import { MIN_HEX_DIGITS, UUID_DASHES, UUID_LENGTH } from "../src/traffic/id_shape.ts";
import * as times from "../src/traffic/accesslog/read/notations.ts";

/** Bytes at which the counter ends a query. Those that also end a path are `?` and `#`. */
const ENDS = ' \t"\\\n\r';

/**
 * A set of bytes, stored as two tables. A byte is in the set if its entries in the two tables have
 * a bit in common.
 */
export interface NibbleTables {
  /** Entry for each value of the lower four bits of a byte. */
  readonly low: readonly number[];
  /** Entry for each value of the upper four bits of a byte. */
  readonly high: readonly number[];
}

/**
 * Returns the AssemblyScript source of the constants and tables that the counter shares with the
 * TypeScript readers.
 */
export function assemblyTables(): string {
  const { clockAt } = times.TIME_NOTATIONS.clf.counted as times.DatedTime;
  const constants = [
    "// Byte offsets and lengths of the parts of a timestamp.",
    constant("DATE_BYTES", times.DATE_BYTES),
    constant("CLOCK_BYTES", times.CLOCK_BYTES),
    constant("CLF_CLOCK", clockAt),
    constant("CLF_ZONE", clockAt + times.CLOCK_BYTES),
    constant("CLF_BYTES", times.CLF_BYTES),
    "",
    "// Minimum number of digits of a Unix time in milliseconds, microseconds and nanoseconds.",
    constant("MILLISECOND_DIGITS", String(times.MILLISECONDS_FROM).length),
    constant("MICROSECOND_DIGITS", String(times.MICROSECONDS_FROM).length),
    constant("NANOSECOND_DIGITS", String(times.NANOSECONDS_FROM).length),
    "",
    "// Ids in paths.",
    constant("MIN_HEX_DIGITS", MIN_HEX_DIGITS),
    constant("UUID_LENGTH", UUID_LENGTH),
    ...UUID_DASHES.map((at, i) => constant(`UUID_DASH_${i + 1}`, at)),
  ];
  return `// deno-fmt-ignore-file
// Made by scripts/assembly.ts from read.

${constants.join("\n")}

${table("ID_BYTES", "bytes that can be part of an id", (byte) => SEGMENT_CLASS[byte] < NO_ID)}
${
    table(
      "PATH_STOPS",
      "bytes that end a path or may need rewriting",
      (byte) =>
        `?#${ENDS}`.includes(String.fromCharCode(byte)) ||
        SEGMENT_CLASS[byte] >= SPECIAL && byte !== SLASH,
    )
  }
${
    table("QUERY_STOPS", "bytes that end a query", (byte) =>
      ENDS.includes(String.fromCharCode(byte)))
  }`;
}

/**
 * Returns tables for the set of bytes for which `contains` returns true. Throws an Error if the set
 * has more than 8 distinct nonempty rows, where a row is the 16 bytes with the same upper four
 * bits.
 */
export function nibbleTables(contains: (byte: number) => boolean): NibbleTables {
  const low = new Int8Array(16);
  const high = new Int8Array(16);
  const bits = new Map<string, number>();
  for (let upper = 0; upper < 16; upper++) {
    const lower = Array.from({ length: 16 }, (_, i) => i).filter((i) => contains(upper << 4 | i));
    if (lower.length === 0) continue;
    const bit = bits.get(lower.join()) ?? 1 << bits.size;
    if (bit > 0x80) throw new Error("the set needs more than 8 bits");
    bits.set(lower.join(), bit);
    high[upper] = bit;
    for (const i of lower) low[i] |= bit;
  }
  return { low: [...low], high: [...high] };
}

function constant(name: string, value: number): string {
  return `export const ${name}: i32 = ${value};`;
}

function table(name: string, what: string, contains: (byte: number) => boolean): string {
  const { low, high } = nibbleTables(contains);
  return `/**
 * Set of the ${what}. A byte is in the set if
 * \`${name}_LOW[byte & 15]\` and \`${name}_HIGH[byte >> 4]\` have a bit in common.
 */
export const ${name}_LOW: v128 = i8x16(${low.join(", ")});
export const ${name}_HIGH: v128 = i8x16(${high.join(", ")});
`;
}
