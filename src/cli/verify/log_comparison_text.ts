import { safeSnippet } from "../../base/safe_text.ts";
import { percent } from "../../base/format.ts";
import { textTable } from "../../report/text/layout.ts";
import type { LogComparison } from "../../verify/log/compare_with_log.ts";
import { describeAspects, describeComparison } from "./describe_log_comparison.ts";

const MAX_ENDPOINTS = 12;

/** Formats the comparison of a run with its log: the result, each aspect, then the endpoints. */
export function logComparisonText(found: LogComparison): string {
  return [
    describeComparison(found),
    "",
    ...textTable(["left", "left"], describeAspects(found)),
    "",
    ...endpointLines(found.mix),
    "",
  ].join("\n");
}

function endpointLines({ endpoints }: LogComparison["mix"]): string[] {
  const rows = endpoints.slice(0, MAX_ENDPOINTS).map(({ endpoint, log, run }) => [
    shown(endpoint),
    percent(log),
    percent(run),
    `${run >= log ? "+" : "-"}${percent(Math.abs(run - log))}`,
  ]);
  const more = endpoints.length - MAX_ENDPOINTS;
  return [
    ...textTable(["left", "right", "right", "right"], [["", "log", "run", "difference"], ...rows]),
    ...(more > 0 ? [`  (${more} more with smaller differences)`] : []),
  ];
}

function shown(text: string): string {
  return safeSnippet(text, 44);
}
