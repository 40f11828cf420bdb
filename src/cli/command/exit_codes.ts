import type { Summary } from "../../engine/summary/summary.ts";
import type { Args, Command, Flag, Need } from "./command.ts";

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
