import type { Io } from "./io.ts";

/** An option of a command: the one source of its parsing, its help and its completions. */
export interface Flag {
  /** Without the leading `--`. */
  readonly name: string;
  /** One letter, without the `-`. */
  readonly short?: string;
  /** The value's placeholder in help (`FILE`, `N`, …); absent for a switch. */
  readonly value?: string;
  /** The value may be left out, and then is the empty text; given, it stands behind a `=`. */
  readonly optional?: boolean;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  /** Values that completions offer; others are allowed. */
  readonly suggests?: readonly string[];
  /** May be given several times. */
  readonly repeats?: boolean;
  readonly help: string;
  /** Heading in help; `Options` when absent. */
  readonly group?: string;
}

/** What stood on the command line, flags checked against the command's list. */
export interface Args {
  readonly positionals: readonly string[];
  /** True when the switch or option was given. */
  has(name: string): boolean;
  /** The option's last value. */
  text(name: string): string | undefined;
  /** Every value of the option, in order. */
  all(name: string): readonly string[];
}

/** A command line, and what it does, for help. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/** One command of the tool. `run` gives the exit code; it throws UsageError, InputError or OutputError. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What follows the command's name in its usage line. */
  readonly usage: string;
  /** What completions offer as arguments: files, or these words. Nothing when absent. */
  readonly takes?: "files" | readonly string[];
  /** Paragraphs of help after the usage line. */
  readonly about: readonly string[];
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  run(args: Args, io: Io): Promise<number>;
}
