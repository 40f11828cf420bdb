import type { DifferenceKind, ResponseDifference } from "./response_difference.ts";

/** Maximum number of names that a difference lists for each response. */
const LISTED = 5;

/**
 * Creates a difference in the aspect `kind`, with the recorded and the live value of this aspect.
 */
export function difference(
  kind: DifferenceKind,
  recorded: string,
  live: string,
): ResponseDifference {
  return { kind, recorded, live };
}

/**
 * Returns a list that contains the difference between two sets of names, or an empty list if the
 * sets are equal.
 */
export function nameDifference(
  kind: DifferenceKind,
  recorded: ReadonlySet<string>,
  live: ReadonlySet<string>,
): ResponseDifference[] {
  const missing = [...recorded].filter((name) => !live.has(name));
  const added = [...live].filter((name) => !recorded.has(name));
  if (missing.length === 0 && added.length === 0) return [];
  return [difference(kind, listNames(missing), listNames(added))];
}

function listNames(names: readonly string[]): string {
  const more = names.length - LISTED;
  return names.slice(0, LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
