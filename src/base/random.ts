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

/** In proportion to the weights, of which at least one must be above 0. */
export function chooser(weights: readonly number[]): Choose {
  let sum = 0;
  const ends = Float64Array.from(weights, (weight) => sum += weight);
  const last = weights.findLastIndex((weight) => weight > 0);
  return (random) => {
    const drawn = random.next() * sum;
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle] > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
