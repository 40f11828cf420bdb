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
  const needed = [
    ...callSections(found, show, explain),
    missingSection(found, show),
    ...contentBlocks(found, show, explain),
    conflictSection(found, show),
    pauseSection("Recorded pauses added as a precaution", found.possiblePauses, show),
    rateLimitSection(found),
    socketSection(found, show),
  ];
  const rest = [
    extractionSection(found, show),
    uniqueSection(found, show),
    movedSection(found, show),
    pauseSection("Calls that need their recorded pause", found.pauses, show),
    removedSection(found, show),
    constantSection(found, show),
    messageSection(found, show),
    uncomparedSection(found, show),
    explanationSection(found, show),
  ];
  const lines = [
    verdictLine(found),
    "",
    ...printText(explain ? [...needed, ...rest] : needed, style(false, Infinity)),
    ...(explain ? [] : editLines(found)),
    `${plural(found.writes.sent, "write")} sent (limit ${found.writes.limit})`,
  ];
  return lines.map((line) => safeText(line)).join("\n") + "\n";
}

function editLines(
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

function explanationSection({ explanation }: Calibration, show: Show): Section {
  const more = explanation.length - MOST_LINES;
  return listSection("Evidence", [
    ...explanation.slice(0, MOST_LINES).map((line) => show(line, 240)),
    ...(more > 0 ? [`(${more} more lines)`] : []),
  ]);
}
