/** Returns the sum of the numbers, or 0 if the list is empty. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
