/** Log of a calibration, for `--explain`. Contains recorded and live text. */
export class CalibrationLog {
  readonly #lines = new Set<string>();

  /**
   * Adds a line about the call with this zero-based index in the plan. Ignores a line that the log
   * already contains.
   */
  add(index: number, text: string): void {
    this.#lines.add(`call ${index + 1}: ${text}`);
  }

  /** All lines, in the order in which they were added. */
  get lines(): string[] {
    return [...this.#lines];
  }
}

/** Maximum length of a value in a line, in UTF-16 code units. */
const LONGEST = 60;

/** Quotes a value for the log, and shortens it if it is long. */
export function quoteValue(value: string): string {
  return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value);
}
