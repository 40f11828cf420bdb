import type { Flag } from "../command/command.ts";

/**
 * What a shell offers as completions for a value: words, words for a comma-separated list, file
 * names, or nothing.
 */
export type Values =
  | { readonly kind: "words" | "list"; readonly words: readonly string[] }
  | { readonly kind: "files" | "nothing" };

/**
 * Returns what a shell offers as completions of an option's value. Free text has no completions.
 */
export function completionValues({ file, value, choices, suggests }: Flag): Values {
  const words = choices ?? suggests;
  if (words === undefined) return { kind: file === undefined ? "nothing" : "files" };
  return { kind: value?.endsWith(",...") ? "list" : "words", words };
}
