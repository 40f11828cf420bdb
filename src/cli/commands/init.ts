import { openBytes } from "../../base/bytes/open_bytes.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import { DURATION_SHAPES, durationMs } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { type Command, EXIT } from "../command/command.ts";
import {
  command,
  fileToWrite,
  type Given,
  httpUrl,
  parsed,
  toggle,
  toName,
} from "../command/options.ts";
import {
  buildFirstPlan,
  DEFAULT_CRITERIA,
  parseCriteria,
  type PlanChoices,
} from "../convert/first_plan.ts";
import { contentKind, inputKind } from "../input/input_kind.ts";
import { commandLine, printNext } from "../output/messages.ts";
import { openOutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";
import { convertCommand } from "./convert.ts";

const PLAN = "plan.yaml";
/**
 * Default target of a plan created from a log: the server that `rehearse demo` starts without
 * options.
 */
const DEMO = "http://127.0.0.1:8080";
/** Text that the user enters to keep the recorded target. */
const AS_RECORDED = "as recorded";

const OPTIONS = {
  baseUrl: httpUrl({ help: "Server to test, such as https://staging.example.com" }),
  duration: parsed(
    { value: "DURATION", default: "1m", help: "How long a run takes, such as 30s or 10m" },
    `a duration, ${DURATION_SHAPES}`,
    (text) => durationMs(text) ? text : undefined,
  ),
  pass: parsed(
    {
      value: "CRITERIA",
      default: DEFAULT_CRITERIA,
      help: "When a run passes: limits on response times and failed requests, or none",
    },
    "response times and shares of failed requests below 100%, such as " +
      `${DEFAULT_CRITERIA}, or none`,
    parseCriteria,
  ),
  faithful: toggle({
    help: "Replay the busiest DURATION of a log: its visits, URLs and bursts, instead of its " +
      "average mix of requests",
  }),
  output: fileToWrite({ short: "o", default: PLAN, help: "Write the plan to FILE" }),
  force: toggle({ help: "Replace the file if it exists" }),
};

export const initCommand: Command = command({
  name: "init",
  usage: "[FILE] [OPTIONS]",
  takes: "files",
  expects: { what: "one recording", min: 0 },
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
  options: OPTIONS,
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
  async run({ output: path = PLAN, force, ...given }, io) {
    if (path === "-") throw new UsageError("init writes a file: use `convert` to print a plan");
    if (!force && exists(path)) {
      throw new UsageError(
        `${path} exists: choose another file with \`-o FILE\`, replace it with \`--force\`, or keep ` +
          "your edits with `rehearse convert --update`",
      );
    }
    // Check the file before the questions, so that nobody enters values in vain.
    openOutputFile(path, [])[Symbol.dispose]();
    let choices: PlanChoices;
    try {
      choices = await askAll(given, path, io);
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      io.stderr.write("Canceled: nothing was written\n");
      return EXIT.INTERRUPTED;
    }
    using output = openOutputFile(path, [choices.input]);
    const { text, load } = await buildFirstPlan(choices, path, convertCommand, io);
    await output.write(text);
    io.stderr.write(`${safeText(`Wrote ${path}`)}\n${load}\n`);
    const next = choices.kind === "har"
      ? commandLine("verify", path, "--har", choices.input)
      : commandLine("inspect", path);
    printNext(next, given.args, io);
    return EXIT.OK;
  },
});

/** Error that is thrown if the user cancels a question. */
class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/**
 * Returns the choices for the plan at the path `plan`: the options that are given and, on a
 * terminal, what the user enters for the others. Throws Cancelled if the user cancels a question.
 */
async function askAll(
  { args, ...given }: Omit<Given<typeof OPTIONS>, "output" | "force">,
  plan: string,
  io: Io,
): Promise<PlanChoices> {
  /** Asks until `read` accepts the text. Returns `otherwise` without a terminal. */
  const ask = async <Value>(
    question: string,
    fallback: string,
    read: (text: string) => Value | Promise<Value>,
    otherwise: Value,
  ): Promise<Value> => {
    for (;;) {
      const entered = io.ask?.(question, fallback);
      if (entered === null) throw new Cancelled();
      if (entered === undefined) return otherwise;
      try {
        return await read(entered.trim());
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof InputError)) throw error;
        io.stderr.write(`${safeText(hidePasswords(error.message))}\n`);
      }
    }
  };
  /** Asks for the value of an option that is not given. */
  const option = async <Key extends "baseUrl" | "duration" | "pass">(
    key: Key,
    question: string,
    fallback: string,
  ): Promise<typeof given[Key]> => {
    const name = toName(key);
    const read = (text: string) => {
      return OPTIONS[key].read(text === AS_RECORDED ? [] : [text], name) as typeof given[Key];
    };
    return args.has(name) ? given[key] : await ask(question, fallback, read, given[key]);
  };
  const [path] = args.positionals;
  const isRecording = (text: string) => findRecording(text, plan);
  const found = ["access.log", "session.har"].find(exists) ?? "";
  const { input, kind } = path === undefined
    ? await ask("Access log or HAR file to convert?", found, isRecording, undefined) ??
      await isRecording("")
    : await isRecording(path);
  const baseUrl = await option(
    "baseUrl",
    "Server to test (URL)?",
    kind === "har" ? AS_RECORDED : DEMO,
  );
  const duration = await option("duration", "How long should a run take?", given.duration);
  const thresholds = await option("pass", "When does a run pass?", DEFAULT_CRITERIA);
  const replay = "Replay the log itself: visits, URLs and bursts (yes or no)?";
  const isFaithful = kind === "accesslog" &&
    (given.faithful || await ask(replay, "no", isYes, false));
  return { input, kind, baseUrl, duration, thresholds, isFaithful };
}

async function findRecording(
  input: string,
  plan: string,
): Promise<Pick<PlanChoices, "input" | "kind">> {
  if (input !== "" && input !== "-") {
    openOutputFile(plan, [input])[Symbol.dispose]();
    return { input, kind: await findKind(input) };
  }
  throw new UsageError(
    "init needs an access log or a HAR file; to try it, write one with `rehearse demo --sample .`",
  );
}

async function findKind(path: string): Promise<PlanChoices["kind"]> {
  using source = await openBytes(path, () => new ReadableStream());
  const isJson = /^\s*\{/.test(new TextDecoder().decode(await source.peek(64)));
  return isJson && await inputKind(source) === "har" ? "har" : await contentKind(source);
}

function isYes(text: string): boolean {
  if (/^(?:y|yes)$/i.test(text)) return true;
  if (/^(?:n|no)$/i.test(text)) return false;
  throw new UsageError(`expected yes or no, found ${text}`);
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
