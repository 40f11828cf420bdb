import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Args, Flag } from "./command.ts";

const HELP: Flag = {
  name: "help",
  short: "h",
  help: "Show this help; `--help all` describes all options",
};

/** Returns the options of a command, followed by the options that all commands share. */
export function withCommonFlags(flags: readonly Flag[]): readonly Flag[] {
  return [...flags, HELP];
}

/** Returns the placeholder for an option's value in help, or undefined for a switch. */
export function placeholder({ file, value }: Flag): string | undefined {
  return value ?? (file === undefined ? undefined : "FILE");
}

/**
 * Reports whether help and completions show an option as a switch: it has no value, or only one
 * possible value, which may be omitted.
 */
export function isSwitch(flag: Flag): boolean {
  return placeholder(flag) === undefined || flag.bare !== undefined && flag.choices?.length === 1;
}

/** Matches the start of a negative number, and `-` for standard input or output. */
const VALUE_WITH_DASH = /^-(?:\.?\d|$)/;

/**
 * Parses the arguments of a command that accepts the options in `flags`. Throws UsageError if an
 * option is unknown, or if a value is missing, not allowed or given more than once.
 */
export function readArgs(argv: readonly string[], flags: readonly Flag[]): Args {
  const known = withCommonFlags(flags);
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    const isLong = arg.startsWith("--");
    if (arg === "--") {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    if (!/^-./s.test(arg)) {
      positionals.push(arg);
      continue;
    }
    const [, name, assigned] = (isLong ? /^--([^=]*)(?:=(.*))?$/s : /^-(.)=?(.+)?$/s).exec(arg)!;
    const flag = known.find((flag) => name === (isLong ? flag.name : flag.short));
    if (flag === undefined) throw unknownFlag(arg, known);
    const next = argv[i + 1] ?? "";
    const takesNext = assigned === undefined && hasSeparateValue(flag, next);
    if (takesNext) i++;
    given.getOrInsert(flag.name, []).push(assigned ?? (takesNext ? next : flag.bare ?? ""));
  }
  for (const flag of known) checkValues(flag, given.get(flag.name) ?? []);
  const all = (name: string) => given.get(name) ?? [];
  return {
    positionals,
    has: (name) => given.has(name),
    text: (name) => all(name).at(-1),
    all,
  };
}

/**
 * Reports whether the argument after an option without `=` is its value. If the value may be
 * omitted, that is only one of the option's `choices`. An argument that starts with `-` is a value
 * only if it is `-` or a negative number.
 */
function hasSeparateValue(flag: Flag, next: string): boolean {
  if (placeholder(flag) === undefined) return false;
  if (flag.bare !== undefined && flag.choices?.includes(next)) return true;
  return !flag.optional && flag.bare === undefined &&
    (!next.startsWith("-") || VALUE_WITH_DASH.test(next));
}

function invalidChoice({ name, bare, choices = [], instead }: Flag, found: string): UsageError {
  const expected = choices.length > 1 ? `one of ${choices.join(", ")}` : choices[0];
  const hint = didYouMean(found, choices);
  return new UsageError(
    `--${name} cannot be ${safeSnippet(found)}: expected ${expected}` +
      (bare === undefined ? "" : " or no value") +
      (instead === undefined ? "" : `; ${instead}`) + (hint && `; ${hint}`),
  );
}

function unknownFlag(arg: string, known: readonly Flag[]): UsageError {
  const name = arg.replace(/^-+/, "").replace(/=.*$/s, "");
  const hint = didYouMean(name, known.map((flag) => flag.name)).replace('"', '"--');
  return new UsageError(`unknown option ${safeSnippet(arg)}${hint && `: ${hint}`}`);
}

function checkValues(flag: Flag, values: readonly string[]): void {
  const shown = placeholder(flag);
  if (shown === undefined) {
    const assigned = values.find((value) => value !== "");
    if (assigned === undefined) return;
    throw new UsageError(`--${flag.name} has no value: remove \`=${safeSnippet(assigned)}\``);
  }
  if (values.includes("") && !flag.optional) {
    throw new UsageError(`--${flag.name} needs a value: write \`--${flag.name} ${shown}\``);
  }
  if (values.length > 1 && !flag.repeats) {
    throw new UsageError(
      `--${flag.name} was given ${values.length} times, but is allowed only once`,
    );
  }
  const invalid = flag.choices && values.find((value) => !flag.choices!.includes(value));
  if (invalid !== undefined) throw invalidChoice(flag, invalid);
}
