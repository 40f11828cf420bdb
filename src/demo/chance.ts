/** Returns true with a probability of `percent` (0 to 100) percent. */
export type Chance = (percent: number) => boolean;

/** Creates a deterministic `Chance`: the same seed gives the same sequence of results. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return (percent) => {
    // The linear congruential generator of Numerical Recipes: its high bits suffice here.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < percent / 100;
  };
}
