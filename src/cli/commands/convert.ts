import { UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import type { Converted } from "../../convert/converted.ts";
import { convertAccessLog, type LogConversion } from "../../convert/from_accesslog.ts";
import { readingNotes } from "../../convert/accesslog/log_notes.ts";
import { needsAction, type Note } from "../../convert/notes/note.ts";
import { serializeProfile } from "../../traffic/accesslog/profile/serialize_profile.ts";
import { StatusCounts } from "../../traffic/accesslog/collect/status_counts.ts";
import type { Args, Command } from "../command/command.ts";
import { CONVERT_FLAGS } from "../convert/convert_flags.ts";
import { accessLogOptions, harOptions, refuseOthers } from "../convert/convert_options.ts";
import { openOutput, type OutputFile } from "../output/output_file.ts";
import { readLog } from "../input/read_log.ts";
import { parseObservation } from "../convert/reading.ts";
import { type InputKind, inputKind } from "../input/input_kind.ts";
import type { Io } from "../system/io.ts";
import { openInputs } from "../input/open_inputs.ts";
import { printNotes } from "../output/print_notes.ts";
import { type ConvertProgress, progressLine } from "../output/progress_line.ts";
import { sparkline } from "../../base/format.ts";

/** `rehearse convert`. */
export const convertCommand: Command = {
  name: "convert",
  summary: "Convert an access log or a browser recording into a load-test plan",
  usage: "FILE... [OPTIONS]",
  takes: "files",
  about: [
    "Reads an access log or a HAR file (plain, .gz or .zst) and writes a plan in YAML. Several log " +
    "files count as one log. `-` is standard input.",
    "Anything approximated, excluded or left to you is reported as a warning on standard error. " +
    "Warnings that need no action are marked `(info)`.",
    "Exit codes: 0 the plan is written; 1 the input or the output failed; 2 the command line is " +
    "wrong, or with --strict a warning needs an action.",
  ],
  flags: CONVERT_FLAGS,
  examples: [
    {
      command: "rehearse convert access.log -o plan.yaml",
      does: "Send the log's mix of requests at its average rate.",
    },
    {
      command: "zcat access.log.*.gz | rehearse convert - --base-url https://staging.example.com",
      does: "Read rotated logs as one and print the plan.",
    },
    {
      command: "rehearse convert session.har -o plan.yaml",
      does: "Replay a browser session, with live tokens and ids instead of the recorded ones.",
    },
    {
      command: "rehearse convert session.har --correlate all --checks status -o plan.yaml",
      does: "Also correlate values from HTML, headers and cookies, and check each status.",
    },
    {
      command: "rehearse convert access.log --har session.har --shape curve -o plan.yaml",
      does: "Replay the recorded session at the rate at which the log shows its first request.",
    },
    {
      command: "rehearse convert session.har --correlate all --verify -o plan.yaml",
      does: "Also check offline that the plan replays the recording.",
    },
    {
      command: "rehearse convert web1.log --profile web1.json > /dev/null",
      does:
        "Save the log as counts; `rehearse convert web1.json web2.json` makes one plan of several.",
    },
  ],
  run: runConvert,
};

async function runConvert(args: Args, io: Io): Promise<number> {
  const paths = args.positionals;
  if (paths.length === 0) {
    throw new UsageError(
      "expected an access log or a HAR file to convert, or - for standard input",
    );
  }
  if (paths.indexOf("-") !== paths.lastIndexOf("-")) {
    throw new UsageError("standard input (-) was given twice, but can be read only once");
  }
  refuseSharedOutput(args);
  if (args.has("html") && args.has("har")) {
    throw new UsageError(
      "--html cannot be combined with --har: it charts a plan made from the log",
    );
  }
  if (args.has("verify") && args.has("har")) {
    throw new UsageError(
      "--verify cannot be combined with --har: run `rehearse verify` on the plan instead",
    );
  }
  const plan = openOutput(args.text("output"), paths, io);
  const profile = args.has("profile") ? openOutput(args.text("profile"), paths, io) : undefined;
  const ids = args.has("ids") ? openOutput(args.text("ids"), paths, io) : undefined;
  const picture = args.has("html") ? openOutput(args.text("html"), paths, io) : undefined;
  const line = progressLine(io.stderr);
  try {
    const converted = await convertInputs(paths, args, io, line.update, profile);
    line.clear();
    if (converted.picture) picture?.write(await converted.picture());
    return await write(converted, { plan, ids }, args, io);
  } finally {
    line.clear();
    for (const output of [plan, profile, ids, picture]) output?.discard();
  }
}

function refuseSharedOutput(args: Args): void {
  const given = ["output", "profile", "ids", "html"].filter((name) => args.has(name));
  for (const name of given) {
    const other = given.find((one) => one !== name && args.text(one) === args.text(name));
    if (other === undefined) continue;
    throw new UsageError(`--${other} and --${name} name the same file: give each a different one`);
  }
}

/** Writes the plan, prints notes and the summary to standard error, and returns the exit code. */
async function write(
  { converted, explanation, rates }: Result,
  { plan, ids }: { readonly plan: OutputFile; readonly ids?: OutputFile },
  args: Args,
  io: Io,
): Promise<number> {
  // Loaded only now: reading the log takes less memory without the modules that print plans.
  const { planText } = await import("../convert/plan_text.ts");
  const text = planText(converted);
  if (converted.idsCsv !== undefined) ids?.write(converted.idsCsv);
  plan.write(text);
  if (explanation?.length) io.stderr.write(`${explanation.map(safeText).join("\n")}\n`);
  const format = args.text("warnings") === "json" ? "json" : "text";
  printNotes(converted.notes, format, io);
  if (format === "text") {
    const lines = [converted.summary, converted.traffic].filter((line) => line !== undefined);
    io.stderr.write(`${lines.join("\n")}\n`);
  }
  const columns = io.stderr.columns();
  if (format === "text" && columns !== undefined && rates) {
    io.stderr.write(`${sparkline(rates(Math.min(72, columns)))}\n`);
  }
  return args.has("strict") && needsAction(converted.notes) ? 2 : 0;
}

interface Result {
  readonly converted: Converted & Pick<LogConversion, "idsCsv" | "traffic">;
  /** Lines that `--explain` prints. */
  readonly explanation?: readonly string[];
  /** Returns the recorded rate over time, in at most `buckets` buckets. */
  readonly rates?: (buckets: number) => number[];
  /** Renders the HTML page that `--html` writes. */
  readonly picture?: () => Promise<string>;
}

function withNotes<T extends Converted>(converted: T, notes: readonly Note[]): T {
  return { ...converted, notes: [...notes, ...converted.notes] };
}

async function convertInputs(
  paths: readonly string[],
  args: Args,
  io: Io,
  progress: ConvertProgress,
  profileOutput: OutputFile | undefined,
): Promise<Result> {
  const log = accessLogOptions(args);
  const reading = await parseObservation(args);
  const har = harOptions(args);
  const implied = args.has("log-format") ? "accesslog" : undefined;
  const forced = (args.text("from") ?? implied) as InputKind | undefined;
  using opened = await openInputs(paths, io.stdin, (source) => forced ?? inputKind(source));
  const { inputs, repeated } = opened;
  if (inputs.some(({ kind }) => kind === "har")) {
    refuseOthers(args, "har");
    // Loaded only for a HAR: an access log does not need the HTML parser.
    const { convertRecording } = await import("../convert/convert_recording.ts");
    const converted = await convertRecording(inputs, har, progress, args.has("verify"));
    return { converted: withNotes(converted, repeated), explanation: converted.explanation };
  }
  refuseOthers(args, "accesslog");
  const recording = args.has("har")
    ? await (await import("../convert/convert_recording.ts"))
      .recordingForLog(args.text("har")!, har, io.stdin)
    : undefined;
  // A profile has no statuses, so its chart has none either.
  const statuses = args.has("html") && inputs.every(({ kind }) => kind === "accesslog")
    ? new StatusCounts()
    : undefined;
  const observers = [recording?.entry, statuses].filter((one) => one !== undefined);
  const collectors = [...reading.collectors, ...observers];
  const profile = await readLog(inputs, { ...reading, collectors }, progress);
  profileOutput?.write(serializeProfile(profile));
  const rates = (buckets: number) => profile.rates(Math.min(buckets, profile.span()!.seconds));
  const notes = readingNotes({ profile, filters: reading.filters, now: io.now() });
  const converted = recording?.plan({ ...log, notes }) ??
    convertAccessLog(profile, { ...log, ...reading, now: io.now() });
  const picture = async () => {
    const { logReport } = await import("../../report/html/log_report.ts");
    return await logReport({ profile, converted, ...(statuses && { statuses }) });
  };
  return { converted: withNotes(converted, repeated), rates, picture };
}
