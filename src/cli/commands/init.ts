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
import { contentKind, inputKind } from "../input/input_kind.ts";
import { commandLine, printNext } from "../output/messages.ts";
import { exists, openOutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";
import { convertCommand } from "./convert.ts";
import { amendPlanText } from "../../plan/edits/amend_plan.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { readArgs } from "../command/args.ts";
import { describeLoad, planFacts } from "../run/planned_load.ts";

const PLAN = "plan.yaml";
/** Default target for a log: the server of `rehearse demo`. */
const DEMO = "http://127.0.0.1:8080";
const AS_RECORDED = "as recorded";
/** Thresholds of a first plan. */
const THRESHOLDS = { http_req_duration: ["p(95)<1s"], http_req_failed: ["rate<0.01"] };

interface PlanChoices {
  readonly input: string;
  readonly kind: "accesslog" | "har" | "profile";
  /** Undefined to keep the recorded target. */
  readonly baseUrl: string | undefined;
  readonly duration: string;
}

const OPTIONS = {
  baseUrl: httpUrl({ help: "Server to test, such as https://staging.example.com" }),
  duration: parsed(
    { value: "DURATION", default: "1m", help: "How long a run takes, such as 30s or 10m" },
    `a duration, ${DURATION_SHAPES}`,
    (text) => durationMs(text) ? text : undefined,
  ),
  output: fileToWrite({ short: "o", default: PLAN, help: "Write the plan to FILE" }),
  force: toggle({ help: "Replace the file if it exists" }),
};

export const initCommand: Command = command({
  name: "init",
  usage: "[FILE] [OPTIONS]",
  takes: "files",
  expects: { what: "one recording", min: 0 },
  about: [
    "Asks questions on a terminal: which access log or HAR file to convert, which server to test, and " +
    "how long a run takes. Options skip the questions. Then it converts the recording and writes a " +
    "plan with thresholds (p95 below 1 s, fewer than 1% failed requests) that you can run and edit.",
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
  examples: {
    "rehearse init": "Ask questions and write plan.yaml.",
    "rehearse init session.har --base-url https://staging.example.com --duration 5m":
      "Write plan.yaml without questions.",
  },
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
    const { text, load } = await buildFirstPlan(choices, io);
    await output.write(text);
    io.stderr.write(`${safeText(`Wrote ${path}`)}\n${load}\n`);
    const next = choices.kind === "har"
      ? commandLine("verify", path, "--har", choices.input)
      : commandLine("inspect", path);
    printNext(next, given.args, io);
    return EXIT.OK;
  },
});

class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Returns the options that are given and, on a terminal, what the user enters for the others. */
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
  const option = async <Key extends "baseUrl" | "duration">(
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
  return { input, kind, baseUrl, duration };
}

async function findRecording(
  input: string,
  plan: string,
): Promise<Pick<PlanChoices, "input" | "kind">> {
  if (input === "" || input === "-") {
    throw new UsageError(
      "init needs an access log or a HAR file; to try it, write one with `rehearse demo --sample .`",
    );
  }
  openOutputFile(plan, [input])[Symbol.dispose]();
  using source = await openBytes(input, () => new ReadableStream());
  const isJson = /^\s*\{/.test(new TextDecoder().decode(await source.peek(64)));
  const isHar = isJson && await inputKind(source) === "har";
  return { input, kind: isHar ? "har" : await contentKind(source) };
}

/**
 * Converts the input and adds the target, the duration and the thresholds to the plan. Prints the
 * warnings of the conversion. Returns the text of the plan, and the load of a run as one line.
 */
async function buildFirstPlan(
  { input, kind, baseUrl, duration }: PlanChoices,
  io: Io,
): Promise<{ readonly text: string; readonly load: string }> {
  const target = baseUrl === undefined ? [] : ["--base-url", baseUrl];
  const options = kind === "har"
    ? ["--checks", "--think-time"]
    : ["--duration", duration, ...target];
  // The name of the input may suggest a different kind than its content.
  const from = kind === "profile" ? [] : ["--from", kind];
  let text = "";
  const args = readArgs([...options, ...from, "--", input], convertCommand.flags);
  const stdout = { write: (part: string) => void (text += part), columns: () => undefined };
  await convertCommand.run(args, { ...io, stdout });
  const { plan } = loadPlan(text);
  if (plan === undefined) throw new Error("the converted plan is invalid");
  const { defaults, scenarios } = plan;
  const http = { ...defaults?.http, base_url: baseUrl };
  const changed: Plan = {
    ...plan,
    ...(baseUrl !== undefined && { defaults: { ...defaults, http } }),
    scenarios: kind === "har" ? repeated(scenarios, duration) : scenarios,
    thresholds: THRESHOLDS,
  };
  return {
    text: amendPlanText(text, changed) ?? printPlan(changed, []),
    load: describeLoad(planFacts(changed)),
  };
}

/**
 * Returns scenarios in which one user repeats the recorded session for a set duration, at most once
 * per second.
 */
function repeated(scenarios: Plan["scenarios"], duration: string): Plan["scenarios"] {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => {
      if (scenario.executor !== "per-vu-iterations") return [name, scenario];
      const { iterations: _iterations, max_duration: _limit, ...rest } = scenario;
      const pacing = { iterations_per_second: 1 };
      return [name, { ...rest, executor: "constant-vus", duration, pacing }];
    }),
  );
}
