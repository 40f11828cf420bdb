import type { Io } from "../system/io.ts";
import type { Summary } from "../../engine/summary/summary.ts";

/** An option of a command. Argument parsing, help and shell completions are derived from it. */
export interface Flag {
  /** Name of the option without the leading `--`. */
  readonly name: string;
  /** One-letter form of the option, without the leading `-`. */
  readonly short?: string;
  /**
   * Marks the value as the path of a file that the command reads or writes. The placeholder in help
   * is `value` or, if that is absent, `FILE`. A compiled binary keeps write access if the command
   * line contains an option whose value is a file to write.
   */
  readonly file?: "read" | "write";
  /**
   * Placeholder for the value in help, such as `N` or `URL`. An option without `file` and `value`
   * is a switch, which has no value.
   */
  readonly value?: string;
  /**
   * True if the value may be omitted. The option then gets an empty string. Users must write an
   * equals sign before a value, as in `--name=VALUE`.
   */
  readonly optional?: boolean;
  /**
   * Value that the option gets if it is given without a value. The next argument is the option's
   * value only if it is one of `choices`. If `choices` has only this value, help shows the option
   * as a switch.
   */
  readonly bare?: string;
  /** Text that suggests an alternative, at the end of the error message for an invalid value. */
  readonly instead?: string;
  readonly choices?: readonly string[];
  /** Values that shell completion offers. Other values are also allowed. */
  readonly suggests?: readonly string[];
  readonly repeats?: boolean;
  readonly help: string;
  /** Value that the option has if it is not given, written as on a command line. */
  readonly default?: string;
  /** What applies if the option is not given, for an option without a fixed default. */
  readonly otherwise?: string;
  /** Heading under which help lists the option (default: `Options`). */
  readonly group?: string;
  /**
   * Options of which at least one must also be given, as a name or with a value: `update`,
   * `shape=curve`.
   */
  readonly with?: string | readonly string[];
  /** The only kind of input for which the option works, such as `a HAR file` (default: any). */
  readonly input?: string;
  /** What to use for other kinds of input. */
  readonly elsewhere?: string;
  /** Options that cannot be given too, written as in `with`, and what to do instead. */
  readonly conflicts?: Readonly<Record<string, string>>;
}

/** Parsed and validated arguments of a command line. */
export interface Args {
  readonly positionals: readonly string[];
  /** Reports whether the option was given. */
  has(name: string): boolean;
  /** Returns the last value given for the option, or undefined if the option was not given. */
  text(name: string): string | undefined;
  /** Returns all values given for the option, in order, or an empty list if it was not given. */
  all(name: string): readonly string[];
}

/** Command lines that help shows, and what each of them does. */
export type Examples = Readonly<Record<string, string>>;

/**
 * A Deno permission that does not follow from a command's arguments and options: network access
 * (`net`), reading environment variables (`env`), or reading files that a plan loaded from the
 * network refers to (`read`).
 */
export type Need = "net" | "env" | "read";

/** A command of `rehearse`, such as `convert`. */
export interface Command {
  readonly name: string;
  /** Arguments to show after the command's name in the usage line, such as `FILE... [OPTIONS]`. */
  readonly usage: string;
  /**
   * What shell completion offers as positional arguments: file names, or the listed words. Absent
   * if the command takes no positional arguments. A command that takes files needs read permission.
   */
  readonly takes?: "files" | readonly string[];
  /**
   * Words that shell completion offers only as the first positional argument, before the
   * completions in `takes`.
   */
  readonly first?: readonly string[];
  /** Paragraphs that help prints after the usage line. */
  readonly about: readonly string[];
  readonly flags: readonly Flag[];
  /**
   * Permissions that the command needs in addition to those implied by its arguments and options.
   * `permissionsOf` returns the complete list.
   */
  readonly needs: readonly Need[];
  /** Permissions that the command needs only for some command lines. */
  readonly needsFor?: {
    readonly needs: readonly Need[];
    /** Reports whether a command line needs these permissions. */
    applies(args: Args): boolean;
  };
  /**
   * True if an input, such as a plan, may specify files to write. The command must then call
   * `dropWriteAccess` if the input does not specify such a file.
   */
  readonly inputsNameOutputs?: boolean;
  readonly examples: Examples;
  run(args: Args, io: Io): Promise<number>;
}

/** A command and its one-line description in the list of commands. */
export interface ListedCommand extends Command {
  readonly summary: string;
}

/** A Deno permission, named as in Deno's flags: `read` for `--allow-read`. */
export type Permission = "write" | Need;

/** Permissions that `dropPermissions` may revoke. */
const ALL = ["read", "write", "net", "env", "run", "ffi", "sys"] as const;

/** Returns all permissions that a command may need. */
export function permissionsOf(command: Command): Permission[] {
  const { flags, takes, needs, needsFor, inputsNameOutputs = false } = command;
  const reads = takes === "files" || flags.some(({ file }) => file === "read");
  const writes = inputsNameOutputs || flags.some(({ file }) => file === "write");
  return [
    ...(reads ? ["read"] as const : []),
    ...(writes ? ["write"] as const : []),
    ...needs,
    ...needsFor?.needs ?? [],
  ];
}

/**
 * Revokes all permissions that the command line does not need, in this process and in threads that
 * it starts later. A compiled binary starts with the permissions of all its commands, but a command
 * that reads untrusted files must not keep network access.
 */
export function dropPermissions(command: Command, args: Args): void {
  const writes = command.inputsNameOutputs || namesOutput(command.flags, args);
  const spared = command.needsFor?.applies(args) === false ? command.needsFor.needs : [];
  const kept: readonly string[] = permissionsOf(command).filter((name) =>
    name === "write" ? writes : name === "read" || !spared.includes(name)
  );
  for (const name of ALL) if (!kept.includes(name)) Deno.permissions.revokeSync({ name });
}

/** Revokes write access in a compiled binary, which starts with all permissions. */
export function dropWriteAccess(): void {
  if (Deno.build.standalone) Deno.permissions.revokeSync({ name: "write" });
}

function namesOutput(flags: readonly Flag[], args: Args): boolean {
  return flags.some(({ name, file }) => file === "write" && args.has(name));
}

/** Exit codes of all commands. docs/exit-codes.md describes them. */
export const EXIT = {
  /** The command succeeded. */
  OK: 0,
  /** An input is invalid, an output could not be written, or a run failed. */
  FAILED: 1,
  /** The command line is invalid. Nothing was done. */
  USAGE: 2,
  /**
   * `--strict` is given, and the result requires a decision by the user. All outputs were written.
   */
  STRICT: 3,
  /** The run did less than planned, and `--allow incomplete` is not given. */
  INCOMPLETE: 4,
  /**
   * A threshold failed, an assertion ended the run, or a condition of `report --fail-on` is met.
   */
  THRESHOLDS: 99,
  /** The command was interrupted, for example with Ctrl-C. */
  INTERRUPTED: 130,
} as const;

/** Returns the exit code for the verdict of a run that was not interrupted. */
export function verdictCode({ passed, failure, incomplete, lossy_outputs }: Summary): number {
  if (failure !== undefined) return EXIT.FAILED;
  // A threshold that failed with less load than planned is a result; the reports contain both.
  if (passed === false) return EXIT.THRESHOLDS;
  if (incomplete !== undefined) return EXIT.INCOMPLETE;
  return lossy_outputs === undefined ? EXIT.OK : EXIT.FAILED;
}
