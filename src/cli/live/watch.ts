import { formatThousands } from "../../base/format.ts";
import { isLoopbackHost } from "../../base/host_header.ts";
import { safeText } from "../../base/safe_text.ts";
import type { LoadControl, LoadState } from "../../engine/kinds/load_control.ts";
import type { Progress } from "../../engine/progress.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { allFlows, countSent } from "../../plan/kinds/list_requests.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { describeLoad } from "../../report/run_warnings.ts";
import { checkAddress } from "../output/messages.ts";
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

/** The run that live views show, and how they change it. */
export interface WatchedRun {
  readonly plan: Plan;
  /** Text to print before the start, after all options have been checked. */
  readonly announcement: string;
  /** Origins of the targets, without secrets. */
  readonly origins: readonly string[];
  /** Load that keys in the terminal and requests to the live view change. */
  readonly load?: LoadControl | undefined;
  /** Stops the run gracefully. */
  readonly stop: () => void;
}

/** Live views of a run: on the terminal and, with `--ui`, in browsers. */
export interface Watch extends Pick<LiveView, "update" | "showNote"> {
  /** True if a view shows `Progress.details`, so that the run must collect them. */
  readonly showsDetails: boolean;
  end(summary: Summary): void;
  close(): Promise<void>;
}

/** Opens the live views of a run. Throws UsageError if the address of `--ui` cannot be used. */
export async function openWatch(
  { plan, announcement, origins, load, stop }: WatchedRun,
  given: WatchOptions,
  io: Io,
): Promise<Watch> {
  let terminal = SILENT;
  const control: RunControl | undefined = load && {
    get load() {
      return load.state;
    },
    act(action) {
      if (action.action === "stop") return void stop();
      const reason = load.apply(action);
      if (reason === undefined) showNote(loadNote(load.state));
      return reason;
    },
  };
  const ui = await openUi(plan, given.ui, control);
  io.stderr.write(announcement);
  if (ui) printUiUrls(ui, given, io, control !== undefined);
  const isDashboard = showsDashboard(given, io);
  const stopKeys = isDashboard && control
    ? io.keys?.((key) => {
      const action = keyAction(key, control.load);
      const reason = action && control.act(action);
      if (reason !== undefined) terminal.showNote(`Not changed: ${reason}`);
    })
    : undefined;
  const how = stopKeys ? KEYS_NOTE : "Ctrl-C stops the run gracefully";
  const place = ui ? `  Live view: ${ui.url}` : "";
  terminal = createLiveView(plan, given, io, how + place);
  const warningOf = unansweredWarning(origins);
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
      const warning = given.once === undefined ? warningOf(progress) : undefined;
      if (warning !== undefined) showNote(warning);
    },
    showNote,
    end(summary) {
      closeTerminal();
      ui?.end(summary);
    },
    async close() {
      closeTerminal();
      await ui?.close();
    },
  };
}

/**
 * Returns a function to call with the progress of a run every second. The first call after a
 * request has ended returns a warning if no request got a response. All other calls return
 * undefined.
 */
export function unansweredWarning(
  origins: readonly string[],
): (progress: Pick<Progress, "requests" | "received">) => string | undefined {
  let isKnown = false;
  return ({ requests, received }) => {
    if (isKnown || requests === 0) return undefined;
    isKnown = true;
    if (received > 0) return undefined;
    const first = requests === 1
      ? "the first request did not get a response"
      : `none of the first ${formatThousands(requests)} requests got a response`;
    return safeText(`warning: ${first}; ${checkAddress(origins)}, or stop the run (Ctrl-C)`);
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
  if (paused) return "Paused: p resumes, q stops";
  return `Load: ${describeLoad({ paused, rate, vus })} (${KEYS_NOTE})`;
}
