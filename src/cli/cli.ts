import { InputError, OutputError, PermissionError, RunError, UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { VERSION } from "../base/release.ts";
import { safeSnippet, safeText } from "../base/safe_text.ts";
import { SOURCES_FLAG } from "../base/start_thread.ts";
import { hidePasswords } from "../plan/text/user_info.ts";
import { readArgs } from "./command/args.ts";
import { type Command, dropPermissions, EXIT, type ListedCommand } from "./command/command.ts";
import { allHelp, commandHelp, toolHelp } from "./command/help.ts";
import { command as createCommand } from "./command/options.ts";
import type { Io } from "./system/io.ts";

export interface CommandEntry {
  readonly summary: string;
  /** Loads the command. Called only when the command is needed, so that the tool starts quickly. */
  readonly load: () => Promise<Command>;
}

const VERSION_COMMAND = createCommand({
  name: "version",
  usage: "",
  about: [],
  options: {},
  needs: [],
  examples: { "rehearse version": "Print the versions to include in a bug report." },
  run(_given, io) {
    const { deno, v8 } = Deno.version;
    const { os, arch } = Deno.build;
    io.stdout.write(`rehearse ${VERSION} (deno ${deno}, v8 ${v8}, ${os} ${arch})\n`);
    return Promise.resolve(EXIT.OK);
  },
});

/** All commands by name, in the order in which help lists them. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary: "Ask for the recording, the target and the duration, and write a first plan",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  convert: {
    summary: "Convert an access log or a browser recording into a load-test plan",
    load: async () => (await import("./commands/convert.ts")).convertCommand,
  },
  validate: {
    summary: "Check plans and report every error",
    load: async () => (await import("./commands/validate.ts")).validateCommand,
  },
  inspect: {
    summary: "Show what a run of a plan would send: requests, rates, duration, files",
    load: async () => (await import("./commands/inspect.ts")).inspectCommand,
  },
  diff: {
    summary: "Show how two plans differ in meaning",
    load: async () => (await import("./commands/diff.ts")).diffCommand,
  },
  export: {
    summary: "Write a plan as a script for another load generator (k6)",
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  verify: {
    summary: "Check a plan against its recording, or a run against its log",
    load: async () => (await import("./commands/verify.ts")).verifyCommand,
  },
  calibrate: {
    summary: "Repair a plan by running it against the live application",
    load: async () => (await import("./commands/calibrate.ts")).calibrateCommand,
  },
  run: {
    summary: "Run a plan, or load one URL, and report the results",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  join: {
    summary: "Run one shard of a distributed test led by `run --fleet`",
    load: async () => (await import("./commands/join.ts")).joinCommand,
  },
  merge: {
    summary: "Merge the summaries of a run's shards and evaluate its thresholds",
    load: async () => (await import("./commands/merge.ts")).mergeCommand,
  },
  report: {
    summary: "Write an HTML report of a run, or compare runs",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  demo: {
    summary: "Serve a demo shop on this machine, or write a log and a HAR of it",
    load: async () => (await import("./commands/servers.ts")).demoCommand,
  },
  serve: {
    summary: "Serve a recording as a mock server on this machine",
    load: async () => (await import("./commands/servers.ts")).serveCommand,
  },
  schema: {
    summary: "Print the JSON Schema of plans",
    load: async () => (await import("./commands/validate.ts")).schemaCommand,
  },
  completions: {
    summary: "Print the completion script for a shell",
    load: async () =>
      (await import("./commands/completions.ts")).completionsCommand(COMMANDS, loadCommand),
  },
  version: {
    summary: "Show the versions of rehearse, Deno and V8, and the platform",
    load: () => Promise.resolve(VERSION_COMMAND),
  },
};

export async function loadCommand(name: string): Promise<ListedCommand> {
  const { summary, load } = COMMANDS[name];
  return { ...await load(), summary };
}

export async function loadCommands(): Promise<ListedCommand[]> {
  return await Promise.all(Object.keys(COMMANDS).map(loadCommand));
}

/**
 * Runs one command line and returns the exit code. Never rejects: every error is printed to
 * standard error as one message.
 */
export async function cli(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  let command: ListedCommand | undefined;
  try {
    if (name === "--version" || name === "-V") return print(io, `rehearse ${VERSION}\n`);
    if (name === undefined) {
      io.stderr.write(toolHelp(COMMANDS));
      return EXIT.USAGE;
    }
    if (name === "--help" || name === "-h" || name === "help") {
      return print(io, await helpOn(rest));
    }
    command = await find(name);
    const args = readArgs(rest, command.flags);
    if (args.has("help")) return print(io, commandHelp(command, args.positionals.includes(ALL)));
    if (Deno.build.standalone) dropPermissions(command, args);
    return await command.run(args, io);
  } catch (error) {
    const { text = "", code = EXIT.OK } = describeError(error, command?.name) ?? {};
    io.stderr.write(io.stderr.colors ? text.replace(/^error:/, "\x1b[31merror:\x1b[0m") : text);
    return code;
  }
}

/** Word after `--help` that requests help for all options of a command, or for all commands. */
const ALL = "all";

async function helpOn([name, ...rest]: readonly string[]): Promise<string> {
  if (name === undefined) return toolHelp(COMMANDS);
  if (name === ALL) return allHelp(await loadCommands());
  return commandHelp(await find(name), rest.includes(ALL));
}

async function find(name: string): Promise<ListedCommand> {
  if (Object.hasOwn(COMMANDS, name)) return await loadCommand(name);
  if (name.startsWith("-")) {
    const hint = didYouMean(name.replace(/^-+/, ""), ["version", "help"]).replace('"', '"--');
    throw new UsageError(
      `unknown option ${safeSnippet(name)}: ${hint || "a command must come first"}`,
    );
  }
  const hint = didYouMean(name, Object.keys(COMMANDS));
  throw new UsageError(`unknown command ${safeSnippet(name)}${hint && `: ${hint}`}`);
}

function print(io: Io, text: string): number {
  io.stdout.write(text);
  return EXIT.OK;
}

/** Exit code of a failed command, and the message to print to standard error. */
interface ErrorReport {
  readonly text: string;
  readonly code: number;
}

/**
 * Returns the message and the exit code for an error that a command threw. Returns undefined if the
 * reader of the output closed the pipe, as `| head -1` does, because that is not a failure. Hides
 * passwords in URLs. `command` is the name of the command, or undefined if the command line does
 * not contain a valid one.
 */
function describeError(
  error: unknown,
  command: string | undefined,
): ErrorReport | undefined {
  if (error instanceof Deno.errors.BrokenPipe) return undefined;
  if (error instanceof UsageError) {
    const help = command === undefined ? "--help" : `${command} --help`;
    return {
      text: `error: ${safeText(hidePasswords(error.message))}\nSee \`rehearse ${help}\`.\n`,
      code: EXIT.USAGE,
    };
  }
  return { text: `error: ${failure(error)}\n`, code: EXIT.FAILED };
}

function failure(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable || isUnreadableImport(error)) {
    return safeText(hidePasswords(missingPermission(error)));
  }
  if (error instanceof InputError) return located(error);
  if (error instanceof OutputError || error instanceof RunError) {
    return safeText(hidePasswords(error.message));
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `internal error: ${safeSnippet(hidePasswords(message), 400)}\n` +
    "This is a bug. Please report it with the command line and, if you can, the input.";
}

function located({ message, place }: InputError): string {
  const { source, line, column, snippet } = place;
  const named = line === undefined && message.includes(source);
  const at = named
    ? ""
    : [source, line, column].filter((part) => part !== undefined).join(":") + ": ";
  const text = safeText(hidePasswords(at + message));
  return text + (snippet === undefined ? "" : `\n  ${safeSnippet(hidePasswords(snippet))}`);
}

/** Matches the errors of Deno for a missing permission. */
const REQUIRES = /Requires (\w+) access to (.+?), (?:run again with|specify)/;

function isUnreadableImport(error: unknown): error is TypeError {
  return error instanceof TypeError && REQUIRES.test(error.message);
}

function missingPermission(error: Error): string {
  if (error instanceof PermissionError) return error.message;
  const found = REQUIRES.exec(error.message);
  if (!found) return `a permission is missing: ${error.message}`;
  const [, kind, target] = found;
  const what = target.replace(/^"(.*)"$/, "$1");
  const flag = isUnreadableImport(error)
    ? SOURCES_FLAG
    : what.startsWith("<")
    ? `--allow-${kind}`
    : `--allow-${kind}=${what}`;
  return `cannot ${
    VERBS[kind] ?? "use"
  } ${what}: the permission is missing; add \`${flag}\` to \`deno run\``;
}

const VERBS: Record<string, string> = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "read the environment variable",
  run: "start",
};
