/** True in `percent` of the calls. */
export type Chance = (percent: number) => boolean;

/** The same luck for the same seed. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  return (percent) => {
    // Numerical Recipes' generator: its high bits are good enough for choosing who fails.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < percent / 100;
  };
}
