import { InputError, OutputError, RunError, UsageError } from "../base/errors.ts";
import { safeSnippet, safeText } from "../base/safe_text.ts";
import { hidePasswords } from "../plan/text/user_info.ts";

/** Exit code of a failed command, and the message to print to standard error. */
export interface ErrorReport {
  readonly text: string;
  readonly code: number;
}

/**
 * Returns the message and the exit code for an error that a command threw. Returns undefined if the
 * reader of the output closed the pipe, as `| head -1` does, because that is not a failure. Hides
 * passwords in URLs. `command` is the name of the command, or undefined if the command line does
 * not contain a valid one.
 */
export function describeError(
  error: unknown,
  command: string | undefined,
): ErrorReport | undefined {
  if (error instanceof Deno.errors.BrokenPipe) return undefined;
  if (error instanceof UsageError) {
    const help = command === undefined ? "--help" : `${command} --help`;
    return {
      text: `error: ${safeText(hidePasswords(error.message))}\nSee \`rehearse ${help}\`.\n`,
      code: 2,
    };
  }
  return { text: `error: ${failure(error)}\n`, code: 1 };
}

function failure(error: unknown): string {
  if (isMissingPermission(error)) return safeText(hidePasswords(missingPermission(error)));
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

/**
 * Reports whether an error is caused by a missing Deno permission. Also recognizes the TypeError
 * that Deno throws if it lacks permission to load a module through a symbolic link.
 */
function isMissingPermission(error: unknown): error is Error {
  return error instanceof Deno.errors.NotCapable ||
    error instanceof TypeError && REQUIRES.test(error.message);
}

/** Converts Deno's permission error into a message that states the flag to add. */
function missingPermission(error: Error): string {
  const found = REQUIRES.exec(error.message);
  if (!found) return `a permission is missing: ${error.message}`;
  const [, kind, target] = found;
  const what = target.replace(/^"(.*)"$/, "$1");
  const isModule = kind === "read" && SOURCES !== undefined && what.startsWith(SOURCES);
  const allowed = isModule ? SOURCES : what;
  const flag = what.startsWith("<") ? `--allow-${kind}` : `--allow-${kind}=${allowed}`;
  return `cannot ${
    VERBS[kind] ?? "use"
  } ${what}: the permission is missing; add \`${flag}\` to \`deno run\``;
}

/** Path of the folder `src`; undefined if the modules are not local files. */
const SOURCES = import.meta.dirname?.slice(0, -"/cli".length);

const VERBS: Record<string, string> = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "read the environment variable",
  run: "start",
};
