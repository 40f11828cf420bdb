/**
 * Formats a number with thousands separators and `decimals` decimal places.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { formatThousands } from "./format_thousands.ts";
 *
 * assertEquals(formatThousands(12_345), "12,345");
 * assertEquals(formatThousands(12_345.5, 2), "12,345.50");
 * ```
 */
export function formatThousands(number: number, decimals = 0): string {
  // Not `Intl.NumberFormat`: the first use takes 5 MB.
  const [whole, fraction] = number.toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
