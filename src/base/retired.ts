/** Replacements of names that were removed, keyed by how a plan or a command line writes them. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "type: statsd": "use `prometheus` or `otlp`",
  "--table": "use the CSV buttons of the HTML report, or the summary, which is JSON",
};

/**
 * Returns `"NAME" was removed; use …` for a name in a plan or on a command line that was removed,
 * and undefined for any other name.
 */
export function retiredHint(name: string): string | undefined {
  if (!Object.hasOwn(REPLACEMENTS, name)) return undefined;
  return `\`${name}\` was removed; ${REPLACEMENTS[name]}`;
}
