const REQUIRES = /Requires (\w+) access to (.+?), (?:run again with|specify)/;

/**
 * Whether it says that a permission is missing. Of a module that is not at the path that Deno was
 * given, as in a checkout behind a symbolic link, Deno says so in a TypeError.
 */
export function isMissingPermission(error: unknown): error is Error {
  return error instanceof Deno.errors.NotCapable ||
    error instanceof TypeError && REQUIRES.test(error.message);
}

/** One line that says which permission flag a command lacks, from Deno's own error. */
export function missingPermission(error: Error): string {
  const found = REQUIRES.exec(error.message);
  if (!found) return `a permission is missing: ${error.message}`;
  const [, kind, target] = found;
  const what = target.replace(/^"(.*)"$/, "$1");
  const flag = what.startsWith("<") ? `--allow-${kind}` : `--allow-${kind}=${what}`;
  return `cannot ${VERBS[kind] ?? "use"} ${what}: permission is missing; add ${flag} to deno run`;
}

const VERBS: Record<string, string> = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "read the environment variable",
  run: "start",
};
