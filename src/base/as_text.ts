/** Returns text unchanged and any other value as JSON writes it. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
