import type { Args, Command, Flag, Need } from "./command.ts";

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
