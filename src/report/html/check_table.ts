import type { CheckFigures, Summary } from "../../engine/summary.ts";
import { within } from "../within.ts";
import type { Markup } from "./markup.ts";
import { counted, shared } from "./number.ts";
import { table } from "./table.ts";

/** Each check and how often it passed. */
export function checkTable({ checks }: Summary): Markup | undefined {
  return table(
    [
      { title: "Check", cell: ({ name }) => name },
      { title: "In", cell: ({ scenario, group }) => within(scenario, group) },
      { title: "Passed", cell: ({ passes }) => counted(passes) },
      { title: "Failed", cell: ({ fails }) => counted(fails, fails > 0 ? "bad" : undefined) },
      { title: "Share", cell: passedShare },
    ],
    checks,
    { caption: "Checks", sortable: true },
  );
}

function passedShare({ passes, fails }: CheckFigures) {
  return passes + fails === 0
    ? { content: "never made", value: -1, tone: "faint" as const }
    : shared(passes / (passes + fails));
}
