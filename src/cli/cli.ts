import { InputError, OutputError, RunError, UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { safeSnippet, safeText } from "../base/safe_text.ts";
import { readArgs } from "./command/args.ts";
import type { Command } from "./command/command.ts";
import { COMMANDS } from "./commands.ts";
import { dropPermissions } from "./command/drop_permissions.ts";
import { commandHelp } from "./command/help.ts";
import type { Io } from "./system/io.ts";
import { isMissingPermission, missingPermission } from "./permission.ts";
import { toolHelp } from "./tool_help.ts";
import { VERSION } from "./system/tool_version.ts";

/**
 * Runs one command line and returns the exit code. Never rejects: every error is printed to standard
 * error as one message.
 */
export async function cli(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  let command: Command | undefined;
  try {
    if (name === "--version" || name === "-V") return print(io, `rehearse ${VERSION}\n`);
    if (name === undefined) return fail(io, await toolHelp(), 2);
    if (name === "--help" || name === "-h" || name === "help") {
      return print(io, rest[0] ? commandHelp(await find(rest[0])) : await toolHelp());
    }
    command = await find(name);
    const args = readArgs(rest, command.flags);
    if (args.has("help")) return print(io, commandHelp(command));
    if (Deno.build.standalone) dropPermissions(command.name, args);
    return await command.run(args, io);
  } catch (error) {
    return report(error, command, io);
  }
}

async function find(name: string): Promise<Command> {
  if (Object.hasOwn(COMMANDS, name)) return await COMMANDS[name]();
  if (name.startsWith("-")) {
    throw new UsageError(`unknown option ${safeSnippet(name)}: a command must come first`);
  }
  const hint = didYouMean(name, Object.keys(COMMANDS));
  throw new UsageError(`unknown command ${safeSnippet(name)}${hint && `: ${hint}`}`);
}

function print(io: Io, text: string): number {
  io.stdout.write(text);
  return 0;
}

function fail(io: Io, text: string, code: number): number {
  io.stderr.write(text);
  return code;
}

function report(error: unknown, command: Command | undefined, io: Io): number {
  // The reader closed the pipe, as `| head -1` does: success, not a failure.
  if (error instanceof Deno.errors.BrokenPipe) return 0;
  if (error instanceof UsageError) {
    const help = command ? `${command.name} --help` : "--help";
    const text = `error: ${safeText(error.message)}\nSee \`rehearse ${help}\`.\n`;
    return fail(io, text, 2);
  }
  if (isMissingPermission(error)) {
    return fail(io, `error: ${safeText(missingPermission(error))}\n`, 1);
  }
  if (error instanceof InputError) return fail(io, `error: ${located(error)}\n`, 1);
  if (error instanceof OutputError || error instanceof RunError) {
    return fail(io, `error: ${safeText(error.message)}\n`, 1);
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return fail(
    io,
    `error: internal error: ${safeSnippet(message, 400)}\n` +
      "This is a bug. Please report it with the command line and, if you can, the input.\n",
    1,
  );
}

function located({ message, place }: InputError): string {
  const { source, line, column, snippet } = place;
  const named = line === undefined && message.includes(source);
  const at = named
    ? ""
    : [source, line, column].filter((part) => part !== undefined).join(":") + ": ";
  return safeText(at + message) + (snippet === undefined ? "" : `\n  ${safeSnippet(snippet)}`);
}
