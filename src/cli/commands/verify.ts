import { UsageError } from "../../base/errors.ts";
import { FORMAT_NAMES } from "../../traffic/accesslog/formats/formats.ts";
import { type Command, EXIT } from "../command/command.ts";
import {
  choice,
  command,
  filesToRead,
  fileToRead,
  fileToWrite,
  grouped,
  text,
  toggle,
  wholeNumber,
} from "../command/options.ts";
import { FORMAT_OPTIONS } from "../convert/log_options.ts";
import { lineOptions } from "../convert/log_settings.ts";
import type { LineOptions } from "../input/read_log.ts";
import { readPlan } from "../input/read_documents.ts";
import { VERIFY_FORMATS, verifyAgainstHar, verifyAgainstLog } from "../review/verify_against.ts";

const HAR = grouped({ group: "Compare with a browser recording", with: "har" }, {
  iterations: wholeNumber({
    default: "1",
    help: "Run N iterations per user; use 2 or more to check that the plan can run more than once",
  }, 1),
  vus: wholeNumber({
    default: "1",
    help: "Run N users per scenario; 2 or more show whether users interfere with each other",
  }, 1),
  explain: toggle({
    help: "Also list the values and calls that the recording does not show to be right",
  }),
  strict: toggle({
    help:
      "Exit with code 3 if the recording does not show that all values in the plan are right (`unproven`)",
  }),
});

const LOG = grouped({ group: "Compare with an access log", with: "log" }, {
  run: fileToRead({
    help: "Compare the run whose summary is in FILE (see `run --summary-export`)",
  }),
  received: fileToRead({
    help: "Also compare bursts, visits, ids and queries with this log, which the target wrote " +
      "during the run",
  }),
  receivedFormat: text({
    value: "FORMAT",
    suggests: FORMAT_NAMES,
    otherwise: "detected",
    help: "Format of the lines of the target's log, as in --log-format",
  }),
  receivedClient: text({
    value: "FIELD",
    help:
      "Field of the target's log that differs between visits, such as a session cookie or the " +
      "port of the client, as in --client",
  }),
  ...FORMAT_OPTIONS,
});

const OPTIONS = {
  format: choice(VERIFY_FORMATS, {
    default: "text",
    help: "Format of the report; json prints one object, html a self-contained page",
  }),
  html: fileToWrite({
    help:
      "Also write an HTML page to FILE: calls, values with their sources and consumers, and edits to make",
  }),
  env: text({ short: "e", value: "NAME", help: "Apply the plan's overlay NAME" }),
  har: fileToRead({
    group: "Compare with a browser recording",
    conflicts: { log: "compare with one of them" },
    help: "Compare with this recording, from which the plan was made",
  }),
  ...HAR,
  log: filesToRead({
    group: "Compare with an access log",
    with: "run",
    help: "Compare with this log, from which the plan was made; several files count as one log",
  }),
  ...LOG,
};

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
  options: OPTIONS,
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
  async run(given, io) {
    const { har, log, run, received, html, format, explain, strict, args } = given;
    const [path] = args.positionals;
    if (har === undefined && log.length === 0) {
      throw new UsageError(
        "verify needs a recording or a log to compare with: add `--har FILE`, or `--log FILE --run FILE`",
      );
    }
    const plan = await readPlan(path, given.env, io);
    if (plan === undefined) return EXIT.FAILED;
    const report = { format, html, args };
    if (har !== undefined) {
      const load = { users: given.vus, iterations: given.iterations, explain, strict };
      return await verifyAgainstHar(plan, path, har, load, report, io);
    }
    return await verifyAgainstLog(
      plan,
      path,
      {
        log,
        lines: lineOptions(given),
        run: run!,
        received,
        receivedLines: receivedLines(given.receivedFormat, given.receivedClient),
      },
      report,
      io,
    );
  },
});

/** Returns how to read the target's log. Errors name the options of this log. */
function receivedLines(logFormat: string | undefined, client: string | undefined): LineOptions {
  try {
    return lineOptions({ logFormat, client });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const message = error.message.replaceAll("--log-format", "--received-format");
    throw new UsageError(message.replaceAll("--client", "--received-client"));
  }
}
