import { isLoopbackHost } from "../../base/host_header.ts";
import { UsageError } from "../../base/errors.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { livePage } from "../../report/html/live/live_page.ts";
import { isOpen } from "../../report/html/run_charts.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";
import { uiAddress } from "./ui_address.ts";
import { type UiServer, uiServer } from "./ui_server.ts";

/**
 * Serves the live view where `--ui` asks for one, and says where it is. Throws UsageError when it
 * cannot.
 */
export async function openUi(plan: Plan, args: Args, io: Io): Promise<UiServer | undefined> {
  if (!args.has("ui")) return undefined;
  if (args.has("once")) throw new UsageError("--ui has no use with --once: it is over at once");
  const address = uiAddress(args.text("ui")!);
  const { name = "", scenarios } = plan;
  const server = uiServer(name, await livePage(name, isOpen(Object.values(scenarios))), address);
  if (!args.has("quiet")) io.stderr.write(`live view at ${server.url}\n`);
  // Told in any case: who starts a run is not always who wrote its command.
  if (!isLoopbackHost(address.host)) {
    io.stderr.write("warning: whoever can reach this machine can see it, names in the plan too\n");
  }
  return server;
}
