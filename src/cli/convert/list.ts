/** The values of a repeatable option, those in one with commas between set apart. */
export function list(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(",")).map((part) => part.trim()).filter(Boolean);
}
