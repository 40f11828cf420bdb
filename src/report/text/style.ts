/** Colours and width of a text report. */
export interface Style {
  /** Maximum columns of a line. */
  readonly width: number;
  good(text: string): string;
  bad(text: string): string;
  /** Paints secondary text. */
  faint(text: string): string;
  /** Paints headings. */
  strong(text: string): string;
}

/** Creates a terminal style. Without `color`, text stays unchanged. */
export function style(color: boolean, width: number): Style {
  const paint = (code: number) => (text: string) =>
    color && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { width, good: paint(32), bad: paint(31), faint: paint(2), strong: paint(1) };
}
