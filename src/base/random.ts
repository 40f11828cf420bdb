/** Generators with the same seeds return the same numbers. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive), with 32 random bits. */
  next(): number;
  int(min: number, max: number): number;
  gaussian(): number;
  uuid(): string;
}

const TWO_32 = 2 ** 32;

/** sfc32. Generators with different seeds are independent. */
export function random(...seeds: number[]): Random {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const bits = (): number => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return t >>> 0;
  };
  for (const seed of seeds) {
    a ^= seed | 0;
    b ^= Math.floor(seed / TWO_32) | 0;
    for (let i = 0; i < 12; i++) bits();
  }
  const next = () => bits() / TWO_32;
  const next53 = () => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53;
  const int = (min: number, max: number) => {
    const span = max - min + 1;
    return min + Math.floor((span <= TWO_32 ? next() : next53()) * span);
  };
  return { next, int, gaussian: () => gaussian(next), uuid: () => uuid(bits) };
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LETTERS_AND_DIGITS = LETTERS + "0123456789";

/** 10 letters and digits, which comparisons recognize as a generated value. */
export function uniqueText({ int }: Random): string {
  const rest = Array.from({ length: 8 }, () => LETTERS_AND_DIGITS[int(0, 35)]).join("");
  return `${LETTERS[int(0, 25)]}${int(0, 9)}${rest}`;
}

function gaussian(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** Source of a pattern for UUIDs of any version: some generators do not state a version. */
export const UUID: string = /[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}/.source;

function uuid(bits: () => number): string {
  const hex = (n: number) => n.toString(16).padStart(8, "0");
  const [a, b, c, d] = [
    hex(bits()),
    hex(((bits() & 0xffff0fff) | 0x4000) >>> 0),
    hex(((bits() & 0x3fffffff) | 0x80000000) >>> 0),
    hex(bits()),
  ];
  return `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`;
}

/** Draws a random index from a fixed distribution. */
export type Choose = (random: Random) => number;

/** Draws in constant time (Vose's alias method). At least one weight must be above 0. */
export function chooser(weights: readonly number[]): Choose {
  const n = weights.length;
  const sum = weights.reduce((a, b) => a + b, 0);
  const scaled = weights.map((weight) => weight / sum * n);
  const chance = new Float64Array(n).fill(1);
  const alias = Uint32Array.from({ length: n }, (_, i) => i);
  const small = [...scaled.keys()].filter((i) => scaled[i] < 1);
  const large = [...scaled.keys()].filter((i) => scaled[i] >= 1);
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop()!, large[large.length - 1]];
    chance[less] = scaled[less];
    alias[less] = more;
    scaled[more] -= 1 - scaled[less];
    if (scaled[more] < 1) small.push(large.pop()!);
  }
  // Because of rounding errors, `small` can still contain indexes. They keep the chance 1, except
  // those with weight 0, which must never be drawn.
  for (const i of small) {
    if (weights[i] === 0) [chance[i], alias[i]] = [0, largest(weights)];
  }
  return (random) => {
    const i = random.int(0, n - 1);
    return random.next() < chance[i] ? i : alias[i];
  };
}

function largest(weights: readonly number[]): number {
  return weights.reduce((best, weight, i) => weight > weights[best] ? i : best, 0);
}
