/**
 * Deterministic pseudorandom number generator. Generators with the same seeds return the same
 * sequence.
 */
export interface Random {
  /**
   * Returns a uniformly distributed number from 0 (inclusive) to 1 (exclusive), with 32 random
   * bits.
   */
  next(): number;
  /** Returns a uniformly distributed integer from `min` to `max`, both inclusive. */
  int(min: number, max: number): number;
  /** Returns a number from the standard normal distribution (mean 0, standard deviation 1). */
  gaussian(): number;
  /** Returns a version 4 UUID. */
  uuid(): string;
}

const TWO_32 = 2 ** 32;

/**
 * Creates a pseudorandom number generator (sfc32). Generators with different seeds return
 * independent sequences.
 */
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

/**
 * Returns 10 random lowercase letters and digits. The text starts with a letter and a digit, so
 * that comparisons recognize it as a generated value rather than a word.
 */
export function uniqueText({ int }: Random): string {
  const rest = Array.from({ length: 8 }, () => LETTERS_AND_DIGITS[int(0, 35)]).join("");
  return `${LETTERS[int(0, 25)]}${int(0, 9)}${rest}`;
}

/** Returns a number from the standard normal distribution (Box–Muller transform). */
function gaussian(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

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
