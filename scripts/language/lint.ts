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
 * Maximum width of a comment in columns. `deno fmt` does not wrap comments. The check ignores lines
 * that cannot be wrapped: those with a URL, and indented examples.
 */
const MAX_WIDTH = 100;
const COMMENT_LINE = /^\s*(?:\/\*\*|\*|\/\/) (?! )(?!.*:\/\/)/;

/** Lists the numbers, from 1, of lines of a TypeScript file that contain a too wide comment. */
export function wideComments(source: string): number[] {
  return source.split("\n").flatMap((line, index) =>
    line.length > MAX_WIDTH && COMMENT_LINE.test(line) ? [index + 1] : []
  );
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
