import type { Summary } from "../../engine/summary/summary.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import type { LiveView } from "./live_view.ts";
import { openUi } from "./open_ui.ts";
import { createLiveView } from "./create_live_view.ts";

/** The views of a run: the terminal, and browsers with `--ui`. */
export interface Watch extends Pick<LiveView, "update" | "showNote"> {
  /** Shows the final summary. Afterwards, standard error can be written to again. */
  end(summary: Summary): Promise<void>;
  /** Closes all views, also after an error. */
  close(): Promise<void>;
}

/** Opens the views of a run. Throws UsageError if `--ui` cannot be served. */
export async function openWatch(plan: Plan, args: Args, io: Io): Promise<Watch> {
  const ui = await openUi(plan, args, io);
  const place = ui ? `  Live view: ${ui.url}` : "";
  const view = createLiveView(plan, args, io, `Ctrl-C stops the run gracefully${place}`);
  return {
    update(progress) {
      view.update(progress);
      ui?.update(progress);
    },
    showNote(text) {
      view.showNote(text);
      ui?.showNote(text);
    },
    async end(summary) {
      view.close();
      await ui?.end(summary);
    },
    async close() {
      view.close();
      await ui?.close();
    },
  };
}
