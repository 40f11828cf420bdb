/**
 * Returns the Levenshtein distance of two sequences: the minimum number of steps to delete, insert or
 * change to turn one into the other. Returns `most + 1` if the distance exceeds `most`.
 */
export function edits(a: readonly number[], b: readonly number[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(changed, row[j] + 1, next[j - 1] + 1);
      least = Math.min(least, next[j]);
    }
    if (least > most) return most + 1;
    row = next;
  }
  return Math.min(row[b.length], most + 1);
}
