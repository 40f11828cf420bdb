import { UsageError } from "../../base/errors.ts";
import { safeJson } from "../../base/safe_text.ts";
import { hideAllPasswords } from "../../plan/text/user_info.ts";
import { parseChoice } from "../command/args.ts";
import type { Command } from "../command/command.ts";
import { EXIT } from "../command/exit_codes.ts";
import { inspectionText } from "../inspect/inspection_text.ts";
import { planFacts } from "../inspect/plan_facts.ts";
import { commandLine, isNamed, printNext } from "../output/next_step.ts";
import { planToRun } from "../run/plan_to_run.ts";
import { RUN_FLAGS } from "../run/run_flags.ts";

const FORMATS = ["text", "json"] as const;
/** Options of `run` that change what the plan sends. */
const CHANGES = [
  "base-url",
  "env",
  "scenario",
  "var",
  "vus",
  "iterations",
  "duration",
  "rate-scale",
];

/** The `rehearse inspect` command. */
export const inspectCommand: Command = {
  name: "inspect",
  usage: "PLAN [OPTIONS]",
  takes: "files",
  about: [
    "Prints the targets, the expected number of requests, the peak rate, the duration, the files " +
    "and the thresholds of a plan, and draws each flow: `→` marks variables that a request " +
    "extracts, `←` variables that it uses. Sends nothing. `-` is standard input.",
    "Accepts the options of `run` that change the load, and shows their effect.",
    "Exit codes: 0 the plan is valid; 1 the plan is invalid or could not be read; 2 the command line " +
    "is invalid.",
  ],
  flags: [
    {
      name: "format",
      value: "FORMAT",
      choices: FORMATS,
      default: "text",
      help: "Format of the output",
    },
    { name: "all", help: "Draw all steps and choices instead of the first 20 of each list" },
    ...RUN_FLAGS.filter(({ name }) => CHANGES.includes(name)),
  ],
  needs: [],
  examples: [
    {
      command: "rehearse inspect plan.yaml",
      does: "Show what a run would send, and the flow.",
    },
    {
      command: "rehearse inspect plan.yaml --duration 10m --rate-scale 50",
      does: "Show the load of a run with these options.",
    },
  ],
  async run(args, io) {
    const [path, ...more] = args.positionals;
    if (path === undefined || more.length > 0) {
      throw new UsageError(
        `expected one plan to inspect (- for standard input), but got ${args.positionals.length}`,
      );
    }
    const read = await planToRun(path, args, io);
    if (read === undefined) return EXIT.FAILED;
    const { plan } = read;
    const facts = planFacts(plan);
    io.stdout.write(
      parseChoice(args, "format", FORMATS) === "json"
        ? safeJson(hideAllPasswords(facts)) + "\n"
        : inspectionText(facts, plan, args.has("all")),
    );
    if (isNamed(path)) {
      const url = args.text("base-url") ??
        (facts.needsBaseUrl ? "http://127.0.0.1:8080" : undefined);
      const target = url === undefined ? [] : ["--base-url", url];
      printNext(commandLine("run", path, ...target, "--once"), args, io);
    }
    return EXIT.OK;
  },
};
