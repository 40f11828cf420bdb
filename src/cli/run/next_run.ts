import type { Redactor } from "../../base/redactor.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { placeholder } from "../command/args.ts";
import type { Args, Flag } from "../command/command.ts";
import { toFlags } from "../command/options.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { checkAddress, commandLine, isNamed, printNext } from "../output/print_notes.ts";
import type { Io } from "../system/io.ts";
import { RUN_OPTIONS, type RunGiven } from "./run_options.ts";

/** A run that has ended. */
export interface EndedRun {
  readonly summary: Summary;
  /** Path of the plan, or URL of the target, as given on the command line. */
  readonly path: string;
  readonly origins: readonly string[];
  /** Hides the secrets of the plan. */
  readonly redact: Redactor;
}

/**
 * Options that are not repeated in the suggested command: those of a trial run, the run id, and
 * `--html`, which the suggestion adds.
 */
const NOT_REPEATED = ["once", "bodies", "run-id", "html"];

/**
 * Prints what to do after a run: open its report, or run again with the same options and a report.
 * After a failed trial run (`--once`), suggests printing the bodies. If no request got a response,
 * prints what to check instead. Hides secrets.
 */
export function printNextRun(run: EndedRun, given: RunGiven, io: Io): void {
  const { summary, path, origins, redact } = run;
  const { html, summaryExport: exported, args } = given;
  if (summary.failure === "no request got a response") {
    const errors = summary.errors.filter(({ kind }) => kind !== "template");
    const messages = errors.map(({ message }) => message);
    printNext(checkAddress(origins.map((origin) => redact(origin)), messages), args, io);
  } else if (isNamed(html)) printNext(`open ${html} in a browser`, args, io);
  else if (given.shard !== undefined || path === "-") return;
  else if (isNamed(exported)) {
    printNext(commandLine("report", exported, "-o", "report.html"), args, io);
  } else {
    const options = toFlags(RUN_OPTIONS).flatMap((flag) => repeatedOption(flag, args));
    const hide = secretHider(options.length > 0 || path.includes("://"));
    const words = [path, ...options].map((word) => redact(hide(word)));
    printNext(commandLine("run", ...words, ...furtherOptions(summary, given)), args, io);
  }
}

/**
 * Returns the options to add to the suggested command: after a failed run with `--once`, `--once`
 * again with `--bodies`; otherwise, or if `--bodies` was already given, `--html`.
 */
function furtherOptions({ failure }: Summary, { once, bodies }: RunGiven): string[] {
  if (failure === undefined || once === undefined || bodies) return ["--html", "report.html"];
  return [once === "all" ? "--once=all" : "--once", "--bodies"];
}

/**
 * Returns a function that hides passwords in URLs. If `mayHoldSecrets` is true, it also hides other
 * values that look like credentials.
 */
function secretHider(mayHoldSecrets: boolean): Redactor {
  if (!mayHoldSecrets) return hidePasswords;
  return (word) => withoutSecrets(hidePasswords(word));
}

/**
 * Returns the command-line arguments that repeat an option with the given values. Returns an empty
 * list if the option was not given or is one of `NOT_REPEATED`.
 */
function repeatedOption(flag: Flag, args: Args): string[] {
  const { name } = flag;
  if (!args.has(name) || NOT_REPEATED.includes(name)) return [];
  if (placeholder(flag) === undefined) return [`--${name}`];
  return args.all(name).flatMap((value) => {
    if (value === "") return [`--${name}`];
    // A value that follows a space must not look like an option.
    return flag.optional || value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
  });
}
