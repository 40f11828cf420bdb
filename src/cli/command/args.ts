import { parseArgs } from "@std/cli/parse-args";
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

/**
 * Parses the arguments of a command that accepts the options in `flags`. Throws UsageError if an
 * option is unknown, or if a value is missing, not allowed or given more than once.
 */
export function readArgs(argv: readonly string[], flags: readonly Flag[]): Args {
  const known = withCommonFlags(flags);
  const unknown: string[] = [];
  const valued = known.filter(placeholder).map((flag) => flag.name);
  const parsed: Record<string, unknown> = parseArgs(withBareValues(argv, known), {
    string: ["_", ...valued],
    boolean: known.filter((flag) => !placeholder(flag)).map((flag) => flag.name),
    collect: valued,
    alias: Object.fromEntries(known.filter((f) => f.short).map((f) => [f.name, f.short!])),
    unknown: (arg: string, key?: string) => (key === undefined || unknown.push(arg) > 0),
  });
  if (unknown.length > 0) throw unknownFlag(unknown[0], known);
  for (const flag of known) checkValue(flag, parsed[flag.name]);
  const all = (name: string) => parsed[name] === true ? [""] : (parsed[name] || []) as string[];
  return {
    positionals: parsed._ as string[],
    has: (name) => all(name).length > 0,
    text: (name) => all(name).at(-1),
    all,
  };
}

/** Matches the start of a negative number, and `-` for standard input or output. */
const VALUE_WITH_DASH = /^-(?:\.?\d|$)/;

/**
 * Appends the value `bare` to each option that declares it and was given without a value. The
 * argument after such an option becomes its value only if it is one of the option's `choices`.
 * Treats `-` or a negative number as a value if the option before it needs one.
 */
function withBareValues(argv: readonly string[], known: readonly Flag[]): string[] {
  const bare = new Map(
    known.filter(({ optional, bare }) => optional || bare !== undefined)
      .map((flag) => [`--${flag.name}`, flag]),
  );
  const valued = new Set(
    known.filter((flag) => placeholder(flag) && !bare.has(`--${flag.name}`))
      .map(({ name }) => `--${name}`),
  );
  const given: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === "--") return [...given, ...argv.slice(i)];
    const flag = bare.get(argv[i]);
    if (valued.has(argv[i]) && VALUE_WITH_DASH.test(argv[i + 1] ?? "")) {
      given.push(`${argv[i]}=${argv[++i]}`);
      continue;
    }
    const isValue = flag?.bare !== undefined && flag.choices?.includes(argv[i + 1]);
    if (flag !== undefined && !isValue) checkNextArgument(flag, argv[i + 1] ?? "");
    if (flag === undefined) given.push(argv[i]);
    else given.push(`${argv[i]}=${isValue ? argv[++i] : flag.bare ?? ""}`);
  }
  return given;
}

/**
 * Matches a number, with or without a unit, or an address with a port. Does not match typical file
 * names.
 */
const VALUE = /^(?:\d+(?:\.\d+)?(?:%|\/?[a-z]+)?|[\w.-]*:\d+)$/i;

/**
 * Throws UsageError if the argument after an option without a value was probably intended as its
 * value: a number, an address or a misspelled choice. Without this check, the argument would be
 * read as the path of an input.
 */
function checkNextArgument(flag: Flag, next: string): void {
  if (flag.bare === undefined) {
    if (!VALUE.test(next)) return;
    const { name } = flag;
    throw new UsageError(
      `--${name} takes its value after an equals sign: write \`--${name}=${next}\`; for a file with ` +
        `this name, write \`./${next}\``,
    );
  }
  const isMisspelled = /^[a-z]+$/i.test(next) && didYouMean(next, flag.choices ?? []) !== "";
  if (VALUE.test(next) || isMisspelled) {
    throw invalidChoice(flag, next, `; for a file with this name, write \`./${next}\``);
  }
}

function invalidChoice(
  { name, bare, choices = [], instead }: Flag,
  found: string,
  more = "",
): UsageError {
  const expected = choices.length > 1 ? `one of ${choices.join(", ")}` : choices[0];
  const hint = didYouMean(found, choices);
  return new UsageError(
    `--${name} cannot be ${safeSnippet(found)}: expected ${expected}` +
      (bare === undefined ? "" : " or no value") +
      (instead === undefined ? "" : `; ${instead}`) + more + (hint && `; ${hint}`),
  );
}

function unknownFlag(arg: string, known: readonly Flag[]): UsageError {
  const name = arg.replace(/^-+/, "").replace(/=.*$/s, "");
  const similar = known.find((flag) => flag.similar?.includes(name));
  const hint = didYouMean(similar?.name ?? name, known.map((flag) => flag.name)).replace(
    '"',
    '"--',
  );
  return new UsageError(`unknown option ${safeSnippet(arg)}${hint && `: ${hint}`}`);
}

function checkValue(flag: Flag, given: unknown): void {
  const shown = placeholder(flag);
  if (shown === undefined) return;
  const values = given as string[];
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
