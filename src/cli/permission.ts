/** One line that says which permission flag a command lacks, from Deno's own error. */
export function missingPermission(error: Deno.errors.NotCapable): string {
  const found = /Requires (\w+) access to (.+?), (?:run again with|specify)/.exec(error.message);
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
