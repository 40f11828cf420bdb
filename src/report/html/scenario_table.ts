import type { Summary } from "../../engine/summary/summary.ts";
import { SHOWN_TIMES, statLabel } from "../shown_times.ts";
import { countCell, type HtmlColumn, htmlTable, timeCell } from "./html_table.ts";
import type { Markup } from "./markup.ts";

type Row = Summary["scenarios"][number];

const COLUMNS: readonly HtmlColumn<Row>[] = [
  { title: "Scenario", cell: ({ name }) => name },
  { title: "Executor", cell: ({ executor }) => executor },
  { title: "Iterations", cell: ({ iterations }) => countCell(iterations) },
  { title: "Cut off", cell: ({ interrupted }) => countCell(interrupted) },
  {
    title: "Dropped",
    hint: "Planned iterations that did not start",
    cell: ({ dropped }) => countCell(dropped, dropped > 0 ? "bad" : undefined),
  },
  { title: "Max VUs", cell: ({ max_vus }) => countCell(max_vus) },
  ...SHOWN_TIMES.startDelay.map((key): HtmlColumn<Row> => ({
    title: `Start delay ${statLabel(key)}`,
    hint: "Time between the scheduled and the actual start of an iteration",
    isShown: (rows) => rows.some(({ schedule_lag_us }) => schedule_lag_us !== null),
    cell: ({ schedule_lag_us }) =>
      schedule_lag_us === null ? "–" : timeCell(schedule_lag_us[key] / 1_000),
  })),
];

/**
 * Creates a table that shows the iterations and start delays of each scenario. Returns undefined if
 * there are no scenarios.
 */
export function scenarioTable({ scenarios }: Summary): Markup | undefined {
  return htmlTable(COLUMNS, scenarios, { caption: "Scenarios" });
}
