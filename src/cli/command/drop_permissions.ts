import type { Args } from "./command.ts";

const KINDS = ["read", "write", "net", "env", "run", "ffi", "sys"] as const;
type Kind = typeof KINDS[number];

/** The permissions that a command may need; a command that is not listed needs none. */
const NEEDS: Readonly<Record<string, readonly Kind[]>> = {
  convert: ["read", "write"],
  validate: ["read"],
  verify: ["read"],
  run: ["read", "write", "net", "env"],
  merge: ["read", "write"],
  report: ["read", "write"],
  demo: ["net"],
  serve: ["read", "net"],
};

/** Commands whose input names files to write; they revoke write access themselves. */
const WRITING_COMMANDS = ["run"];

/** Options that name a file to write. */
const WRITING = ["output", "profile", "ids", "summary-export", "junit", "html"];

/**
 * Revokes all permissions that the command line does not need, in this process and its future threads.
 * A compiled binary has the permissions of all its commands, but a command that reads untrusted files
 * should not keep network access.
 */
export function dropPermissions(command: string, args: Args): void {
  const writes = WRITING_COMMANDS.includes(command) || WRITING.some((option) => args.has(option));
  const kept = (NEEDS[command] ?? []).filter((kind) => kind !== "write" || writes);
  for (const name of KINDS) {
    if (!kept.includes(name)) Deno.permissions.revokeSync({ name });
  }
}

/** Revokes write access in a compiled binary unless an option names a file to write. */
export function dropWriteAccess(args: Args): void {
  if (!Deno.build.standalone || WRITING.some((option) => args.has(option))) return;
  Deno.permissions.revokeSync({ name: "write" });
}
