import type { Found } from "./found.ts";
import type { Label, Use } from "./label.ts";

/** Score of a correlator for one recording, as counts of values. */
export interface Score {
  /** Number of values correlated as labelled: with the same producer, path and uses. */
  right: number;
  /**
   * Number of values that are correlated although they must not be, or that are correlated
   * differently than labelled.
   */
  wrong: number;
  /** Number of values that must be correlated but are not correlated as labelled. */
  missed: number;
  /** One line for each wrong or missed value. */
  readonly faults: string[];
}

/**
 * Compares the correlations found in a plan with the labels of its recording. `jsonOnly` means that
 * the plan was made with `--correlate json`. A correlation of an unlabelled value counts as wrong.
 */
export function score(
  labels: readonly Label[],
  found: readonly Found[],
  jsonOnly: boolean,
): Score {
  const result: Score = { right: 0, wrong: 0, missed: 0, faults: [] };
  const left = new Set(found);
  for (const label of labels) {
    const isExpected = label.correlate || (label.byDefault === true && !jsonOnly);
    const of = found.filter((one) => matchesLabel(label, one));
    for (const one of of) left.delete(one);
    judge(label, isExpected, of, result);
  }
  for (const { value, producer, path } of left) {
    result.wrong++;
    result.faults.push(`no label: ${JSON.stringify(value)} from entry ${producer} ${path}`);
  }
  return result;
}

/**
 * Reports whether a correlation is for the value of a label. Compares the values of JSONPath
 * extractors, and the producers and uses of other extractors.
 */
function matchesLabel(label: Label, found: Found): boolean {
  if (found.path !== undefined) return found.value === label.value;
  return isAsLabelled(label, found);
}

function judge(label: Label, isExpected: boolean, found: readonly Found[], result: Score): void {
  const fits = isExpected && found.length === 1 && isAsLabelled(label, found[0]);
  if (fits) result.right++;
  if (!fits && found.length > 0) result.wrong++;
  if (!fits && isExpected) result.missed++;
  if (!fits && (found.length > 0 || isExpected)) {
    result.faults.push(difference(label, isExpected, found));
  }
}

function isAsLabelled({ producer = -1, paths = [], uses }: Label, found: Found): boolean {
  if (listed(found.uses) !== listed(uses)) return false;
  if (found.path !== undefined) return found.producer === producer && paths.includes(found.path);
  // If the value is not in JSON, an earlier response may also contain it.
  return found.producer <= producer;
}

function listed(uses: readonly Use[]): string {
  return uses.map(({ entry, where }) => `${entry} ${where}`).sort().join(", ");
}

function difference(label: Label, isExpected: boolean, found: readonly Found[]): string {
  const { value, why, producer, paths = [], uses } = label;
  const expected = isExpected
    ? `from ${producer} ${paths.join(" or ")} to ${listed(uses)}`
    : "none";
  const got = found.map((f) => `from ${f.producer} ${f.path} to ${listed(f.uses)}`).join("; ");
  return `${JSON.stringify(value)} (${why}): expected ${expected}; found ${got || "none"}`;
}
