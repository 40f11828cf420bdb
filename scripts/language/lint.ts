import { LANGUAGE_EXCEPTIONS } from "./exceptions.ts";
import { markdownProse, type Prose, typescriptProse } from "./prose.ts";
import { LANGUAGE_RULES } from "./rules.ts";

/** An occurrence of an avoided word in a file. */
export interface LanguageFinding {
  readonly kind: Prose["kind"];
  /** Line number, from 1. */
  readonly line: number;
  /** The word as written. */
  readonly word: string;
  /** What to write instead. */
  readonly instead: string;
}

/**
 * Lists the avoided words in the prose of a file. The extension of `path` decides whether the file
 * is Markdown or TypeScript.
 */
export function lintLanguage(path: string, source: string): LanguageFinding[] {
  const prose = path.endsWith(".md")
    ? markdownProse(source)
    : typescriptProse(source, path.startsWith("tests/"));
  return [...prose].flatMap(lintProse);
}

function lintProse({ kind, line, text }: Prose): LanguageFinding[] {
  const accepted = LANGUAGE_EXCEPTIONS.reduce(
    (rest, { phrase }) => rest.replace(phrase, (found) => " ".repeat(found.length)),
    text,
  );
  return LANGUAGE_RULES.flatMap(({ pattern, instead }) =>
    [...accepted.matchAll(pattern)].map(({ 0: word, index }) => ({
      kind,
      line: line + accepted.slice(0, index).split("\n").length - 1,
      word,
      instead,
    }))
  );
}
