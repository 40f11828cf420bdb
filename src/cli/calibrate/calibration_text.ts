import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
import { callLines, conflictLines, missingLines } from "./call_lines.ts";
import { contentLines, type Show } from "./content_text.ts";
import { movedLines, pauseLines, rateLimitLines } from "./order_lines.ts";
import { messageLines, socketLines, uncomparedLines } from "./socket_lines.ts";
import { constantLines, extractionLines, removedLines, uniqueLines } from "./value_lines.ts";
import { verdictLine } from "./verdict_line.ts";

/** Maximum number of lines of an explanation. */
const MOST_LINES = 400;

/** Formats a calibration as text, with the verdict in the first line. Hides secrets. */
export function calibrationText(
  found: Calibration,
  redact: Redactor,
  explain: boolean,
): string {
  const show = (text: string, max = 60) => safeSnippet(redact(text), max);
  const lines = [
    verdictLine(found),
    "",
    ...(explain ? explanation(found, show) : []),
    ...callLines(found, show),
    ...missingLines(found, show),
    ...contentLines(found, show, explain),
    ...conflictLines(found, show),
    ...extractionLines(found, show),
    ...uniqueLines(found, show),
    ...movedLines(found, show),
    ...pauseLines("Calls that need their recorded pause", found.pauses, show),
    ...pauseLines("Recorded pauses added as a precaution", found.possiblePauses, show),
    ...rateLimitLines(found),
    ...removedLines(found, show),
    ...constantLines(found, show),
    ...socketLines(found, show),
    ...messageLines(found, show),
    ...uncomparedLines(found, show),
    `${plural(found.writes.sent, "write")} sent (limit ${found.writes.limit})`,
  ];
  return lines.map((line) => safeText(line)).join("\n") + "\n";
}

function explanation({ explanation }: Calibration, show: Show): string[] {
  if (explanation.length === 0) return [];
  const more = explanation.length - MOST_LINES;
  return [
    "Evidence",
    ...explanation.slice(0, MOST_LINES).map((line) => `  ${show(line, 240)}`),
    ...(more > 0 ? [`  (${more} more lines)`] : []),
    "",
  ];
}
