import { random } from "../../../base/random.ts";
import { wholeCount } from "./arrivals.ts";

/**
 * Places of iterations on the area under a rate curve, which is the number of iterations that an
 * even schedule has started until then.
 */
export interface Places {
  /** Returns the area at which iteration `n` (from 0) starts. */
  at(n: number): number;
  /** Returns the number of iterations that start before the area reaches `area`. */
  before(area: number): number;
}

/** Iterations start each time the area grows by 1. */
export const EVEN: Places = { at: (n) => n, before: wholeCount };

/** Maximum number of places that are drawn together. */
const BLOCK = 1_024;

/** Places of consecutive iterations. */
interface Block {
  /** Number of iterations before the block. */
  readonly before: number;
  /** Places, ascending. */
  readonly places: Float64Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns independent, uniformly distributed places, sorted: those of a Poisson process with
 * exactly `count` iterations in each `count` units of area. A binary tree divides the iterations at
 * random into halves, so that any block of places can be computed without the others. All shards of
 * a run compute the same tree from `seed`.
 */
export function randomPlaces(count: number, seed: number): Places {
  let known: Block = { before: 0, places: new Float64Array(0), start: 0, end: 0 };
  const find = (part: number, isFirst: (inFirst: number, middle: number) => boolean): Block => {
    let [before, size, left, width, node] = [part * count, count, part * count, count, 1];
    while (size > BLOCK) {
      const { gaussian } = random(seed, part, node);
      // A binomial number, in the normal approximation.
      const first = Math.min(
        size,
        Math.max(0, Math.round((size + Math.sqrt(size) * gaussian()) / 2)),
      );
      const inFirst = isFirst(before + first, left + width / 2);
      width /= 2;
      node = 2 * node + (inFirst ? 0 : 1);
      if (inFirst) size = first;
      else {
        size -= first;
        before += first;
        left += width;
      }
    }
    const draw = random(seed, part, node, BLOCK);
    const places = Float64Array.from({ length: size }, () => left + width * draw.next()).sort();
    return known = { before, places, start: left, end: left + width };
  };
  return {
    at(n) {
      if (n < known.before || n >= known.before + known.places.length) {
        find(Math.floor(n / count), (first) => n < first);
      }
      return known.places[n - known.before];
    },
    before(area) {
      if (area === Infinity) return Infinity;
      const { before, places } = area >= known.start && area < known.end
        ? known
        : find(Math.floor(area / count), (_, middle) => area < middle);
      const after = places.findIndex((place) => place >= area);
      return before + (after < 0 ? places.length : after);
    },
  };
}
