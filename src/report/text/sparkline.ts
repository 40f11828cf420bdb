const BARS = "▁▂▃▄▅▆▇█";

/** A row of bars, one per value; the highest is full, and only zero is blank. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values.map((value) =>
    value === 0 ? " " : BARS[Math.ceil((value / most) * BARS.length) - 1]
  ).join("");
}
