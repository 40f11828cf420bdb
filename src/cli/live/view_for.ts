import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";
import { dashboardView } from "./dashboard_view.ts";
import { lineView } from "./line_view.ts";
import type { LiveView } from "./live_view.ts";

const SILENT: LiveView = { update() {}, say() {}, close() {} };

/** What is to be seen of a run while it goes on; `note` is said where there is a place for it. */
export function viewFor({ name = "" }: Plan, args: Args, io: Io, note: string): LiveView {
  if (args.has("quiet")) return SILENT;
  // `--once` shows every exchange: how many there were is seen.
  if (args.has("once")) return { ...lineView(io.stderr), update() {} };
  if (io.stderr.columns() === undefined || isDumb()) return lineView(io.stderr);
  return dashboardView(io, { name, color: !args.has("no-color") && !Deno.noColor, note });
}

/** A terminal that says that it knows no escape sequences. */
function isDumb(): boolean {
  const variable = "TERM";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" && Deno.env.get(variable) === "dumb";
}
