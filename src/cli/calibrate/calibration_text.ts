import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type { CalibratedPlan, Calibration } from "../../calibrate/calibration.ts";
import { type Review, reviewText } from "../../report/text/review.ts";
import { hiddenFindings } from "../review/review_parts.ts";
import { calibrationFindings } from "./calibration_review.ts";
import { callNumbers, reservations, roundText, type Show } from "./verdict_text.ts";
import { findPause, insertPauses } from "../../calibrate/flow_edits.ts";
import type { NeededPause } from "../../calibrate/pause_trial.ts";
import { isGood } from "../../calibrate/verdicts.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import { amendPlanText } from "../../plan/edits/amend_plan.ts";
import { printPlan } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { parseTree } from "../../plan/parse_tree.ts";

/** Maximum number of lines of evidence. */
const MOST_LINES = 400;

/** Formats a calibration as text, with the verdict in the first line. Hides secrets. */
export function calibrationText(
  found: Calibration,
  redact: Redactor,
  explain: boolean,
): string {
  const show: Show = (text, max = 60) => safeSnippet(redact(text), max);
  const review = calibrationFindings(found, show, (index) => `call ${index + 1}`);
  const lines = [
    ...(explain ? evidence(found) : [...refusingCalls(found), ...editCounts(review)]),
    ...discardedRepairs(found),
    ...(explain ? [] : review.facts),
  ];
  return reviewText(hiddenFindings(review, redact), explain) + "\n" +
    lines.map((line) => show(line, 240) + "\n").join("");
}

function evidence({ explanation }: Calibration): string[] {
  if (explanation.length === 0) return [];
  const more = explanation.length - MOST_LINES;
  return [
    "Evidence",
    ...explanation.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  (${more} more lines)`] : []),
  ];
}

function refusingCalls({ calls }: Calibration): string[] {
  const refusing = calls.filter(({ content }) => content?.some(({ kind }) => kind === "refusal"));
  if (refusing.length === 0) return [];
  return [
    `${
      plural(refusing.length, "call")
    } with text that reads like a refusal, although the response ` +
    `is as recorded: ${refusing.map(({ index }) => index + 1).join(", ")} (\`--explain\` lists it)`,
  ];
}

/** Counts the edits of the plan, with the titles under which `--explain` lists them. */
function editCounts({ values, notes }: Review): string[] {
  const titles = [
    ...values.filter(({ rating }) => rating === "good").map(({ result }) => `${result} values`),
    ...notes.filter(({ rating }) => rating === "good").map(({ kind }) => kind),
  ];
  const counts = [...Map.groupBy(titles, String)].map(([title, { length }]) =>
    `${title} (${length})`
  );
  return counts.length === 0 ? [] : [`${counts.join(", ")}; \`--explain\` lists them`];
}

/** Reports repairs that did harm: which they are, and which calls work only without them. */
function discardedRepairs({ discarded }: Calibration): string[] {
  if (discarded === undefined) return [];
  const repairs = discarded.repairs.length === 0 ? "some repairs" : discarded.repairs.join(", ");
  const work = discarded.calls.length === 1 ? "works" : "work";
  return [`discarded: ${repairs}; ${callNumbers(discarded.calls)} ${work} only without`];
}

const MARK = "Calibrated against ";
/** Matches a line that an earlier calibration added. */
const EARLIER = new RegExp(`^# ?${MARK}.*(?:\\r?\\n|$)`, "gm");

export interface CalibratedPlanText {
  readonly text: string;
  /**
   * True if the text of the given plan was edited in place, which keeps its comments. False if the
   * whole plan was formatted again.
   */
  readonly isKept: boolean;
}

/**
 * Formats a calibrated plan as YAML. Edits `source`, the text of the given plan, without changing
 * the text of unchanged parts, and adds a line with the result at the top. If `source` cannot be
 * edited, formats the whole plan, and keeps only the comment at the top. Throws Error if the plan
 * is invalid, which means that the calibration has a bug. Returns `source` if the given plan did
 * better than the repaired one.
 */
export function calibratedPlanText(
  { plan, unpaused, calibration }: CalibratedPlan,
  source: string,
): CalibratedPlanText {
  if (calibration.kept === "given") return { text: source, isKept: true };
  const { proven, target, calls, rounds, pauses } = calibration;
  const good = calls.filter(isGood).length;
  const result =
    `${MARK}${target}: ${proven ? "proven, " : ""}${good} of ${plural(calls.length, "call")} as ` +
    `recorded ${roundText(rounds.at(-1)!)}${reservations(calibration)}.`;
  let amended = amendPlanText(source, unpaused);
  // Adding one pause at a time keeps the text of the steps around it.
  for (let count = 1; count <= pauses.length && amended !== undefined; count++) {
    amended = amendPlanText(amended, insertPauses(unpaused, pauses.slice(0, count)));
  }
  const whole = amended === undefined
    ? printPlan(plan, [result, ...topComment(source).filter((line) => !line.startsWith(MARK))])
    : withResult(amended, result);
  const text = withPauseComments(whole, plan, pauses);
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length === 0) return { text, isKept: amended !== undefined };
  const reasons = faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  throw new Error(`the calibrated plan is invalid: ${reasons.join("; ")}`);
}

function withResult(text: string, result: string): string {
  const [, mark, top, rest] = /^(\ufeff?)((?:#.*(?:\r?\n|$))*)([^]*)$/.exec(text)!;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const others = top.replace(EARLIER, "");
  const gap = others === "" && top === "" ? newline : "";
  return `${mark}# ${safeText(result)}${newline}${gap}${others}${rest}`;
}

/** Returns the comment lines at the top of a plan, without the leading `# `. */
function topComment(source: string): string[] {
  const lines = source.replace(/^\ufeff/, "").split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^# ?/, ""));
}

const NEEDED =
  "# calibrate: keep this recorded pause; without it, the next response differed from the recording.";

/**
 * Maximum length of a plan to which comments can be added, in UTF-16 code units. The syntax tree of
 * a longer plan needs too much memory.
 */
const MAX_TEXT = 2_000_000;

/**
 * Adds a comment above each pause. `text` is the text of `plan`. Adds no comment to a pause that
 * shares its line with other steps.
 */
function withPauseComments(
  text: string,
  plan: Plan,
  pauses: readonly NeededPause[],
): string {
  if (pauses.length === 0 || text.length > MAX_TEXT) return text;
  const tree = parseTree(text, false);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const starts = pauses.flatMap(({ index }) => {
    const path = findPause(plan, index);
    const node = path === undefined ? undefined : tree.getIn(path, true);
    return isPlaced(node) ? [text.lastIndexOf("\n", node.range[0]) + 1] : [];
  });
  return starts.sort((a, b) => b - a).reduce((commented, start) => {
    const indent = /^ *(?=- )/.exec(text.slice(start))?.[0];
    if (indent === undefined || text.slice(0, start).trimEnd().endsWith(NEEDED)) return commented;
    return commented.slice(0, start) + indent + NEEDED + newline + commented.slice(start);
  }, text);
}

function isPlaced(node: unknown): node is { readonly range: readonly number[] } {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}
