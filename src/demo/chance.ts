/** Returns true in `percent` of the calls. */
export type Chance = (percent: number) => boolean;

/** Creates a deterministic generator: the same seed gives the same results. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return (percent) => {
    // The linear congruential generator of Numerical Recipes: its high bits suffice here.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < percent / 100;
  };
}
