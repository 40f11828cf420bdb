const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The parts of a log line that a test can set. */
export interface LineParts {
  /** Timestamp in Unix milliseconds. */
  readonly at: number;
  readonly client?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly agent?: string;
}

/** Formats a line in the combined log format, including the line feed. */
export function logLine(
  { at, client = "10.0.0.1", method = "GET", path = "/", status = 200, agent = "-" }: LineParts,
): string {
  const iso = new Date(at).toISOString();
  const day = `${iso.slice(8, 10)}/${MONTHS[Number(iso.slice(5, 7)) - 1]}/${iso.slice(0, 4)}`;
  return `${client} - - [${day}:${iso.slice(11, 19)} +0000] "${method} ${path} HTTP/1.1" ` +
    `${status} 1 "-" "${agent}"\n`;
}
