/** Up to five of the items, each once, and how many more there are. */
export function listed(items: readonly string[]): string {
  const unique = [...new Set(items)];
  const more = unique.length - 5;
  return unique.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
