import type { Io } from "../system/io.ts";

/** Option of a command. Argument parsing, help and shell completions are derived from it. */
export interface Flag {
  /** Name of the option without the leading `--`. */
  readonly name: string;
  /** One-letter form of the option, without the leading `-`. */
  readonly short?: string;
  /**
   * States whether the command reads or writes the file that the value names. Help shows the value
   * as `FILE`. A compiled binary keeps write access only if the command line contains an option
   * with `write`.
   */
  readonly file?: "read" | "write";
  /**
   * Placeholder in help, such as `N` or `URL`, for a value that does not name a file. An option
   * without `file` and `value` is a switch, which has no value.
   */
  readonly value?: string;
  /**
   * True if the option may be given without a value, which is the empty string then. A value must
   * be attached, as in `--name=VALUE`.
   */
  readonly optional?: boolean;
  /** Allowed values. If there is only one, `value` repeats it, so that help shows it. */
  readonly choices?: readonly string[];
  /** Values that shell completion offers. Other values are allowed, too. */
  readonly suggests?: readonly string[];
  /** True if the option may be given several times. */
  readonly repeats?: boolean;
  readonly help: string;
  /** Default value as text. Help shows it; parsing does not apply it. */
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
   * Returns the path of the file that an option names to write, or undefined if the option was not
   * given. Throws TypeError unless the option is declared with `file: "write"`.
   */
  output(name: string): string | undefined;
  /** Returns all values given for the option, in order, or an empty list if it was not given. */
  all(name: string): readonly string[];
}

/** Example of a command line in help. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * Permission of Deno's sandbox that neither arguments nor options imply: to use the network (`net`)
 * or to read environment variables (`env`).
 */
export type Need = "net" | "env";

/** Command of the tool, such as `convert`. */
export interface Command {
  readonly name: string;
  /** One-line description for the list of commands. */
  readonly summary: string;
  /** Arguments in the usage line, which follow the command's name. */
  readonly usage: string;
  /**
   * Positional arguments that shell completion offers: file names, or the listed words. Absent if
   * there are none. A command that takes files needs read permission.
   */
  readonly takes?: "files" | readonly string[];
  /** Paragraphs that help prints after the usage line. */
  readonly about: readonly string[];
  readonly flags: readonly Flag[];
  /**
   * Permissions that the command needs in addition to those that its arguments and options imply.
   * `permissionsOf` returns all of them.
   */
  readonly needs: readonly Need[];
  /**
   * True if an input, such as a plan, may name files to write. The command must then call
   * `dropWriteAccess` if the input names none.
   */
  readonly inputsNameOutputs?: boolean;
  readonly examples: readonly Example[];
  /**
   * Runs the command and returns the exit code. Throws UsageError, InputError, OutputError and
   * RunError.
   */
  run(args: Args, io: Io): Promise<number>;
}
