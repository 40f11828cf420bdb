import { DURATION_SHAPES, durationMs } from "../../base/format.ts";
import { UsageError } from "../../base/errors.ts";
import { busiestWindow, type TimeWindow } from "../../traffic/accesslog/profile/busiest_window.ts";
import type { Args } from "../command/command.ts";
import { inputKind } from "../input/input_kind.ts";
import { openInputs } from "../input/open_inputs.ts";
import { readLog } from "../input/read_log.ts";
import { progressLine } from "../output/progress_line.ts";
import type { Io } from "../system/io.ts";
import { refuseOthers } from "./convert_flags.ts";
import { logOptions } from "./log_options.ts";

/**
 * Reads the logs once and returns the time window that `--busiest` keeps. Throws UsageError if the
 * option is invalid, or if an input can be read only once.
 */
export async function findBusiest(args: Args, text: string, io: Io): Promise<TimeWindow> {
  const seconds = Math.ceil((durationMs(text) ?? 0) / 1_000);
  if (seconds === 0) {
    throw new UsageError(`--busiest cannot be ${text}: expected a duration, ${DURATION_SHAPES}`);
  }
  if (args.positionals.includes("-")) {
    throw new UsageError("--busiest reads the log twice: give a file instead of standard input");
  }
  const line = progressLine(io.stderr);
  try {
    const { observation } = await logOptions(args);
    const kindOf = args.text("from") === "accesslog" ? () => "accesslog" as const : inputKind;
    using opened = await openInputs(args.positionals, io.stdin, kindOf);
    if (opened.inputs.some(({ kind }) => kind === "har")) refuseOthers(args, "har");
    const reading = { ...observation, collectors: [] };
    // A log without requests is an error of `readLog`.
    const { profile } = await readLog(opened.inputs, reading, line.update);
    return busiestWindow(profile, seconds)!;
  } finally {
    line.clear();
  }
}
