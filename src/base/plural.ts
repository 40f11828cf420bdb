import { formatThousands } from "./format_thousands.ts";

/** Formats a count with its noun: `1 request`, `2,000 requests`. */
export function plural(count: number, noun: string): string {
  return `${formatThousands(Math.round(count))} ${noun}${count === 1 ? "" : "s"}`;
}
