import { UsageError } from "../../base/errors.ts";
import type { Args, Command, Flag } from "../command.ts";
import type { Io } from "../io.ts";
import { parseWholeNumber } from "../number_flag.ts";
import { readPlan } from "../read_plan.ts";
import { verifyAgainstHar } from "../verify/verify_against_har.ts";
import { VERIFY_FORMATS } from "../verify/written.ts";
import { verifyAgainstLog } from "../verify/verify_against_log.ts";

const HAR = "Against a browser recording";
const LOG = "Against an access log";

const FLAGS: readonly Flag[] = [
  {
    name: "format",
    value: "FORMAT",
    choices: VERIFY_FORMATS,
    help:
      "How to report: text, json (everything, in one object) or html (a page that loads nothing)",
  },
  { name: "env", short: "e", value: "NAME", help: "Merge the plan's overlay of that name over it" },
  { name: "har", value: "FILE", group: HAR, help: "The recording that the plan was made from" },
  {
    name: "iterations",
    value: "N",
    group: HAR,
    help: "Iterations of each user (1): 2 show whether it works the second time",
  },
  {
    name: "vus",
    value: "N",
    group: HAR,
    help: "Users of each scenario (1): 2 show whether they get in each other's way",
  },
  {
    name: "log",
    value: "FILE",
    repeats: true,
    group: LOG,
    help: "The log that the plan was made from; several are one",
  },
  {
    name: "run",
    value: "FILE",
    group: LOG,
    help: "What a run of the plan wrote with --summary-export",
  },
];

/** `rehearse verify`. */
export const verifyCommand: Command = {
  name: "verify",
  summary: "Check a plan against its recording, or a run against its log",
  usage: "PLAN (--har FILE | --log FILE --run FILE) [OPTIONS]",
  takes: "files",
  about: [
    "With --har: runs the plan in this process against a mock server that replays the recorded " +
    "responses with fresh tokens and ids, and checks what the plan sends. It reports stale values " +
    "(sent as recorded, with the extractor to add), unproven values (recorded literals that the " +
    "server could generate), calls that differ from the recording or are missing, and extractors " +
    "that find nothing. Nothing goes over the network; secrets are neither read nor needed.",
    "The verdict is failed, unproven or consistent with the recording. None is a proof: only the " +
    "live application can give one.",
    "With --log and --run: compares what a run sent with the log, by endpoint, over time and by what " +
    "was answered, and says whether it is more than chance.",
    "Exit codes: 0 nothing stale was found and every extractor found its value, or the run was as the " +
    "log; 1 otherwise, or an input could not be read; 2 the command line is wrong.",
  ],
  flags: FLAGS,
  examples: [
    {
      command: "rehearse verify plan.yaml --har session.har",
      does: "what would keep the plan from replaying",
    },
    {
      command: "rehearse verify plan.yaml --har session.har --iterations 3 --vus 2",
      does: "the same for several users, again and again",
    },
    {
      command: "rehearse verify plan.yaml --log access.log --run summary.json",
      does: "whether a run had the log's mix and rate",
    },
  ],
  run,
};

async function run(args: Args, io: Io): Promise<number> {
  const [path, ...more] = args.positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError(
      `expected one plan to verify, or - for standard input: ${args.positionals.length} were given`,
    );
  }
  refuseMixture(args);
  const har = args.text("har");
  if (har === "-" && path === "-") {
    throw new UsageError("standard input (-) was named twice: it can be read once");
  }
  const users = parseWholeNumber(args, "vus", 1) ?? 1;
  const iterations = parseWholeNumber(args, "iterations", 1) ?? 1;
  const plan = await readPlan(path, args, io);
  if (plan === undefined) return 1;
  return har === undefined
    ? await verifyAgainstLog(plan, args, io)
    : await verifyAgainstHar(plan, path, har, { users, iterations }, args, io);
}

/** Throws UsageError unless there is one thing to verify against, with options that it has. */
function refuseMixture(args: Args): void {
  const [given, other] = args.has("har") ? ["har", LOG] : ["log", HAR];
  if (!args.has(given)) {
    throw new UsageError("verify needs what to compare with: --har FILE, or --log FILE --run FILE");
  }
  const wrong = FLAGS.find(({ name, group }) => group === other && args.has(name));
  if (wrong !== undefined) throw new UsageError(`--${wrong.name} cannot be with --${given}`);
}
