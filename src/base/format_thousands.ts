/**
 * A number with its thousands set apart: `12,345`, `12,345.50`. Not by `Intl`, which
 * takes 5 MB when it is first asked.
 */
export function formatThousands(number: number, decimals = 0): string {
  const [whole, part] = number.toFixed(decimals).split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? apart : `${apart}.${part}`;
}
