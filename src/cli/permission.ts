const REQUIRES = /Requires (\w+) access to (.+?), (?:run again with|specify)/;

/**
 * Reports whether an error is caused by a missing Deno permission. Also recognizes the TypeError
 * that Deno throws for a module imported through a symbolic link, as in a linked checkout.
 */
export function isMissingPermission(error: unknown): error is Error {
  return error instanceof Deno.errors.NotCapable ||
    error instanceof TypeError && REQUIRES.test(error.message);
}

/** Converts Deno's error into one line that names the permission flag to add. */
export function missingPermission(error: Error): string {
  const found = REQUIRES.exec(error.message);
  if (!found) return `a permission is missing: ${error.message}`;
  const [, kind, target] = found;
  const what = target.replace(/^"(.*)"$/, "$1");
  const flag = what.startsWith("<") ? `--allow-${kind}` : `--allow-${kind}=${what}`;
  return `cannot ${
    VERBS[kind] ?? "use"
  } ${what}: the permission is missing; add ${flag} to \`deno run\``;
}

const VERBS: Record<string, string> = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "read the environment variable",
  run: "start",
};
