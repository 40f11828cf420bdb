/**
 * Joins the first five distinct items with commas. If there are more, appends how many were omitted,
 * such as ` and 3 more`.
 */
export function listed(items: readonly string[]): string {
  const unique = [...new Set(items)];
  const more = unique.length - 5;
  return unique.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
