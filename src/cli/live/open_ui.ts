import { isLoopbackHost } from "../../base/host_header.ts";
import { UsageError } from "../../base/errors.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { livePage } from "../../report/html/live/live_page.ts";
import { isOpen } from "../../report/html/run_charts.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { parseUiAddress } from "./ui_address.ts";
import { type UiServer, uiServer } from "./ui_server.ts";

/**
 * Serves the live view of `--ui` and prints its URL. Returns undefined without `--ui`. Throws UsageError
 * if it cannot listen.
 */
export async function openUi(plan: Plan, args: Args, io: Io): Promise<UiServer | undefined> {
  if (!args.has("ui")) return undefined;
  if (args.has("once")) throw new UsageError("--ui cannot be combined with --once");
  const address = parseUiAddress(args.text("ui")!);
  const { name = "", scenarios } = plan;
  const server = uiServer(name, await livePage(name, isOpen(Object.values(scenarios))), address);
  if (!args.has("quiet")) io.stderr.write(`Live view: ${server.url}\n`);
  // Printed even with --quiet: another person may have written the command.
  if (!isLoopbackHost(address.host)) {
    io.stderr.write(
      "warning: the live view is open to everyone who can reach this machine; it shows names from the plan\n",
    );
  }
  return server;
}
