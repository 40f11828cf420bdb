import { UsageError } from "../../base/errors.ts";
import { type Command, EXIT } from "../command/command.ts";
import { command } from "../command/options.ts";
import { readPlan } from "../input/read_documents.ts";
import { VERIFY_OPTIONS, verifyAgainstHar, verifyAgainstLog } from "../review/verify_against.ts";

export const verifyCommand: Command = command({
  name: "verify",
  usage: "PLAN (--har FILE | --log FILE --run FILE) [OPTIONS]",
  takes: "files",
  expects: { what: "one plan to verify (- for standard input)" },
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
  options: VERIFY_OPTIONS,
  needs: [],
  examples: {
    "rehearse verify plan.yaml --har session.har":
      "Report what prevents the plan from replaying the recording.",
    "rehearse verify plan.yaml --har session.har --iterations 3 --vus 2":
      "Verify with two users, three iterations each.",
    "rehearse verify plan.yaml --har session.har --html review.html":
      "Also write a page with the calls, the values and the edits to make.",
    "rehearse verify plan.yaml --log access.log --run summary.json":
      "Check whether a run had the log's mix and rate.",
  },
  async run(given, io) {
    const { har, log, env, args: { positionals: [path] } } = given;
    if (har === undefined && log.length === 0) {
      throw new UsageError(
        "verify needs a recording or a log to compare with: add `--har FILE`, or `--log FILE --run FILE`",
      );
    }
    const plan = await readPlan(path, env, io);
    if (plan === undefined) return EXIT.FAILED;
    return har === undefined
      ? await verifyAgainstLog(plan, given, io)
      : await verifyAgainstHar(plan, har, given, io);
  },
});
