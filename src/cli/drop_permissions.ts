import type { Args } from "./command.ts";

const KINDS = ["read", "write", "net", "env", "run", "ffi", "sys"] as const;
type Kind = typeof KINDS[number];

/** What a command may need of the machine; one that is not listed needs nothing. */
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

/** Commands that learn from their input which files to write: they revoke write access themselves. */
const WRITING_COMMANDS = ["run"];

/** The options that name a file to write. */
const WRITING = ["output", "profile", "ids", "summary-export", "junit", "html"];

/**
 * Revokes, for the rest of this process and the threads that it starts, every permission that the
 * command line does not need. A compiled binary is built with the permissions of all its commands; a
 * command that reads untrusted files should not keep network access.
 */
export function dropPermissions(command: string, args: Args): void {
  const writes = WRITING_COMMANDS.includes(command) || WRITING.some((option) => args.has(option));
  const kept = (NEEDS[command] ?? []).filter((kind) => kind !== "write" || writes);
  for (const name of KINDS) {
    if (!kept.includes(name)) Deno.permissions.revokeSync({ name });
  }
}

/** Revokes write access in a compiled binary if no option names a file to write. */
export function giveUpWriting(args: Args): void {
  if (!Deno.build.standalone || WRITING.some((option) => args.has(option))) return;
  Deno.permissions.revokeSync({ name: "write" });
}
