import { type CheckData, ungroupChecks } from "../../engine/metrics/check_series.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { groupPath } from "../summary_words.ts";
import type { Markup } from "./markup.ts";
import { countCell, htmlTable, shareCell } from "./html_table.ts";

/**
 * Creates a table of the checks of each request that shows how often each check passed and failed.
 * Returns undefined if there are no checks.
 */
export function checkTable({ checks }: Summary): Markup | undefined {
  return htmlTable(
    [
      { title: "Check", cell: ({ name }) => name },
      {
        title: "Request",
        cell: ({ request = "" }) => request,
        // Older versions did not record the requests.
        isShown: (checks) => checks.some(({ request }) => request !== undefined),
      },
      { title: "In", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Passed", cell: ({ passes }) => countCell(passes) },
      { title: "Failed", cell: ({ fails }) => countCell(fails, fails > 0 ? "bad" : undefined) },
      { title: "Pass rate", cell: passedShare },
    ],
    ungroupChecks(checks),
    { caption: "Checks", sortable: true },
  );
}

function passedShare({ passes, fails }: CheckData) {
  return passes + fails === 0
    ? { content: "not evaluated", value: -1, tone: "faint" as const }
    : shareCell(passes / (passes + fails));
}
