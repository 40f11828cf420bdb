/** How the report may look: colours only where they are wanted, so many columns. */
export interface Style {
  /** Columns that a line may take. */
  readonly width: number;
  good(text: string): string;
  bad(text: string): string;
  /** What matters less. */
  faint(text: string): string;
  /** Headings. */
  strong(text: string): string;
}

/** The style of a terminal, with ANSI colours or without any. */
export function style(color: boolean, width: number): Style {
  const paint = (code: number) => (text: string) =>
    color && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { width, good: paint(32), bad: paint(31), faint: paint(2), strong: paint(1) };
}
