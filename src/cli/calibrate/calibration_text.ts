import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
import { reviewText } from "../../report/text/review.ts";
import { hiddenFindings } from "../review/verification_text.ts";
import { calibrationFindings } from "./calibration_review.ts";
import { callNumbers, type Show } from "./verdict_text.ts";

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
    ...(explain ? evidence(found) : [...differingCalls(found), ...editCounts(found)]),
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

function differingCalls({ calls }: Calibration): string[] {
  const numbers = calls.filter(({ content }) =>
    content?.more || content?.differences.some(({ kind }) => kind !== "empty list")
  ).map(({ index }) => index + 1);
  if (numbers.length === 0) return [];
  return [
    `${plural(numbers.length, "call")} with content that differs from the recording: ` +
    `${numbers.join(", ")} (\`--explain\` lists the differences)`,
  ];
}

function editCounts(
  { extracted, received, unique, moved, pauses, removed }: Calibration,
): string[] {
  const counts = [
    [extracted.length + received.length, "value extracted", "values extracted"],
    [unique.length, "text made unique", "texts made unique"],
    [pauses.length, "pause added", "pauses added"],
    [moved.length, "request moved", "requests moved"],
    [removed.length, "variable removed", "variables removed"],
  ] as const;
  const made = counts.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  );
  return made.length === 0 ? [] : [`${made.join(", ")} (\`--explain\` lists them)`];
}

/** Reports repairs that did harm: which they are, and which calls work only without them. */
function discardedRepairs({ discarded }: Calibration): string[] {
  if (discarded === undefined) return [];
  const repairs = discarded.repairs.length === 0 ? "repairs" : discarded.repairs.join(", ");
  const work = discarded.calls.length === 1 ? "works" : "work";
  return [`discarded: ${repairs}; ${callNumbers(discarded.calls)} ${work} only without`];
}
