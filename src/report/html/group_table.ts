import type { GroupStats, Summary } from "../../engine/summary/summary.ts";
import { SHOWN_TIMES } from "../shown_times.ts";
import { groupPath } from "../summary_words.ts";
import type { Markup } from "./markup.ts";
import { countCell, htmlTable } from "./html_table.ts";
import { trendColumns } from "./trend_table.ts";

/**
 * Creates a table of the durations of the groups. Returns undefined if there are no groups or their
 * durations are unknown.
 */
export function groupTable({ groups = [] }: Summary): Markup | undefined {
  return htmlTable<GroupStats>(
    [
      { title: "Group", cell: ({ scenario, group }) => groupPath(scenario, group) },
      { title: "Complete runs", cell: ({ duration }) => countCell(duration.count) },
      ...trendColumns<GroupStats>(SHOWN_TIMES.trends, ({ duration }) => duration),
    ],
    groups,
    { caption: "Groups", sortable: true },
  );
}
