import type { Summary } from "../../engine/summary.ts";
import type { Markup } from "./markup.ts";
import { counted, timed } from "./number.ts";
import { table } from "./table.ts";

/** Each scenario: what it started, what was dropped, how late its schedule was kept. */
export function scenarioTable({ scenarios }: Summary): Markup | undefined {
  const isOpen = scenarios.some(({ schedule_lag_us }) => schedule_lag_us !== null);
  return table(
    [
      { title: "Scenario", cell: ({ name }) => name },
      { title: "Executor", cell: ({ executor }) => executor },
      { title: "Iterations", cell: ({ iterations }) => counted(iterations) },
      { title: "Cut off", cell: ({ interrupted }) => counted(interrupted) },
      {
        title: "Dropped",
        hint: "Starts for which no VU was free",
        cell: ({ dropped }) => counted(dropped, dropped > 0 ? "bad" : undefined),
      },
      { title: "Most VUs", cell: ({ max_vus }) => counted(max_vus) },
      ...(isOpen
        ? (["med", "p(99)", "max"] as const).map((key) => ({
          title: `Late ${key}`,
          hint: "How late iterations were started after their scheduled time",
          cell: ({ schedule_lag_us }: Summary["scenarios"][number]) =>
            schedule_lag_us === null ? "–" : timed(schedule_lag_us[key] / 1_000),
        }))
        : []),
    ],
    scenarios,
    { caption: "Scenarios" },
  );
}
