import { plural } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type { Calibration } from "../../calibrate/calibration.ts";
import { listSection, type Section } from "../../report/blocks.ts";
import { printText, style } from "../../report/text/print_blocks.ts";
import { callSections, conflictSection, missingSection, type Show } from "./call_lines.ts";
import {
  constantSection,
  contentBlocks,
  extractionSection,
  messageSection,
  movedSection,
  pauseSection,
  rateLimitSection,
  removedSection,
  socketSection,
  uncomparedSection,
  uniqueSection,
} from "./calibration_sections.ts";
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
  const blocks = [
    ...(explain ? [explanationSection(found, show)] : []),
    ...callSections(found, show),
    missingSection(found, show),
    ...contentBlocks(found, show, explain),
    conflictSection(found, show),
    extractionSection(found, show),
    uniqueSection(found, show),
    movedSection(found, show),
    pauseSection("Calls that need their recorded pause", found.pauses, show),
    pauseSection("Recorded pauses added as a precaution", found.possiblePauses, show),
    rateLimitSection(found),
    removedSection(found, show),
    constantSection(found, show),
    socketSection(found, show),
    messageSection(found, show),
    uncomparedSection(found, show),
  ];
  const lines = [
    verdictLine(found),
    "",
    ...printText(blocks, style(false, Infinity)),
    `${plural(found.writes.sent, "write")} sent (limit ${found.writes.limit})`,
  ];
  return lines.map((line) => safeText(line)).join("\n") + "\n";
}

function explanationSection({ explanation }: Calibration, show: Show): Section {
  const more = explanation.length - MOST_LINES;
  return listSection("Evidence", [
    ...explanation.slice(0, MOST_LINES).map((line) => show(line, 240)),
    ...(more > 0 ? [`(${more} more lines)`] : []),
  ]);
}
