import { formatThousands } from "./format_thousands.ts";

/**
 * Formats a count with its noun, in the plural unless the count is 1.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { plural } from "./plural.ts";
 *
 * assertEquals(plural(1, "request"), "1 request");
 * assertEquals(plural(2_000, "request"), "2,000 requests");
 * ```
 */
export function plural(count: number, noun: string): string {
  return `${formatThousands(Math.round(count))} ${noun}${count === 1 ? "" : "s"}`;
}
