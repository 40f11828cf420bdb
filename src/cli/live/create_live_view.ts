import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { dashboardView } from "./dashboard_view.ts";
import { lineView } from "./line_view.ts";
import type { LiveView } from "./live_view.ts";

const SILENT: LiveView = { update() {}, showNote() {}, close() {} };

/** Creates the view of a run on standard error, by its options and the terminal. A dashboard shows `note`. */
export function createLiveView({ name = "" }: Plan, args: Args, io: Io, note: string): LiveView {
  if (args.has("quiet")) return SILENT;
  // `--once` prints every exchange, so progress lines are not needed.
  if (args.has("once")) return { ...lineView(io.stderr), update() {} };
  if (io.stderr.columns() === undefined || isDumb()) return lineView(io.stderr);
  return dashboardView(io, { name, color: !args.has("no-color") && !Deno.noColor, note });
}

/** Reports whether the terminal declares that it does not support escape sequences. */
function isDumb(): boolean {
  const variable = "TERM";
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" && Deno.env.get(variable) === "dumb";
}
