import { statLabel } from "../summary_words.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { Markup } from "./markup.ts";
import { countCell, htmlTable, timeCell } from "./html_table.ts";

/** Lists each scenario with its iterations and start delays. */
export function scenarioTable({ scenarios }: Summary): Markup | undefined {
  const isOpen = scenarios.some(({ schedule_lag_us }) => schedule_lag_us !== null);
  return htmlTable(
    [
      { title: "Scenario", cell: ({ name }) => name },
      { title: "Executor", cell: ({ executor }) => executor },
      { title: "Iterations", cell: ({ iterations }) => countCell(iterations) },
      { title: "Cut off", cell: ({ interrupted }) => countCell(interrupted) },
      {
        title: "Dropped",
        hint: "Scheduled iterations that did not start because no VU was free",
        cell: ({ dropped }) => countCell(dropped, dropped > 0 ? "bad" : undefined),
      },
      { title: "Max VUs", cell: ({ max_vus }) => countCell(max_vus) },
      ...(isOpen
        ? (["med", "p(99)", "max"] as const).map((key) => ({
          title: `Start delay ${statLabel(key)}`,
          hint: "Time between the scheduled and the actual start of an iteration",
          cell: ({ schedule_lag_us }: Summary["scenarios"][number]) =>
            schedule_lag_us === null ? "–" : timeCell(schedule_lag_us[key] / 1_000),
        }))
        : []),
    ],
    scenarios,
    { caption: "Scenarios" },
  );
}
