/** Matches a range of status codes, such as `4xx` or `200-399`. */
export const STATUS_RANGE = /^(?:[1-5]xx|[1-5]\d\d-[1-5]\d\d)$/;

/**
 * Returns a function that reports whether a status is in a list of codes and ranges. Returns
 * undefined if no list is given.
 */
export function statusTest(
  list: readonly (number | string)[] | undefined,
): ((status: number) => boolean) | undefined {
  if (list === undefined) return undefined;
  const ranges = list.map(bounds);
  return (status) => ranges.some(([from, to]) => status >= from && status <= to);
}

function bounds(range: number | string): [from: number, to: number] {
  if (typeof range === "number") return [range, range];
  if (range.endsWith("xx")) return [Number(range[0]) * 100, Number(range[0]) * 100 + 99];
  const [from, to] = range.split("-").map(Number);
  return [from, to];
}
