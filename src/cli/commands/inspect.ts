import { safeJson } from "../../base/safe_text.ts";
import { hideAllPasswords } from "../../plan/text/user_info.ts";
import type { Command } from "../command/command.ts";
import { EXIT } from "../command/exit_codes.ts";
import { choice, command, toggle } from "../command/options.ts";
import { inspectionText } from "../inspect/inspection_text.ts";
import { planFacts } from "../inspect/plan_facts.ts";
import { commandLine, isNamed, printNext } from "../output/print_notes.ts";
import { planToRun } from "../run/plan_to_run.ts";
import { LOAD_CHANGES, PLAN_CHANGES } from "../run/run_options.ts";

/** The `rehearse inspect` command. */
export const inspectCommand: Command = command({
  name: "inspect",
  usage: "PLAN [OPTIONS]",
  takes: "files",
  expects: { what: "one plan to inspect (- for standard input)" },
  about: [
    "Prints the targets, the expected number of requests, the peak rate, the duration, the files " +
    "and the thresholds of a plan, and draws each flow: `→` marks variables that a request " +
    "extracts, `←` variables that it uses. Sends nothing. `-` is standard input.",
    "Accepts the options of `run` that change the load, and shows their effect.",
    "Exit codes: 0 the plan is valid; 1 the plan is invalid or could not be read; 2 the command line " +
    "is invalid.",
  ],
  options: {
    format: choice(["text", "json"], { default: "text", help: "Format of the output" }),
    all: toggle({ help: "Draw all steps and choices instead of the first 20 of each list" }),
    ...PLAN_CHANGES,
    ...LOAD_CHANGES,
  },
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
  async run(given, io) {
    const { format, all, baseUrl, args } = given;
    const [path] = args.positionals;
    const read = await planToRun(path, given, io);
    if (read === undefined) return EXIT.FAILED;
    const { plan } = read;
    const facts = planFacts(plan);
    io.stdout.write(
      format === "json"
        ? safeJson(hideAllPasswords(facts)) + "\n"
        : inspectionText(facts, plan, all),
    );
    if (isNamed(path)) {
      const url = baseUrl ?? (facts.needsBaseUrl ? "http://127.0.0.1:8080" : undefined);
      const target = url === undefined ? [] : ["--base-url", url];
      printNext(commandLine("run", path, ...target, "--once"), args, io);
    }
    return EXIT.OK;
  },
});
