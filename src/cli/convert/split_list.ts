/** Flattens the values of a repeatable option, each of which may be a comma-separated list. */
export function splitList(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(",")).map((part) => part.trim()).filter(Boolean);
}
