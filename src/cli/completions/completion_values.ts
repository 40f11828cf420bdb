import type { Flag } from "../command/command.ts";

/**
 * Kind of completion for a value: a list of words, a comma-separated list of words, file names, or
 * none.
 */
export type Values =
  | { readonly kind: "words" | "list"; readonly words: readonly string[] }
  | { readonly kind: "files" | "nothing" };

/** Returns the kind of completion for the value of an option. Free text has no completions. */
export function completionValues({ file, value, choices, suggests }: Flag): Values {
  const words = choices ?? suggests;
  if (words === undefined) return { kind: file === undefined ? "nothing" : "files" };
  return { kind: value?.endsWith(",...") ? "list" : "words", words };
}
