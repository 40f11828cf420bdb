import { InputError, OutputError, RunError, UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { VERSION } from "../base/release.ts";
import { safeSnippet, safeText } from "../base/safe_text.ts";
import { SOURCES_FLAG } from "../base/start_thread.ts";
import { hidePasswords } from "../plan/text/user_info.ts";
import { readArgs } from "./command/args.ts";
import { dropPermissions, type ListedCommand } from "./command/command.ts";
import { EXIT } from "./command/exit_codes.ts";
import { allHelp, commandHelp, toolHelp } from "./command/help.ts";
import { COMMANDS, loadCommand, loadCommands } from "./commands.ts";
import type { Io } from "./system/io.ts";

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

const REQUIRES = /Requires (\w+) access to (.+?), (?:run again with|specify)/;

function isUnreadableImport(error: unknown): error is TypeError {
  return error instanceof TypeError && REQUIRES.test(error.message);
}

function missingPermission(error: Error): string {
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
