import { UsageError } from "../../base/errors.ts";
import { parseWholeNumber } from "../command/args.ts";
import type { Args, Command, Flag } from "../command/command.ts";
import { parseLineOptions } from "../convert/line_options.ts";
import { LOG_FLAGS } from "../convert/log_options.ts";
import { readPlan } from "../input/read_plan.ts";
import type { Io } from "../system/io.ts";
import { FORMAT_NAMES } from "../../traffic/accesslog/formats/formats.ts";
import { VERIFY_FORMATS, verifyAgainstHar, verifyAgainstLog } from "../verify/verify_against.ts";

const HAR = "Compare with a browser recording";
const LOG = "Compare with an access log";

/** The options of `convert` that define the format of a log's lines. */
const FORMAT_FLAGS = LOG_FLAGS.filter(({ name }) => /^(?:log-format|json|client)$/.test(name));

const FLAGS: readonly Flag[] = [
  {
    name: "format",
    value: "FORMAT",
    choices: VERIFY_FORMATS,
    default: "text",
    help: "Format of the report; json prints one object, html a self-contained page",
  },
  {
    name: "html",
    file: "write",
    help:
      "Also write an HTML page to FILE: calls, values with their sources and consumers, and edits to make",
  },
  { name: "env", short: "e", value: "NAME", help: "Apply the plan's overlay NAME" },
  {
    name: "har",
    file: "read",
    group: HAR,
    help: "Compare with this recording, from which the plan was made",
  },
  {
    name: "iterations",
    value: "N",
    group: HAR,
    default: "1",
    help: "Run N iterations per user; use 2 or more to check that the plan can run more than once",
  },
  {
    name: "vus",
    value: "N",
    group: HAR,
    default: "1",
    help: "Run N users per scenario; 2 or more show whether users interfere with each other",
  },
  {
    name: "strict",
    group: HAR,
    help:
      "Exit with code 3 if the recording does not show that all values in the plan are right (`unproven`)",
  },
  {
    name: "log",
    file: "read",
    repeats: true,
    group: LOG,
    help: "Compare with this log, from which the plan was made; several files count as one log",
  },
  {
    name: "run",
    file: "read",
    group: LOG,
    help: "Compare the run whose summary is in FILE (see `run --summary-export`)",
  },
  {
    name: "received",
    file: "read",
    group: LOG,
    help: "Also compare bursts, visits, ids and queries with this log, which the target wrote " +
      "during the run",
  },
  {
    name: "received-format",
    value: "FORMAT",
    suggests: FORMAT_NAMES,
    group: LOG,
    default: "detected",
    help: "Format of the lines of the target's log, as in --log-format",
  },
  {
    name: "received-client",
    value: "FIELD",
    group: LOG,
    help:
      "Field of the target's log that differs between visits, such as a session cookie or the " +
      "port of the client, as in --client",
  },
  ...FORMAT_FLAGS.map((flag) => ({ ...flag, group: LOG })),
];

/** The `rehearse verify` command. */
export const verifyCommand: Command = {
  name: "verify",
  usage: "PLAN (--har FILE | --log FILE --run FILE) [OPTIONS]",
  takes: "files",
  about: [
    "With --har: runs the plan in this process against a mock server that replays the recorded " +
    "responses with fresh tokens, ids and times, and checks what the plan sends. It reports stale " +
    "values (sent as recorded, with the extractor to add), unproven values (recorded literals that the " +
    "server might generate), calls that are missing, added or different from the recording, " +
    "and extractors that find nothing. It does not use the network or read secrets.",
    "The result is stale, failed, differs, incomplete (recorded calls were not sent), unproven (the " +
    "recording does not show that all values are right) or consistent with the recording. Each call also gets a verdict. Only a run against the live application can prove that the plan works.",
    "With --log and --run: compares the requests of a run with the log, by endpoint, over time and by " +
    "response status, and reports whether the differences are statistically significant.",
    "Exit codes: 0 the plan is consistent with the recording, or unproven without --strict, or the run " +
    "matches the log; 1 otherwise, or an input could not be read; 2 the command line is invalid; " +
    "3 the plan is unproven (with --strict).",
  ],
  flags: FLAGS,
  needs: [],
  examples: [
    {
      command: "rehearse verify plan.yaml --har session.har",
      does: "Report what prevents the plan from replaying the recording.",
    },
    {
      command: "rehearse verify plan.yaml --har session.har --iterations 3 --vus 2",
      does: "Verify with two users, three iterations each.",
    },
    {
      command: "rehearse verify plan.yaml --har session.har --html review.html",
      does: "Also write a page with the calls, the values and the edits to make.",
    },
    {
      command: "rehearse verify plan.yaml --log access.log --run summary.json",
      does: "Check whether a run had the log's mix and rate.",
    },
  ],
  run,
};

async function run(args: Args, io: Io): Promise<number> {
  const [path, ...more] = args.positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError(
      `expected one plan to verify (- for standard input), but got ${args.positionals.length}`,
    );
  }
  refuseCombination(args);
  const har = args.text("har");
  if (har === "-" && path === "-") {
    throw new UsageError("standard input (-) was given twice, but can be read only once");
  }
  const users = parseWholeNumber(args, "vus", 1) ?? 1;
  const iterations = parseWholeNumber(args, "iterations", 1) ?? 1;
  const plan = await readPlan(path, args.text("env"), io);
  if (plan === undefined) return 1;
  if (har !== undefined) {
    return await verifyAgainstHar(plan, path, har, { users, iterations }, args, io);
  }
  const received = (name: string) =>
    /^(?:log-format|client)$/.test(name)
      ? args.text(name.replace(/^(?:log-)?/, "received-"))
      : undefined;
  const lines = {
    log: parseLineOptions(args),
    received: parseLineOptions({ ...args, text: received }),
  };
  return await verifyAgainstLog(plan, path, lines, args, io);
}

/**
 * Throws UsageError if neither `--har` nor `--log` is given, or if an option does not apply to the
 * comparison that they select.
 */
function refuseCombination(args: Args): void {
  const [given, other] = args.has("har") ? ["har", LOG] : ["log", HAR];
  if (!args.has(given)) {
    throw new UsageError(
      "verify needs a recording or a log to compare with: add `--har FILE`, or `--log FILE --run FILE`",
    );
  }
  const refused = FLAGS.find(({ name, group }) => group === other && args.has(name));
  if (refused !== undefined) {
    throw new UsageError(`--${refused.name} cannot be combined with --${given}`);
  }
}
