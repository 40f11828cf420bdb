import type { Found } from "./found.ts";
import type { Label, Use } from "./label.ts";

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

/** Compares what was found with what is true. A correlation of a value without a label is wrong. */
export function score(labels: readonly Label[], found: readonly Found[]): Score {
  const result: Score = { right: 0, wrong: 0, missed: 0, faults: [] };
  const left = new Set(found);
  for (const label of labels) {
    const of = found.filter(({ value }) => value === label.value);
    for (const one of of) left.delete(one);
    judge(label, of, result);
  }
  for (const { value, producer, path } of left) {
    result.wrong++;
    result.faults.push(`no label: ${JSON.stringify(value)} from entry ${producer} ${path}`);
  }
  return result;
}

function judge(label: Label, found: readonly Found[], result: Score): void {
  const fits = label.correlate && found.length === 1 && isAsLabelled(label, found[0]);
  if (fits) result.right++;
  if (!fits && found.length > 0) result.wrong++;
  if (!fits && label.correlate) result.missed++;
  if (!fits && (found.length > 0 || label.correlate)) result.faults.push(difference(label, found));
}

function isAsLabelled({ producer, paths = [], uses }: Label, found: Found): boolean {
  return found.producer === producer && paths.includes(found.path) &&
    found.uses.length === uses.length && listed(found.uses) === listed(uses);
}

function listed(uses: readonly Use[]): string {
  return uses.map(({ entry, where }) => `${entry} ${where}`).sort().join(", ");
}

function difference(label: Label, found: readonly Found[]): string {
  const { value, why, correlate, producer, paths = [], uses } = label;
  const expected = correlate ? `from ${producer} ${paths.join(" or ")} to ${listed(uses)}` : "none";
  const got = found.map((f) => `from ${f.producer} ${f.path} to ${listed(f.uses)}`).join("; ");
  return `${JSON.stringify(value)} (${why}): expected ${expected}; found ${got || "none"}`;
}
