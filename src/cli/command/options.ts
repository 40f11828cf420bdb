import { UsageError } from "../../base/errors.ts";
import { DURATION_SHAPES, durationMs } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { UploadFile } from "../../convert/har/build_plan.ts";
import { withoutLogin } from "../../plan/text/user_info.ts";
import { placeholder } from "./args.ts";
import type { Args, Command, Flag } from "./command.ts";

export interface Option<Value = unknown> extends Omit<Flag, "name"> {
  /**
   * Converts the texts that were given for the option; there are none without the option. `name` is
   * the option's name. Throws UsageError if a text is invalid.
   */
  readonly read: (texts: readonly string[], name: string) => Value;
}

/** Options by name in camel case: `baseUrl` declares `--base-url`. */
export type OptionTable = Readonly<Record<string, Option>>;

export type Given<Table> =
  & { readonly [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never }
  & { readonly args: Args };

/** Properties of an option that its kind does not determine. */
export type Spec = Omit<Flag, "name" | "file" | "choices" | "repeats">;

/** Option with one value: undefined without the option, unless the option has a default. */
export type Valued<Value, Of> = Option<Of extends { default: string } ? Value : Value | undefined>;

export function toggle(spec: Spec): Option<boolean> {
  return { ...spec, read: (texts) => texts.length > 0 };
}

/**
 * An option whose value `parse` converts. `parse` returns undefined for an invalid text, and the
 * error message then states what is `expected`.
 */
export function parsed<Value, const Of extends Spec>(
  spec: Of & { readonly value: string },
  expected: string | ((text: string) => string),
  parse: (text: string) => Value | undefined,
): Valued<Value, Of> {
  const read = (texts: readonly string[], name: string) => {
    const text = texts.at(-1) ?? spec.default;
    return text === undefined ? undefined : parseText(text, name, expected, parse);
  };
  return { ...spec, read } as Valued<Value, Of>;
}

export function text<const Of extends Spec>(
  spec: Of & { readonly value: string },
): Valued<string, Of> {
  return parsed(spec, "a text", (text) => text);
}

export function choice<const Choice extends string, const Of extends Spec>(
  choices: readonly Choice[],
  spec: Of,
): Valued<Choice, Of> {
  const isChoice = (text: string) => choices.find((one) => one === text);
  return { value: "FORMAT", ...parsed({ value: "FORMAT", ...spec }, "", isChoice), choices } as
    & Option
    & Valued<Choice, Of>;
}

export function fileToRead(spec: Spec): Option<string | undefined> {
  return { ...spec, file: "read", read: (texts) => texts.at(-1) };
}

/** An option with the path of a file that the command reads, which may be given several times. */
export function filesToRead(spec: Spec): Option<readonly string[]> {
  return { ...spec, file: "read", repeats: true, read: (texts) => texts };
}

export function fileToWrite(spec: Spec): Option<string | undefined> {
  return { ...spec, file: "write", read: (texts) => texts.at(-1) };
}

/** An option whose value is an integer from `min` to `max`, both inclusive. */
export function wholeNumber<const Of extends Spec & { readonly value?: string }>(
  spec: Of,
  min = 0,
  max = Infinity,
): Valued<number, Of> {
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  return parsed({ ...spec, value: spec.value ?? "N" }, `a whole number ${range}`, (text) => {
    const isInRange = /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;
    return isInRange ? Number(text) : undefined;
  }) as Valued<number, Of>;
}

/** An option whose value is a number greater than 0, and within `min` and `max`. */
export function positiveNumber<const Of extends Spec>(
  spec: Of & { readonly value: string },
  expected = "a number above 0, such as 0.5",
  min = 0,
  max = Number.MAX_VALUE,
): Valued<number, Of> {
  return parsed(spec, expected, (text) => {
    const value = /^\d*\.?\d+(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
    return value > 0 && value >= min && value <= max ? value : undefined;
  });
}

/** An option whose value is a duration, in milliseconds. */
export function duration<const Of extends Spec & { readonly value?: string }>(
  spec: Of,
  minMs = 1,
): Valued<number, Of> {
  const expected = `a duration, ${DURATION_SHAPES}`;
  return parsed({ ...spec, value: "DURATION" }, expected, (text) => {
    const ms = durationMs(text);
    return ms !== undefined && ms >= minMs ? ms : undefined;
  }) as Valued<number, Of>;
}

/** An option whose value is an http or https URL with a host. */
export function httpUrl(spec: Spec): Option<string | undefined> {
  const isUrl = (text: string) => /^https?:\/\/[^/?#\s]+/i.test(text) && URL.canParse(text);
  return parsed(
    { ...spec, value: "URL" },
    "a URL with scheme and host, such as https://example.com",
    (text) => isUrl(text) ? text : undefined,
  );
}

/** An option that may be given several times. `parse` converts each value. */
export function repeated<Value = string>(
  spec: Spec,
  expected: string | ((text: string) => string) = "",
  parse: (text: string) => Value | undefined = (text) => text as Value,
): Option<readonly Value[]> {
  return {
    ...spec,
    repeats: true,
    read: (texts, name) => texts.map((text) => parseText(text, name, expected, parse)),
  };
}

/** An option that may be given several times, with one of `choices` each time. */
export function repeatedChoice<const Choice extends string>(
  choices: readonly Choice[],
  spec: Spec,
): Option<readonly Choice[]> {
  return { ...repeated<Choice>(spec), choices };
}

/** A repeatable option: the name of an upload field, and the path of the file to send. */
export function uploadFiles(spec: Omit<Spec, "value">): Option<readonly UploadFile[]> {
  return repeated({ ...spec, value: "FIELD=PATH" }, "FIELD=PATH", (text) => {
    const [, field, path] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    return field === undefined ? undefined : { field, path };
  });
}

/** An option whose values are lists, separated by commas. `parse` converts each item. */
export function list<Value = string>(
  spec: Spec,
  expected: string | ((text: string) => string) = "",
  parse: (text: string) => Value | undefined = (text) => text as Value,
): Option<readonly Value[]> {
  const items = (texts: readonly string[]) =>
    texts.flatMap((text) => text.split(",")).map((item) => item.trim()).filter(Boolean);
  const { read, ...rest } = repeated(spec, expected, parse);
  return { ...rest, read: (texts, name) => read(items(texts), name) };
}

function parseText<Value>(
  text: string,
  name: string,
  expected: string | ((text: string) => string),
  parse: (text: string) => Value | undefined,
): Value {
  const value = parse(text);
  if (value !== undefined) return value;
  const reason = typeof expected === "string" ? expected : expected(text);
  throw new UsageError(
    `--${name} cannot be ${safeSnippet(withoutLogin(text))}: expected ${reason}`,
  );
}

/** Gives all options of a table the properties `common`, such as a heading in help. */
export function grouped<Table extends OptionTable>(
  common: Pick<Flag, "group" | "with" | "conflicts" | "input">,
  table: Table,
): Table {
  const entries = Object.entries(table).map(([key, option]) => [key, { ...common, ...option }]);
  return Object.fromEntries(entries) as Table;
}

/** A command whose options are a table, so that it gets their values by name and type. */
export interface TypedCommand<Table extends OptionTable> extends Omit<Command, "flags" | "run"> {
  readonly options: Table;
  /** Positional arguments as an error names them, and how many there are (default: one). */
  readonly expects?: { readonly what: string; readonly min?: number; readonly max?: number };
  /**
   * Returns the kind of an input, as `Flag.input` names it. Absent if the command line alone does
   * not determine it.
   */
  readonly kindOf?: (input: string) => string;
  /** Runs the command and returns the exit code. Rejects with the errors of `Command.run`. */
  run(given: Given<Table>, io: Parameters<Command["run"]>[1]): Promise<number>;
}

/** Creates a command. Checks the number of arguments and the options before it runs. */
export function command<const Table extends OptionTable>(
  { options, expects, kindOf, run, ...rest }: TypedCommand<Table>,
): Command {
  return {
    ...rest,
    flags: toFlags(options),
    async run(args, io) {
      const { what, min = 1, max = 1 } = expects ?? { what: "no arguments", min: 0, max: 0 };
      const count = args.positionals.length;
      const got = count === 0 ? "" : `, but got ${count}`;
      if (count < min || count > max) throw new UsageError(`expected ${what}${got}`);
      if (kindOf !== undefined) checkInput(options, args, kindOf(args.positionals[0]));
      return await run(readOptions(options, args), io);
    },
  };
}

/**
 * Returns the values of the options of a table. Throws UsageError if a value is invalid, or if
 * options contradict each other.
 */
export function readOptions<Table extends OptionTable>(options: Table, args: Args): Given<Table> {
  const flags = toFlags(options);
  for (const flag of flags) checkRelations(flag, args, flags);
  checkStdin(flags, args);
  const values = Object.entries(options).map(([key, option]) => [
    key,
    option.read(args.all(toName(key)), toName(key)),
  ]);
  return { ...Object.fromEntries(values), args };
}

/** Returns the options of a table in order, each with its name on the command line. */
export function toFlags(options: OptionTable): readonly Flag[] {
  return Object.entries(options).map(([key, option]) => ({ ...option, name: toName(key) }));
}

/** Returns the name of an option on the command line: `base-url` for `baseUrl`. */
export function toName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function checkRelations(flag: Flag, args: Args, flags: readonly Flag[]): void {
  if (!args.has(flag.name)) return;
  const needed = [flag.with ?? []].flat();
  if (needed.length > 0 && !needed.some((one) => isGiven(one, args))) {
    const forms = needed.map((one) => `--${one.replace("=", " ")}`);
    const only = flags.find(({ name }) => name === needed[0]);
    const value = only && placeholder(only);
    const what = forms.length > 1
      ? "one of them"
      : `\`${forms[0]}${value === undefined ? "" : ` ${value}`}\``;
    throw new UsageError(`--${flag.name} works only with ${forms.join(" or ")}: add ${what}`);
  }
  for (const [other, advice] of Object.entries(flag.conflicts ?? {})) {
    if (!isGiven(other, args)) continue;
    const both = `--${flag.name} cannot be combined with --${other.replace("=", " ")}`;
    throw new UsageError(`${both}: ${advice}`);
  }
}

/** Throws UsageError for an option that works only for another kind of input than `found`. */
export function checkInput(options: OptionTable, args: Args, found: string): void {
  for (const { name, input = found, elsewhere } of toFlags(options)) {
    if (input === found || !args.has(name)) continue;
    throw new UsageError(
      `--${name} works only for ${input}, but the input is ${found}` +
        (elsewhere === undefined ? "" : `; ${elsewhere}`),
    );
  }
}

/** Reports whether an option was given, or for a condition such as `shape=curve` its value. */
function isGiven(condition: string, args: Args): boolean {
  const [name, value] = condition.split("=");
  return value === undefined ? args.has(name) : args.text(name) === value;
}

function checkStdin(flags: readonly Flag[], args: Args): void {
  const read = flags.filter(({ file }) => file === "read").flatMap(({ name }) => args.all(name));
  const uses = [...args.positionals, ...read].filter((path) => path === "-").length;
  if (uses > 1) {
    throw new UsageError("standard input (-) was given twice, but can be read only once");
  }
}
