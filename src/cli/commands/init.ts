import { DURATION_SHAPES, durationMs } from "../../base/format.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { hidePasswords, withoutLogin } from "../../plan/text/user_info.ts";
import type { Args, Command } from "../command/command.ts";
import { EXIT } from "../command/exit_codes.ts";
import {
  buildFirstPlan,
  DEFAULT_CRITERIA,
  parseCriteria,
  type PlanChoices,
} from "../init/first_plan.ts";
import { convertCommand } from "./convert.ts";
import { contentKind, inputKind } from "../input/input_kind.ts";
import { commandLine, printNext } from "../output/next_step.ts";
import { openOutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";

const PLAN = "plan.yaml";
/**
 * Default target of a plan created from a log: the server that `rehearse demo` starts without
 * options.
 */
const DEMO = "http://127.0.0.1:8080";

/** The `rehearse init` command. */
export const initCommand: Command = {
  name: "init",
  usage: "[FILE] [OPTIONS]",
  takes: "files",
  about: [
    "Asks questions on a terminal: which access log or HAR file to convert, which server to test, " +
    "how long a run takes, when it passes and, for a log, whether to replay the log itself. Options " +
    "skip the questions. Then it converts the " +
    "recording and writes a plan that you can run and edit.",
    "Without a terminal, FILE is required, and the other options have defaults. " +
    "A plan from a log then has no target: pass the target to `run` with `--base-url`.",
    "Exit codes: 0 the plan was written; 1 the recording could not be converted, or the plan could not be " +
    "written; 2 the command line or an entered value is invalid, or the plan exists; 130 you canceled " +
    "the questions.",
  ],
  flags: [
    {
      name: "base-url",
      value: "URL",
      help: "Server to test, such as https://staging.example.com",
    },
    {
      name: "duration",
      value: "DURATION",
      default: "1m",
      help: "How long a run takes, such as 30s or 10m",
    },
    {
      name: "pass",
      value: "CRITERIA",
      default: DEFAULT_CRITERIA,
      help: "When a run passes: limits on response times and failed requests, or none",
    },
    {
      name: "faithful",
      help: "Replay the busiest DURATION of a log: its visits, URLs and bursts, instead of its " +
        "average mix of requests",
    },
    { name: "output", short: "o", file: "write", default: PLAN, help: "Write the plan to FILE" },
    { name: "force", help: "Replace the file if it exists" },
  ],
  needs: [],
  // The plan is written to plan.yaml if no option specifies a file.
  inputsNameOutputs: true,
  examples: [
    { command: "rehearse init", does: "Ask questions and write plan.yaml." },
    {
      command:
        'rehearse init session.har --base-url https://staging.example.com --duration 5m --pass "p(95)<1s"',
      does: "Write plan.yaml without questions.",
    },
  ],
  run,
};

async function run(args: Args, io: Io): Promise<number> {
  const path = args.text("output") ?? PLAN;
  if (path === "-") throw new UsageError("init writes a file: use `convert` to print a plan");
  if (!args.has("force") && exists(path)) {
    throw new UsageError(
      `${path} exists: choose another file with \`-o FILE\`, replace it with \`--force\`, or keep ` +
        "your edits with `rehearse convert --update`",
    );
  }
  // Check the file before the questions, so that nobody enters values in vain.
  openOutputFile(path, []).discard();
  let choices: PlanChoices;
  try {
    choices = await askAll(args, path, io);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    io.stderr.write("Canceled: nothing was written\n");
    return EXIT.INTERRUPTED;
  }
  const output = openOutputFile(path, [choices.input]);
  try {
    const { text, load } = await buildFirstPlan(choices, path, convertCommand, io);
    output.write(text);
    io.stderr.write(safeText(`Wrote ${path}${load === undefined ? "" : `: ${load}`}`) + "\n");
  } finally {
    output.discard();
  }
  const next = choices.kind === "har"
    ? commandLine("verify", path, "--har", choices.input)
    : commandLine("inspect", path);
  printNext(next, args, io);
  return EXIT.OK;
}

/** Error that is thrown if the user cancels a question. */
class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/**
 * Collects the choices for the plan at the path `plan` from the options and, on a terminal, by
 * asking the user. Throws Cancelled if the user cancels a question.
 */
async function askAll(args: Args, plan: string, io: Io): Promise<PlanChoices> {
  if (args.positionals.length > 1) {
    throw new UsageError(`expected one recording, but got ${args.positionals.length}`);
  }
  const ask = (question: string, fallback: string) => {
    const entered = io.ask?.(question, fallback);
    if (entered === null) throw new Cancelled();
    return entered?.trim();
  };
  /**
   * Validates an option or, if it was not given, the text that the user enters. Asks again until
   * the text is valid.
   */
  const choose = async <Value>(
    given: string | undefined,
    [question, fallback]: readonly [string, string],
    check: (text: string | undefined) => Value | Promise<Value>,
  ): Promise<Value> => {
    if (given !== undefined) return await check(given);
    while (true) {
      const entered = ask(question, fallback);
      try {
        return await check(entered);
      } catch (error) {
        const isInvalid = error instanceof UsageError || error instanceof InputError;
        if (entered === undefined || !isInvalid) throw error;
        io.stderr.write(`${safeText(hidePasswords(error.message))}\n`);
      }
    }
  };
  const found = ["access.log", "session.har"].find(exists) ?? "";
  const recording = await choose(
    args.positionals[0],
    ["Access log or HAR file to convert?", found],
    (input) => findRecording(input, plan),
  );
  const recorded = recording.kind === "har" ? "as recorded" : DEMO;
  return {
    ...recording,
    baseUrl: await choose(args.text("base-url"), ["Server to test (URL)?", recorded], baseUrl),
    duration: await choose(
      args.text("duration"),
      ["How long should a run take?", "1m"],
      (text = "1m") => validDuration(text),
    ),
    thresholds: await choose(
      args.text("pass"),
      ["When does a run pass?", DEFAULT_CRITERIA],
      (text = DEFAULT_CRITERIA) => parseCriteria(text),
    ),
    isFaithful: recording.kind === "accesslog" && await choose(
      args.has("faithful") ? "yes" : undefined,
      ["Replay the log itself: visits, URLs and bursts (yes or no)?", "no"],
      (text = "no") => isYes(text),
    ),
  };
}

async function findRecording(
  input: string | undefined,
  plan: string,
): Promise<Pick<PlanChoices, "input" | "kind">> {
  if (input !== undefined && input !== "" && input !== "-") {
    openOutputFile(plan, [input]).discard();
    return { input, kind: await findKind(input) };
  }
  throw new UsageError(
    "init needs an access log or a HAR file; to try it, write one with `rehearse demo --sample .`",
  );
}

/**
 * Detects the kind of a recording. Does not rely on the file name alone, because the name can be
 * wrong.
 */
async function findKind(path: string): Promise<PlanChoices["kind"]> {
  using source = await openBytes(path, () => new ReadableStream());
  const isJson = /^\s*\{/.test(new TextDecoder().decode(await source.peek(64)));
  return isJson && await inputKind(source) === "har" ? "har" : await contentKind(source);
}

function baseUrl(text: string | undefined): string | undefined {
  if (text === undefined || text === "as recorded") return undefined;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new UsageError(
    `--base-url cannot be ${withoutLogin(text)}: expected a URL such as http://host:8080`,
  );
}

function isYes(text: string): boolean {
  if (/^(?:y|yes)$/i.test(text)) return true;
  if (/^(?:n|no)$/i.test(text)) return false;
  throw new UsageError(`expected yes or no, found ${text}`);
}

function validDuration(text: string): string {
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0) return text;
  throw new UsageError(`--duration cannot be ${text}: expected a duration, ${DURATION_SHAPES}`);
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
