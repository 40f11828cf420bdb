import type { Summary } from "../../engine/summary.ts";
import type { Markup } from "./markup.ts";
import { countCell, timeCell } from "./number.ts";
import { htmlTable } from "./html_table.ts";

/** Each scenario: what it started, what was dropped, how late its schedule was kept. */
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
        hint: "Starts for which no VU was free",
        cell: ({ dropped }) => countCell(dropped, dropped > 0 ? "bad" : undefined),
      },
      { title: "Most VUs", cell: ({ max_vus }) => countCell(max_vus) },
      ...(isOpen
        ? (["med", "p(99)", "max"] as const).map((key) => ({
          title: `Late ${key}`,
          hint: "How late iterations were started after their scheduled time",
          cell: ({ schedule_lag_us }: Summary["scenarios"][number]) =>
            schedule_lag_us === null ? "–" : timeCell(schedule_lag_us[key] / 1_000),
        }))
        : []),
    ],
    scenarios,
    { caption: "Scenarios" },
  );
}
