import type { Io } from "../system/io.ts";

/** An option of a command. Parsing, help and completions are all derived from this definition. */
export interface Flag {
  /** Name of the option without the leading `--`. */
  readonly name: string;
  /** One-letter form of the option, without the leading `-`. */
  readonly short?: string;
  /**
   * What the command does with the file that the value names. Help shows the value as `FILE`. A
   * compiled binary keeps write access only if an option with `write` is given.
   */
  readonly file?: "read" | "write";
  /**
   * Placeholder in help (`N`, `URL`, …) for a value that is not a file. An option without `file` and
   * `value` is a switch: it has no value.
   */
  readonly value?: string;
  /**
   * True if the value may be omitted (default: the empty string). A value must then be given as
   * `--name=VALUE`.
   */
  readonly optional?: boolean;
  /** Allowed values. If there is only one, it is also the placeholder. */
  readonly choices?: readonly string[];
  /** Values that completions offer. Any other value is also allowed. */
  readonly suggests?: readonly string[];
  /** True if the option may be given several times. */
  readonly repeats?: boolean;
  readonly help: string;
  /** Default value, as shown in help. */
  readonly default?: string;
  /** Heading under which help lists the option (default: `Options`). */
  readonly group?: string;
}

/** Parsed and validated arguments of a command line. */
export interface Args {
  readonly positionals: readonly string[];
  /** Reports whether the option was given. */
  has(name: string): boolean;
  /** Returns the last value given for the option, or undefined if the option was not given. */
  text(name: string): string | undefined;
  /**
   * Returns the file that an option names to write, or undefined if the option was not given. Throws
   * TypeError unless the option is declared with `file: "write"`.
   */
  output(name: string): string | undefined;
  /** Returns all values given for the option, in order. Empty if the option was not given. */
  all(name: string): readonly string[];
}

/** An example command line in help, with a description. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * Permission of Deno's sandbox to reach other machines (`net`) or to read environment variables
 * (`env`).
 */
export type Need = "net" | "env";

/** One command of the tool. */
export interface Command {
  readonly name: string;
  /** One-line description for the list of commands. */
  readonly summary: string;
  /** Rest of the usage line after the command's name. */
  readonly usage: string;
  /**
   * Kind of arguments: files to read, or one of the listed words. Completions offer them. Absent if
   * the command has no arguments.
   */
  readonly takes?: "files" | readonly string[];
  /** Paragraphs that help prints after the usage line. */
  readonly about: readonly string[];
  readonly flags: readonly Flag[];
  /**
   * Permissions that do not follow from the arguments and options. See `permissionsOf` for all
   * permissions of a command.
   */
  readonly needs: readonly Need[];
  /**
   * True if an input may name files to write. The command itself then revokes write access if its
   * inputs name none.
   */
  readonly inputsNameOutputs?: boolean;
  readonly examples: readonly Example[];
  /** Runs the command and returns the exit code. Throws UsageError, InputError and OutputError. */
  run(args: Args, io: Io): Promise<number>;
}
