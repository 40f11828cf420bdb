import type { Found } from "./found.ts";
import type { Label, Option, Use } from "./label.ts";

/** How a correlator did on one recording, counted in values. */
export interface Score {
  /** Correlated as the label says: from there, and in exactly those places. */
  right: number;
  /** Correlated although it must not be, or otherwise than the label says. */
  wrong: number;
  /** To be correlated, but not or not as the label says. */
  missed: number;
  /** One line for each value that is wrong or missed. */
  readonly faults: string[];
}

/**
 * Compares what was found under these options with what is true. A correlation of a value without a
 * label is wrong.
 */
export function score(
  labels: readonly Label[],
  found: readonly Found[],
  options: ReadonlySet<Option>,
): Score {
  const result: Score = { right: 0, wrong: 0, missed: 0, faults: [] };
  const left = new Set(found);
  for (const label of labels) {
    const due = label.correlate || (label.option !== undefined && options.has(label.option));
    const of = found.filter((one) => matchesLabel(label, one));
    for (const one of of) left.delete(one);
    judge(label, due, of, result);
  }
  for (const { value, producer, path } of left) {
    result.wrong++;
    result.faults.push(`no label: ${JSON.stringify(value)} from entry ${producer} ${path}`);
  }
  return result;
}

/** What is not taken by a JSONPath is known by where it comes from and where it goes. */
function matchesLabel(label: Label, found: Found): boolean {
  if (found.path !== undefined) return found.value === label.value;
  return isAsLabelled(label, found);
}

function judge(label: Label, due: boolean, found: readonly Found[], result: Score): void {
  const fits = due && found.length === 1 && isAsLabelled(label, found[0]);
  if (fits) result.right++;
  if (!fits && found.length > 0) result.wrong++;
  if (!fits && due) result.missed++;
  if (!fits && (found.length > 0 || due)) result.faults.push(difference(label, due, found));
}

function isAsLabelled({ producer = -1, paths = [], uses }: Label, found: Found): boolean {
  if (listed(found.uses) !== listed(uses)) return false;
  if (found.path !== undefined) return found.producer === producer && paths.includes(found.path);
  // Where an option looks, too, an earlier response may hold the value.
  return found.producer <= producer;
}

function listed(uses: readonly Use[]): string {
  return uses.map(({ entry, where }) => `${entry} ${where}`).sort().join(", ");
}

function difference(label: Label, due: boolean, found: readonly Found[]): string {
  const { value, why, producer, paths = [], uses } = label;
  const expected = due ? `from ${producer} ${paths.join(" or ")} to ${listed(uses)}` : "none";
  const got = found.map((f) => `from ${f.producer} ${f.path} to ${listed(f.uses)}`).join("; ");
  return `${JSON.stringify(value)} (${why}): expected ${expected}; found ${got || "none"}`;
}
