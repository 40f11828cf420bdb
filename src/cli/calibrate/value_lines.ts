import { plural } from "../../base/format.ts";
import type { Calibration, ReportedExtraction } from "../../calibrate/calibration.ts";
import type { Show } from "./content_text.ts";

/** Lists the values that the plan now extracts. */
export function extractionLines({ extracted, received }: Calibration, show: Show): string[] {
  const count = extracted.length + received.length;
  if (count === 0) return [];
  return [
    `Values that the server generates (${count})`,
    ...extracted.flatMap((one) => extractionText(one, `call ${one.source + 1}`, show)),
    ...received.flatMap((one) => extractionText(one, `a message on ${show(one.socket, 60)}`, show)),
    "",
  ];
}

/**
 * Returns the report lines for a value that the plan now extracts. `source` describes the response
 * or the message that contains the value.
 */
function extractionText(
  { variable, recorded, live, extractor, consumers, messages, isRestored }: Omit<
    ReportedExtraction,
    "source"
  >,
  source: string,
  show: Show,
): string[] {
  const calls = consumers.length === 1 ? "call" : "calls";
  const used = [
    ...(consumers.length === 0
      ? []
      : [`${calls} ${consumers.map((index) => index + 1).join(", ")}`]),
    ...(messages === 0 ? [] : [plural(messages, "WebSocket message")]),
  ].join(" and ");
  return [
    `  \${${variable}}: recorded ${show(recorded, 40)}, live ${show(live, 40)}`,
    `    from ${source} (${show(JSON.stringify(extractor), 160)}), sent by ${used}${
      isRestored ? "; found in the live body, because the recorded one is missing" : ""
    }`,
  ];
}

/** Lists the strings that the plan now makes unique. */
export function uniqueLines({ unique }: Calibration, show: Show): string[] {
  if (unique.length === 0) return [];
  return [
    `Strings that must be unique (${unique.length})`,
    ...unique.map(({ recorded, template, source }) =>
      `  call ${source + 1}: ${show(recorded, 60)} is now ${show(template, 80)}`
    ),
    "",
  ];
}

/** Lists the variables that were removed from the plan. */
export function removedLines({ removed }: Calibration, show: Show): string[] {
  if (removed.length === 0) return [];
  return [
    `Variables removed (${removed.length})`,
    ...removed.map(({ variable, source, reason }) =>
      `  \${${variable}} of call ${source + 1}: ${show(reason, 120)}`
    ),
    "",
  ];
}

/** Lists the variables whose value was always the same. */
export function constantLines({ constants }: Calibration, show: Show): string[] {
  if (constants.length === 0) return [];
  return [
    `Constant variables, which you can remove (${constants.length})`,
    ...constants.map(({ variable, value, source }) =>
      `  \${${variable}} of call ${source + 1} is always ${show(value, 60)}`
    ),
    "",
  ];
}
