import type { RunEnvironment, Summary } from "../engine/summary/summary.ts";

/** Lists the differences in targets and options between two runs. Holds recorded text. */
export function runDifferences(
  { environment: a }: Summary,
  { environment: b }: Summary,
): string[] {
  if (a === undefined || b === undefined) return [];
  const differ = (of: (environment: RunEnvironment) => readonly string[]) =>
    JSON.stringify(of(a).toSorted()) !== JSON.stringify(of(b).toSorted());
  const list = (texts: readonly string[]) => texts.length === 0 ? "none" : texts.join(", ");
  return [
    ...(differ(({ targets }) => targets)
      ? [`the runs had different targets: ${list(a.targets)} before, ${list(b.targets)} after`]
      : []),
    ...(differ(({ options }) => options)
      ? [`the runs had different options: ${list(a.options)} before, ${list(b.options)} after`]
      : []),
  ];
}
