import { setTimeout } from "node:timers/promises";
import { UsageError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redactor.ts";
import { plural } from "../../base/format.ts";
import { isLoopbackHost } from "../../base/host_header.ts";
import { safeJson, safeText } from "../../base/safe_text.ts";
import { aimPlan, withUserFile } from "../../calibrate/aimed_plan.ts";
import { calibratePlan } from "../../calibrate/calibrate_plan.ts";
import type { CalibratedPlan, Calibration } from "../../calibrate/calibration.ts";
import { type CalibrationOptions, plannedCalls } from "../../calibrate/live_target.ts";
import { planRedactor } from "../../engine/flow/constants.ts";
import { hostAddress } from "../../http/dial.ts";
import { networkSender } from "../../http/network_session.ts";
import { toOrigin } from "../../http/url.ts";
import type { Origin } from "../../http/sender.ts";
import { filesRead } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { targets } from "../../plan/targets.ts";
import { reviewPage } from "../../report/html/review_page.ts";
import { withUploadFiles } from "../../convert/har/build_plan.ts";
import { calibratedPlanText, calibrationText } from "../calibrate/calibration_text.ts";
import { calibrationReview } from "../calibrate/calibration_review.ts";
import { locateUnixSockets, planNetwork, preflight } from "../run/targets.ts";
import { type Command, EXIT } from "../command/command.ts";
import {
  choice,
  command,
  duration,
  fileToRead,
  fileToWrite,
  type Given,
  httpUrl,
  text,
  toggle,
  uploadFiles,
} from "../command/options.ts";
import { readHarFile } from "../input/inputs.ts";
import { fileReader, pathFromPlan, pathResolver, readPlan } from "../input/read_documents.ts";
import { openOutput, openOutputs, type OutputFile } from "../output/output_file.ts";
import { checkAddress, commandLine, isNamed, printNext } from "../output/messages.ts";
import { type Io, readEnv } from "../system/io.ts";

const CALIBRATE_OPTIONS = {
  har: fileToRead({ help: "Compare with this recording, from which the plan was made" }),
  baseUrl: httpUrl({ help: "Calibrate against the application at URL: http://HOST[:PORT]" }),
  output: fileToWrite({
    short: "o",
    help:
      "Write the repaired plan to FILE, which may be the plan itself (default: standard output)",
  }),
  html: fileToWrite({
    help:
      "Also write an HTML page to FILE: calls, values with their sources and consumers, and differences",
  }),
  env: text({ short: "e", value: "NAME", help: "Apply the plan's overlay NAME" }),
  users: fileToRead({
    help:
      "Give each user its own login: a row of this CSV file, whose columns are named as the fields " +
      "of the recorded login",
  }),
  file: uploadFiles({
    help: "Send the file at PATH in the upload field FIELD; may be repeated",
  }),
  allowState: toggle({
    help:
      "Also exit with 0 if a later iteration differs only because the application's state changed",
  }),
  patience: duration({
    help: "Wait at most this long in all, for rate limits and recorded pauses (default: 1m)",
  }, 0),
  keepConstants: toggle({
    help: "Keep variables whose value was the same in the recording and in all responses",
  }),
  yes: toggle({ help: "Send requests to a host other than this machine without asking" }),
  explain: toggle({
    help: "Print which values were compared, and why each was or was not extracted",
  }),
  format: choice(["text", "json"], {
    default: "text",
    help: "Format of the report; json prints one object",
  }),
};

export const calibrateCommand: Command = command({
  name: "calibrate",
  usage: "PLAN --har FILE --base-url URL [OPTIONS]",
  takes: "files",
  expects: { what: "one plan to calibrate" },
  about: [
    "Runs a plan against a live application, compares each response with the recorded one, and " +
    "repairs the plan: values that the server generates become variables, text that must be unique " +
    "gets ${unique}, and calls that fail if they are sent immediately get their recorded pause. First " +
    "one user sends each call, in up to 3 passes. Then two users run two iterations each " +
    "to prove that the plan works.",
    "The plan's requests change data on the target. Use a test system. Before the first request, the " +
    "command prints the target and the maximum number of writes. If the target is not this machine, " +
    "it asks for confirmation.",
    "Exit codes: 0 every call got the recorded kind of response, for both users in both iterations; 1 " +
    "otherwise, or an input could not be read; 2 the command line is invalid; 130 interrupted.",
  ],
  options: CALIBRATE_OPTIONS,
  needs: ["net", "env"],
  examples: {
    "rehearse calibrate plan.yaml --har session.har --base-url http://127.0.0.1:8080 -o plan.yaml":
      "Repair plan.yaml against the application on this machine.",
    "rehearse calibrate plan.yaml --har session.har --base-url https://test.example --yes --explain -o calibrated.yaml":
      "Calibrate against a test system without asking, and explain the decisions.",
  },
  run,
});

const LOST_COMMENTS =
  "The plan was written without its comments: its text could not be edited, because a changed value " +
  "has a YAML anchor, or because the text is longer than 2 million characters.\n";

async function run(given: Given<typeof CALIBRATE_OPTIONS>, io: Io): Promise<number> {
  const { path, har } = givenFiles(given);
  const givenPlan = await readPlan(path, given.env, io);
  if (givenPlan === undefined) return EXIT.FAILED;
  const recording = await readHarFile(har, io);
  const aimed = aimPlan(withGivenFiles(givenPlan, path, given), recording, given.baseUrl, har);
  const { plan, target } = aimed;
  const readFile = fileReader(path);
  const { origins } = targets(plan, readEnv);
  announceTargets(origins, plan, io);
  if (!given.yes) confirmTargets(origins, plan, io);
  const located = locateUnixSockets(plan, pathResolver(path));
  await preflight(located, path, readEnv);
  const inputs = [har, ...filesRead(plan).map(pathResolver(path))];
  using output = openOutput(given.output, inputs, io);
  using pages = openOutputs({ html: given.html }, [path, ...inputs, given.output ?? "-"], io);
  const interrupt = new AbortController();
  io.interrupts(() => interrupt.abort());
  const sender = networkSender(planNetwork(located, readFile));
  try {
    const redact = planRedactor(plan, { readFile, readEnv });
    const found = await calibratePlan(aimed, recording, {
      sender,
      isAllowed: oneOf([target, ...origins]),
      readFile,
      readEnv,
      sleep: (ms) => setTimeout(ms, undefined, interrupt).catch(() => {}),
      patience: given.patience,
      keepConstants: given.keepConstants,
      now: () => io.now(),
      interrupt: interrupt.signal,
      redact,
      ...progressLines(io),
    });
    await writePlan(found, path, output, interrupt.signal, io);
    await pages.html?.write(await reviewPage(calibrationReview(found, recording, redact)));
    printReport(found.calibration, redact, given, io);
    if (interrupt.signal.aborted) return EXIT.INTERRUPTED;
    printNextSteps(found, target, given, io);
    const { proven, exceptState } = found.calibration;
    return proven || (given.allowState && exceptState) ? EXIT.OK : EXIT.FAILED;
  } finally {
    sender.close();
  }
}

const LINE_EVERY_MS = 5_000;

/** Prints a line for each round and each wait, and the number of the current call between them. */
function progressLines(io: Io): Pick<CalibrationOptions, "onRound" | "onCall"> {
  let last = 0;
  const print = (line: string) => {
    last = io.now();
    io.stderr.write(`${line} …\n`);
  };
  return {
    onRound: print,
    onCall(call, calls) {
      if (io.now() - last >= LINE_EVERY_MS) print(`  call ${call} of ${calls}`);
    },
  };
}

/** Returns the plan with the files of `--file` and `--users`, relative to the plan at `path`. */
function withGivenFiles(
  plan: Plan,
  path: string,
  { file: uploads, users }: Given<typeof CALIBRATE_OPTIONS>,
): Plan {
  const uploading = withUploadFiles(
    plan,
    uploads.map(({ field, path: file }) => ({ field, path: pathFromPlan(path, file) })),
  );
  if (users === undefined) return uploading;
  return withUserFile(uploading, pathFromPlan(path, users), fileReader(path));
}

/** Returns a function that reports whether an origin is one of `origins`. */
function oneOf(origins: readonly string[]): (origin: Origin) => boolean {
  const allowed = new Set(origins);
  return ({ secure, authority }) =>
    allowed.has(new URL(`http${secure ? "s" : ""}://${authority}`).origin);
}

/** Writes the repaired plan, or prints why it is not written. `path` is the given plan. */
async function writePlan(
  found: CalibratedPlan,
  path: string,
  output: OutputFile,
  interrupt: AbortSignal,
  io: Io,
): Promise<void> {
  const { text, isKept } = calibratedPlanText(found, readSource(path));
  if (interrupt.aborted) {
    io.stderr.write("Interrupted: the plan was not written.\n");
  } else if (!isUseful(found)) {
    io.stderr.write("The plan was not written, because nothing was repaired.\n");
  } else {
    await output.write(text);
    if (!isKept) io.stderr.write(LOST_COMMENTS);
  }
}

/** Prints the report to standard output, unless the plan is written there. */
function printReport(
  calibration: Calibration,
  redact: Redactor,
  { output, format, explain }: Given<typeof CALIBRATE_OPTIONS>,
  io: Io,
): void {
  const isPlanPrinted = output === undefined || output === "-";
  const report = isPlanPrinted ? io.stderr : io.stdout;
  report.write(
    format === "json"
      ? redact(safeJson(calibration)) + "\n"
      : calibrationText(calibration, redact, explain),
  );
}

/** Prints what to do next: check the address, or run the written plan. */
function printNextSteps(
  found: CalibratedPlan,
  target: string,
  { output, args }: Given<typeof CALIBRATE_OPTIONS>,
  io: Io,
): void {
  const { calibration } = found;
  if (hasNoResponse(calibration)) {
    const failed = calibration.calls.filter(({ kind }) => kind === "no response");
    const errors = failed.map(({ error = "" }) => error);
    printNext(checkAddress([target], errors), args, io);
  }
  if (!isNamed(output) || !isUseful(found)) return;
  printNext(commandLine("run", output, "--base-url", target), args, io);
}

function givenFiles(
  { har, args: { positionals: [path] } }: Given<typeof CALIBRATE_OPTIONS>,
): { readonly path: string; readonly har: string } {
  if (har === undefined) {
    throw new UsageError("calibrate needs the recording of the plan: add `--har FILE`");
  }
  if (path === "-" || har === "-") {
    throw new UsageError(
      "calibrate reads the plan and the recording from files, not from standard input (`-`)",
    );
  }
  return { path, har };
}

function hasNoResponse({ calls }: Calibration): boolean {
  return calls.some(({ kind }) => kind === "no response") &&
    calls.every(({ kind, differences }) =>
      /^(?:no response|not sent|consequence)$/.test(kind) && differences.length === 0
    );
}

function isUseful({ calibration: { proven, exceptState, kept }, edits }: CalibratedPlan): boolean {
  return proven || exceptState || edits > 0 || kept === "given";
}

function readSource(path: string): string {
  return new TextDecoder().decode(Deno.readFileSync(path));
}

/** Prints the targets of a plan, and how many requests and writes its calibration sends. */
function announceTargets(origins: readonly string[], plan: Plan, io: Io): void {
  const { requests, writes, mostWrites } = plannedCalls(plan);
  io.stderr.write(
    safeText(
      `Sending requests to ${origins.join(", ")}: pass 1 sends ${
        plural(requests, "request")
      }, including ${plural(writes, "write")}; ` +
        `at most ${plural(mostWrites, "write")} in all rounds`,
    ) + "\n",
  );
}

/**
 * Asks whether to send requests to hosts other than this machine. Throws UsageError if the user
 * does not agree or standard input is not a terminal.
 */
function confirmTargets(
  origins: readonly string[],
  plan: Plan,
  io: Io,
): void {
  const remote = origins.filter((origin) => !isLoopback(origin, plan.defaults?.http?.hosts ?? {}));
  if (remote.length === 0) return;
  const names = remote.join(", ");
  if (io.confirm?.(`Send these requests to ${names}?`)) return;
  throw new UsageError(
    `nothing was sent: ${names} is not this machine; if you have permission to test it, add \`--yes\``,
  );
}

function isLoopback(origin: string, hosts: Readonly<Record<string, string>>): boolean {
  const url = URL.parse(origin);
  const parsed = url ? toOrigin(url) : undefined;
  return parsed !== undefined && isLoopbackHost(hostAddress(parsed, hosts).hostname);
}
