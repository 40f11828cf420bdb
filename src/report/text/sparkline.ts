const BARS = "▁▂▃▄▅▆▇█";

/** Draws one bar per value. The highest value is a full bar, and only zero is blank. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values.map((value) =>
    value === 0 ? " " : BARS[Math.ceil((value / most) * BARS.length) - 1]
  ).join("");
}
