/** Elements of a Go time layout, each with its strftime directive, longest first. */
const ELEMENTS: readonly (readonly [element: string, directive: string])[] = [
  ["January", "%B"],
  ["Monday", "%A"],
  ["Jan", "%b"],
  ["Mon", "%a"],
  ["MST", "%Z"],
  ["2006", "%Y"],
  ...["Z07:00", "-07:00", "Z0700", "-0700", "Z07", "-07"].map((zone) => [zone, "%z"] as const),
  ["06", "%y"],
  ["01", "%m"],
  ["_2", "%e"],
  ["02", "%d"],
  ["15", "%H"],
  ["03", "%I"],
  ["04", "%M"],
  ["05", "%S"],
  ["PM", "%p"],
  ["pm", "%p"],
  ["2", "%e"],
  ["3", "%l"],
];
/** Matches the fraction of a second in a Go time layout, directly after the seconds. */
const FRACTION = /^([.,])(?:0+|9+)(?!\d)/;

/**
 * Converts a time layout of the Go language, such as `2006-01-02 15:04:05.000`, to an strftime
 * layout. Returns undefined if `text` contains no year, because it is then not a Go layout. Also
 * returns undefined if an element has no counterpart in strftime, such as `1` (month without a
 * leading zero).
 */
export function parseGoLayout(text: string): string | undefined {
  if (!text.includes("06") || text.includes("%")) return undefined;
  let layout = "";
  for (let rest = text; rest !== "";) {
    const fraction = layout.endsWith("%S") ? FRACTION.exec(rest) : null;
    if (fraction !== null) {
      layout += `${fraction[1]}%f`;
      rest = rest.slice(fraction[0].length);
      continue;
    }
    const [element, directive] = ELEMENTS.find(([start]) => rest.startsWith(start)) ?? [];
    if (element === undefined && /^\d/.test(rest)) return undefined;
    layout += directive ?? rest[0];
    rest = rest.slice(element?.length ?? 1);
  }
  return layout;
}
