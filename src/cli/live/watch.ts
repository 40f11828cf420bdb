import { isLoopbackHost } from "../../base/host_header.ts";
import type { LoadState } from "../../engine/kinds/load_control.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { allFlows, countSent } from "../../plan/kinds/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { describeLoad } from "../../report/run_warnings.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import {
  type ControlAction,
  dashboardView,
  lineView,
  type LiveView,
  type RunControl,
  type UiAddress,
} from "./live_view.ts";
import type { UiServer } from "./ui_server.ts";

export interface WatchOptions {
  readonly ui: UiAddress | undefined;
  readonly once: string | undefined;
  readonly quiet: boolean;
  readonly noColor: boolean;
}

/** Live views of a run: on the terminal and, with `--ui`, in browsers. */
export interface Watch extends Pick<LiveView, "update" | "showNote"> {
  /** True if a view shows `Progress.details`, so that the run must collect them. */
  readonly showsDetails: boolean;
  end(summary: Summary): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the live views of a run. With `control`, keys in the terminal and requests to the live view
 * change the load. Calls `announce` after validating all options and before printing anything.
 * Throws UsageError if the address of `--ui` cannot be used.
 */
export async function openWatch(
  plan: Plan,
  given: WatchOptions,
  io: Io,
  control?: RunControl,
  announce: () => void = () => {},
): Promise<Watch> {
  let terminal = SILENT;
  const controlled = control && {
    get load() {
      return control.load;
    },
    act(action: ControlAction) {
      const reason = control.act(action);
      if (reason === undefined && action.action !== "stop") showNote(loadNote(control.load));
      return reason;
    },
  };
  const ui = await openUi(plan, given.ui, controlled);
  announce();
  if (ui) printUiUrls(ui, given, io, control !== undefined);
  const isDashboard = showsDashboard(given, io);
  const stopKeys = isDashboard && controlled
    ? io.keys?.((key) => {
      const action = keyAction(key, controlled.load);
      const reason = action && controlled.act(action);
      if (reason !== undefined) terminal.showNote(`Not changed: ${reason}`);
    })
    : undefined;
  const how = stopKeys ? KEYS_NOTE : "Ctrl-C stops the run gracefully";
  const place = ui ? `  Live view: ${ui.url}` : "";
  terminal = createLiveView(plan, given, io, how + place);
  function showNote(text: string): void {
    terminal.showNote(text);
    ui?.showNote(text);
  }
  function closeTerminal(): void {
    stopKeys?.();
    terminal.close();
  }
  return {
    showsDetails: ui !== undefined || isDashboard && hasFewEndpoints(plan),
    update(progress) {
      terminal.update(progress);
      ui?.update(progress);
    },
    showNote,
    async end(summary) {
      closeTerminal();
      await ui?.end(summary);
    },
    async close() {
      closeTerminal();
      await ui?.close();
    },
  };
}

async function openUi(
  plan: Plan,
  address: UiAddress | undefined,
  control: RunControl | undefined,
): Promise<UiServer | undefined> {
  if (address === undefined) return undefined;
  // Loaded only for `--ui`.
  const { livePage } = await import("../../report/html/live_page.ts");
  const { uiServer } = await import("./ui_server.ts");
  return uiServer(plan.name ?? "", await livePage(plan), address, { control });
}

function printUiUrls(
  server: UiServer,
  { quiet }: WatchOptions,
  io: Io,
  hasControl: boolean,
): void {
  if (!quiet) {
    io.stderr.write(`Live view: ${server.url}\n`);
    if (hasControl) io.stderr.write(`Live view that can change the load: ${server.controlUrl}\n`);
  }
  // Printed even with --quiet: another person may have written the command.
  if (!isLoopbackHost(new URL(server.url).hostname.replace(/^\[(.*)\]$/, "$1"))) {
    io.stderr.write(
      "warning: anyone who can reach this machine can open the live view, which shows names from the plan\n",
    );
  }
}

const SILENT: LiveView = { update() {}, showNote() {}, close() {} };

function createLiveView(
  { name = "" }: Plan,
  given: WatchOptions,
  io: Io,
  note: string,
): LiveView {
  if (given.quiet) return SILENT;
  // `--once` prints every exchange, so progress lines are not needed.
  if (given.once) return { ...lineView(io.stderr), update() {} };
  if (!showsDashboard(given, io)) return lineView(io.stderr);
  return dashboardView(io, {
    name,
    color: io.stderr.colors === true && !given.noColor,
    note,
  });
}

/**
 * Maximum number of requests in a plan for which the dashboard lists the endpoints. Copying the
 * counts for 300 endpoints every second uses about 1% of a core per thread.
 */
const MAX_ENDPOINTS = 300;

function hasFewEndpoints(plan: Plan): boolean {
  return countSent(allFlows(plan)).requests <= MAX_ENDPOINTS;
}

function showsDashboard({ quiet, once }: WatchOptions, io: Io): boolean {
  if (quiet || once) return false;
  // Such a terminal does not support escape sequences.
  return io.stderr.columns() !== undefined && readGrantedEnv("TERM") !== "dumb";
}

/** Describes what the keys of `keyAction` do, for the last line of the dashboard. */
const KEYS_NOTE = "p pauses, + and - change the rate by 10%, q stops";

function keyAction(key: string, { paused }: LoadState): ControlAction | undefined {
  switch (key) {
    case "p":
      return { action: paused ? "resume" : "pause" };
    case "+":
    case "=":
      return { action: "step", tenths: 1 };
    case "-":
    case "_":
      return { action: "step", tenths: -1 };
    case "q":
      return { action: "stop" };
    default:
      return undefined;
  }
}

function loadNote({ paused, rate, vus }: LoadState): string {
  const load = describeLoad({ paused, rate, vus });
  return paused ? "Paused: p resumes, q stops" : `Load: ${load} (${KEYS_NOTE})`;
}
