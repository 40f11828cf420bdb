import type { Summary } from "../../engine/summary.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";
import type { LiveView } from "./live_view.ts";
import { openUi } from "./open_ui.ts";
import { viewFor } from "./view_for.ts";

/** All who watch a run: the terminal, and browsers where `--ui` asks for them. */
export interface Watch extends Pick<LiveView, "update" | "say"> {
  /** Shows how it ended; standard error can be written to again. */
  end(summary: Summary): Promise<void>;
  /** Ends the watch, however the run ended. */
  close(): Promise<void>;
}

/** Begins to watch. Throws UsageError when `--ui` cannot be served. */
export async function openWatch(plan: Plan, args: Args, io: Io): Promise<Watch> {
  const ui = await openUi(plan, args, io);
  const place = ui ? `  live view at ${ui.url}` : "";
  const view = viewFor(plan, args, io, `Ctrl-C ends the run gracefully${place}`);
  return {
    update(progress) {
      view.update(progress);
      ui?.update(progress);
    },
    say(text) {
      view.say(text);
      ui?.say(text);
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
