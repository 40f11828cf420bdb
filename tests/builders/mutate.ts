import fc from "fast-check";

/**
 * A small change to a file: removes some bytes at a position, from 0 (start) to 1 (end), and
 * inserts others.
 */
export interface Damage {
  readonly at: number;
  readonly cut: number;
  readonly put: string | Uint8Array;
}

/** Generates one to four changes to a file. */
export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    at: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    cut: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(400)),
    put: fc.oneof(
      fc.constantFrom(...['"', "\\", "{", "}", "[", "]", ",", ":", "null", "-1", '""', "{}", "[]"]),
      fc.uint8Array({ maxLength: 3 }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Returns a copy of `bytes` with the changes applied. */
export function damage(bytes: Uint8Array, damages: readonly Damage[]): Uint8Array {
  return damages.reduce((whole, { at, cut, put }) => {
    const start = Math.floor(at * whole.length);
    const piece = typeof put === "string" ? new TextEncoder().encode(put) : put;
    return concat([whole.subarray(0, start), piece, whole.subarray(start + cut)]);
  }, bytes);
}

/** Generates positions at which to split a file into chunks, each from 0 (start) to 1 (end). */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
  maxLength: 12,
});

/** Splits bytes at the given positions, each from 0 (start) to 1 (end). */
export function chunked(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length];
  return ends.sort((a, b) => a - b).map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
