import type { Io } from "./io.ts";

/** An option of a command: the one source of its parsing, its help and its completions. */
export interface Flag {
  /** Without the leading `--`. */
  readonly name: string;
  /** One letter, without the `-`. */
  readonly short?: string;
  /** The value's placeholder in help (`FILE`, `N`, …); absent for a switch. */
  readonly value?: string;
  /** The value is optional (default: the empty string) and must be given as `--name=VALUE`. */
  readonly optional?: boolean;
  /** The only values allowed; a single choice is also the placeholder. */
  readonly choices?: readonly string[];
  /** Values that completions offer. Other values are allowed too. */
  readonly suggests?: readonly string[];
  /** Reports whether the option may be given several times. */
  readonly repeats?: boolean;
  readonly help: string;
  /** The value in effect without the option, as help shows it. */
  readonly default?: string;
  /** Heading in help; `Options` when absent. */
  readonly group?: string;
}

/** The parsed arguments of a command line, checked against the command's flags. */
export interface Args {
  readonly positionals: readonly string[];
  /** Reports whether the switch or option is present. */
  has(name: string): boolean;
  /** Returns the option's last value, or undefined if it is absent. */
  text(name: string): string | undefined;
  /** Returns every value of the option, in order. */
  all(name: string): readonly string[];
}

/** An example command line in help, with a description. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/** One command of the tool. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** The usage line after the command's name. */
  readonly usage: string;
  /** Arguments that completions offer: files, or these words. Absent: none. */
  readonly takes?: "files" | readonly string[];
  /** Paragraphs of help after the usage line. */
  readonly about: readonly string[];
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  /** Runs the command and returns the exit code. Throws UsageError, InputError and OutputError. */
  run(args: Args, io: Io): Promise<number>;
}
