import type { Flag } from "../command.ts";

/** What completes a value: words, words with commas between them, files, or nothing. */
export type Values =
  | { readonly kind: "words" | "list"; readonly words: readonly string[] }
  | { readonly kind: "files" | "nothing" };

/** What completes the value of an option that has one. Free text completes to nothing. */
export function completionValues({ value, choices, suggests }: Flag): Values {
  const words = choices ?? suggests;
  if (words === undefined) return { kind: value === "FILE" ? "files" : "nothing" };
  return { kind: value?.endsWith(",...") ? "list" : "words", words };
}
