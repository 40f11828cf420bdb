import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { safeSnippet } from "../base/safe_text.ts";
import { readArgs } from "./command/args.ts";
import type { ListedCommand } from "./command/command.ts";
import { allHelp, commandHelp, toolHelp } from "./command/help.ts";
import { dropPermissions } from "./command/exit_codes.ts";
import { COMMANDS, loadCommand, loadCommands } from "./commands.ts";
import { describeError } from "./describe_error.ts";
import type { Io } from "./system/io.ts";
import { VERSION } from "../base/release.ts";

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
      return 2;
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
    const { text = "", code = 0 } = describeError(error, command?.name) ?? {};
    io.stderr.write(io.stderr.colors ? text.replace(/^error:/, "\x1b[31merror:\x1b[0m") : text);
    return code;
  }
}

/** Word after `--help` that requests help for all options of a command, or for all commands. */
const ALL = "all";

/**
 * Returns the output of `rehearse help`: an overview, the help of all commands, or the help of one
 * command.
 */
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
  return 0;
}
