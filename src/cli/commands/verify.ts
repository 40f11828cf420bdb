import { UsageError } from "../../base/errors.ts";
import type { Verification } from "../../verify/verification.ts";
import { verifyPlan } from "../../verify/verify_plan.ts";
import type { Args, Command } from "../command.ts";
import type { Io } from "../io.ts";
import { wholeNumber } from "../number_flag.ts";
import { readPlan } from "../read_plan.ts";
import { fileReader } from "../run/file_reader.ts";
import { safeJson } from "../safe_json.ts";
import { readHarFile } from "../verify/read_har_file.ts";
import { verificationText } from "../verify/verification_text.ts";

/** The ways in which a verification can be written. */
const FORMATS: Readonly<Record<string, (found: Verification) => string>> = {
  text: verificationText,
  json: (found) => safeJson(found) + "\n",
};

/** `rehearse verify`. */
export const verify: Command = {
  name: "verify",
  summary: "Prove that a plan will replay, without a server",
  usage: "PLAN --har FILE [OPTIONS]",
  about: [
    "Plays the plan against a stand-in for the recorded server, in this process: it gives the " +
    "recorded answers, with every value that the server made made anew, and looks at what the plan " +
    "sends. Told are values that are sent as recorded, with the extractor to add; calls that differ " +
    "from the recording or are missing; extractors that find nothing. Nothing goes over the network; " +
    "secrets are neither read nor needed.",
    "Exit codes: 0 nothing stale was sent, and every extractor found its value; 1 otherwise, or an " +
    "input could not be read; 2 the command line is wrong.",
  ],
  flags: [
    { name: "har", value: "FILE", help: "The recording that the plan was made from" },
    {
      name: "format",
      value: "FORMAT",
      choices: Object.keys(FORMATS),
      help: "How to report: text or json (everything, one object)",
    },
    {
      name: "iterations",
      value: "N",
      help: "Iterations of each user (1): 2 show whether it works the second time",
    },
    {
      name: "vus",
      value: "N",
      help: "Users of each scenario (1): 2 show whether they get in each other's way",
    },
    {
      name: "env",
      short: "e",
      value: "NAME",
      help: "Merge the plan's overlay of that name over it",
    },
  ],
  examples: [
    {
      command: "rehearse verify plan.yaml --har session.har",
      does: "whether the plan will replay",
    },
    {
      command: "rehearse verify plan.yaml --har session.har --iterations 3 --vus 2",
      does: "the same for several users, again and again",
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
  const har = args.text("har");
  if (har === undefined) throw new UsageError("verify needs what to compare with: --har FILE");
  if (har === "-" && path === "-") {
    throw new UsageError("standard input (-) was named twice: it can be read once");
  }
  const users = wholeNumber(args, "vus", 1) ?? 1;
  const iterations = wholeNumber(args, "iterations", 1) ?? 1;
  const plan = await readPlan(path, args, io);
  if (plan === undefined) return 1;
  const found = await verifyPlan(plan, await readHarFile(har, io), {
    users,
    iterations,
    readFile: fileReader(path),
    readEnv: (name) => Deno.env.get(name),
  }, har);
  io.stdout.write(FORMATS[args.text("format") ?? "text"](found));
  return found.proven ? 0 : 1;
}
