import { safeSnippet } from "../../base/safe_text.ts";
import { percent } from "../../report/text/units.ts";
import { textTable } from "../../report/text/text_table.ts";
import type { LogComparison } from "../../verify/log/compare_with_log.ts";
import { comparisonAspects, comparisonVerdict } from "./log_comparison_words.ts";

const MOST = 12;

/** A run beside its log for people: what it comes to in words first, then endpoint by endpoint. */
export function logComparisonText(found: LogComparison): string {
  return [
    comparisonVerdict(found),
    "",
    ...textTable(["left", "left"], comparisonAspects(found)),
    "",
    ...endpointLines(found.mix),
    "",
  ].join("\n");
}

function endpointLines({ endpoints }: LogComparison["mix"]): string[] {
  const rows = endpoints.slice(0, MOST).map(({ endpoint, log, run }) => [
    shown(endpoint),
    percent(log),
    percent(run),
    `${run >= log ? "+" : "-"}${percent(Math.abs(run - log))}`,
  ]);
  const more = endpoints.length - MOST;
  return [
    ...textTable(["left", "right", "right", "right"], [["", "log", "run", "difference"], ...rows]),
    ...(more > 0 ? [`  (${more} more, nearer to the log)`] : []),
  ];
}

function shown(text: string): string {
  return safeSnippet(text, 44);
}
