/** Maximum rounds of block pivoting before the fallback to the active-set method. */
const BLOCK_ROUNDS = 12;

/**
 * Solves non-negative least squares: returns the `x ≥ 0` that minimizes `xᵀGx − 2bᵀx`. `gram` is
 * `G = AᵀA` in row-major order, `right` is `b = Aᵀy`. Tries block pivoting (Portugal, Júdice and Vicente),
 * which takes a few rounds but may fail, then active sets (Lawson and Hanson).
 */
export function nonNegativeSolution(gram: Float64Array, right: Float64Array): Float64Array {
  const tolerance = 1e-10 * Math.max(...right.map(Math.abs), 1e-300);
  return byBlocks(gram, right, tolerance) ?? bySets(gram, right, tolerance);
}

function byBlocks(
  gram: Float64Array,
  right: Float64Array,
  tolerance: number,
): Float64Array | undefined {
  const isFree = new Uint8Array(right.length).fill(1);
  for (let round = 0; round < BLOCK_ROUNDS; round++) {
    const free: number[] = [];
    isFree.forEach((is, i) => is === 1 && free.push(i));
    const x = solved(gram, right, free);
    let wrong = 0;
    for (let i = 0; i < right.length; i++) {
      const isWrong = isFree[i] === 1 ? x[i] < 0 : slopeAt(gram, right, x, free, i) > tolerance;
      if (!isWrong) continue;
      isFree[i] ^= 1;
      wrong++;
    }
    if (wrong === 0) return x;
  }
  return undefined;
}

function bySets(gram: Float64Array, right: Float64Array, tolerance: number): Float64Array {
  const size = right.length;
  let x: Float64Array = new Float64Array(size);
  const free: number[] = [];
  for (let round = 0; round < 3 * size; round++) {
    const next = steepest(gram, right, x, free, tolerance);
    if (next < 0) break;
    free.push(next);
    x = inside(gram, right, x, free);
  }
  return x;
}

/** Returns the negative gradient of the objective at `x` for element `i`, which is fixed at 0. */
function slopeAt(
  gram: Float64Array,
  right: Float64Array,
  x: Float64Array,
  free: readonly number[],
  i: number,
): number {
  let slope = right[i];
  for (const j of free) slope -= gram[i * right.length + j] * x[j];
  return slope;
}

/**
 * Returns the index of the element fixed at 0 with the largest negative gradient, or -1 if none exceeds
 * the tolerance.
 */
function steepest(
  gram: Float64Array,
  right: Float64Array,
  x: Float64Array,
  free: readonly number[],
  tolerance: number,
): number {
  let best = -1;
  let most = tolerance;
  for (let i = 0; i < right.length; i++) {
    if (free.includes(i)) continue;
    const slope = slopeAt(gram, right, x, free, i);
    if (slope > most) [best, most] = [i, slope];
  }
  return best;
}

/**
 * Moves from `x` toward the solution over the elements in `free`, and keeps every element at 0 or above.
 * Removes elements that reach 0 from `free`. Returns the new `x`.
 */
function inside(
  gram: Float64Array,
  right: Float64Array,
  x: Float64Array,
  free: number[],
): Float64Array {
  for (;;) {
    const goal = solved(gram, right, free);
    let step = 1;
    for (const i of free) if (goal[i] <= 0) step = Math.min(step, x[i] / (x[i] - goal[i]));
    if (step === 1 && free.every((i) => goal[i] > 0)) return goal;
    const moved = x.map((value, i) => value + step * (goal[i] - value));
    const stopped = free.filter((i) => goal[i] <= 0 && moved[i] <= 1e-12 * Math.max(1, x[i]));
    for (const i of stopped) {
      moved[i] = 0;
      free.splice(free.indexOf(i), 1);
    }
    if (stopped.length === 0 || free.length === 0) return moved;
    x = moved;
  }
}

/**
 * Solves for the elements in `free` and sets all others to 0. Uses a slightly damped Cholesky
 * decomposition.
 */
function solved(gram: Float64Array, right: Float64Array, free: readonly number[]): Float64Array {
  const n = free.length;
  const lower = new Float64Array(n * n);
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = gram[free[i] * right.length + free[j]];
      if (i === j) sum *= 1 + 1e-12;
      for (let k = 0; k < j; k++) sum -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-300)) : sum / lower[j * n + j];
    }
    y[i] = right[free[i]];
    for (let k = 0; k < i; k++) y[i] -= lower[i * n + k] * y[k];
    y[i] /= lower[i * n + i];
  }
  const x = new Float64Array(right.length);
  for (let i = n - 1; i >= 0; i--) {
    let sum = y[i];
    for (let k = i + 1; k < n; k++) sum -= lower[k * n + i] * x[free[k]];
    x[free[i]] = sum / lower[i * n + i];
  }
  return x;
}
