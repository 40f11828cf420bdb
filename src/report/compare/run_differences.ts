import { formatMs, plural } from "../../base/format.ts";
import type { RunEnvironment, Summary } from "../../engine/summary/summary.ts";
import { runWarnings } from "../run_warnings.ts";
import { isAborted } from "../../engine/summary/verdict.ts";
import { ENDING_WORDS, incompleteness } from "../summary_words.ts";

/** A run to compare, and the file that contains its summary. */
export interface ComparedRun {
  readonly file: string;
  readonly summary: Summary;
}

/** Maximum relative difference between the durations of runs that does not cause a warning. */
const MAX_DURATION_CHANGE = 0.1;

/**
 * Returns the reasons to doubt a comparison: incomplete runs, runs in the wrong order,
 * differences between the conditions of the runs, and the warnings about the first and the last
 * run. Identifies the runs by their files. The strings contain recorded text, which is not escaped.
 */
export function comparisonWarnings(runs: readonly ComparedRun[]): string[] {
  return [
    ...runs.flatMap(({ file, summary }) =>
      [...partialReasons(summary), ...summary.incomplete ?? []].map((reason) =>
        `${file} is incomplete: ${reason}`
      )
    ),
    ...orderWarning(runs),
    ...runDifferences(runs),
    ...[runs[0], runs[runs.length - 1]].flatMap(warningsOfRun),
  ];
}

function warningsOfRun({ file, summary }: ComparedRun): string[] {
  return runWarnings(summary).map(({ scenario, text }) =>
    [file, scenario, text].filter((part) => part !== undefined).join(": ")
  );
}

function orderWarning(runs: readonly ComparedRun[]): string[] {
  const late = runs.findIndex(({ summary }, i) =>
    i > 0 && Date.parse(summary.started_at) < Date.parse(runs[i - 1].summary.started_at)
  );
  if (late < 0) return [];
  return [
    `${runs[late].file} started before ${
      runs[late - 1].file
    }: list the files in chronological order`,
  ];
}

/** A condition of a run that should be the same in all compared runs. */
interface Condition {
  /** Name of the condition in the plural, such as `targets`. */
  readonly name: string;
  /** Returns the condition of a run as text, or undefined if the summary does not contain it. */
  readonly read: (summary: Summary) => string | undefined;
}

const inEnvironment =
  (read: (environment: RunEnvironment) => string) => ({ environment }: Summary) =>
    environment && read(environment);

const list = (texts: readonly string[], separator: string) =>
  texts.length === 0 ? "none" : texts.toSorted().join(separator);

const CONDITIONS: readonly Condition[] = [
  { name: "targets", read: inEnvironment(({ targets }) => list(targets, ", ")) },
  { name: "options", read: inEnvironment(({ options }) => list(options, " ")) },
  { name: "versions of rehearse", read: inEnvironment(({ version }) => version) },
  {
    name: "machines",
    read: inEnvironment(({ cores, workers }) =>
      `${plural(workers, "worker")} on ${plural(cores, "core")}`
    ),
  },
];

function runDifferences(runs: readonly ComparedRun[]): string[] {
  const differing = CONDITIONS.flatMap(({ name, read }) => {
    const text = describeGroups(runs, read);
    return text === undefined ? [] : [{ name, text: `the runs had different ${name}: ${text}` }];
  });
  // The hash of the plan also covers its options and targets.
  const isExplained = differing.some(({ name }) => name === "targets" || name === "options");
  const plans = isExplained
    ? describeGroups(runs, planFile)
    : describeGroups(runs, ({ plan_hash }) => plan_hash, planIdentity);
  return [
    ...differing.map(({ text }) => text),
    ...(plans === undefined ? [] : [`the runs had different plans or data files: ${plans}`]),
    ...durationWarning(runs),
  ];
}

function planFile({ environment }: Summary): string | undefined {
  return environment?.plan;
}

function planIdentity({ plan_hash, environment }: Summary): string {
  const hash = `SHA-256 ${plan_hash.slice(0, 8)}…`;
  return environment === undefined ? hash : `${environment.plan} (${hash})`;
}

/**
 * Lists each value that `read` returns for a run, with the files of the runs that have it: `A in
 * a.json; B in b.json`. Returns undefined if all known values are equal. `describe` returns the
 * text to show instead of the value (default: the value itself).
 */
function describeGroups(
  runs: readonly ComparedRun[],
  read: (summary: Summary) => string | undefined,
  describe: (summary: Summary) => string | undefined = read,
): string | undefined {
  const known = runs.filter(({ summary }) => read(summary) !== undefined);
  const groups = Map.groupBy(known, ({ summary }) => read(summary)!);
  if (groups.size < 2) return undefined;
  return [...groups.values()].map((of) => `${describe(of[0].summary)} in ${names(of)}`).join("; ");
}

/** Maximum number of files that a list in a warning contains. */
const MAX_FILES = 5;

function names(runs: readonly ComparedRun[]): string {
  const more = runs.length - MAX_FILES;
  const shown = runs.slice(0, MAX_FILES).map(({ file }) => file).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function durationWarning(runs: readonly ComparedRun[]): string[] {
  const sorted = runs.toSorted((a, b) => a.summary.duration_ms - b.summary.duration_ms);
  const [shortest, longest] = [sorted[0], sorted[sorted.length - 1]];
  const [least, most] = [shortest, longest].map(({ summary }) => summary.duration_ms);
  if (most - least <= MAX_DURATION_CHANGE * most) return [];
  return [
    `the runs had different durations: ${formatMs(least)} in ${shortest.file}, ` +
    `${formatMs(most)} in ${longest.file}`,
  ];
}

/**
 * Returns the reasons why a run covers less than its plan: it was aborted or interrupted, or only
 * some of its shards are known. Returns an empty list for a complete run. A run that did less than
 * planned covers its plan: a slow target causes this, and the comparison must show it.
 */
export function partialReasons({ incomplete: _, ...summary }: Summary): string[] {
  const { ending, duration_ms } = summary;
  return [
    ...incompleteness(summary),
    ...(isAborted(ending) || ending === "lost"
      ? [`${ENDING_WORDS[ending]} ${formatMs(duration_ms)}`]
      : []),
  ];
}
