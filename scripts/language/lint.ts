import jsTokens from "js-tokens";
import { LANGUAGE_EXCEPTIONS, LANGUAGE_RULES } from "./rules.ts";

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

/** A piece of text that people read, with its position. */
interface Prose {
  readonly kind: "comment" | "string" | "document";
  /** Line number of the first character, starting at 1. */
  readonly line: number;
  /** The text; code spans are replaced with blanks of the same length. */
  readonly text: string;
}

/**
 * Yields the prose of a TypeScript file: its comments, and string literals of at least two words.
 * If `namesOnly` is true, as for test files, yields only strings that name tests.
 */
function* typescriptProse(source: string, namesOnly = false): Generator<Prose> {
  let line = 1;
  let before = "";
  for (const { type, value } of jsTokens(source)) {
    if (type.endsWith("Comment")) {
      yield { kind: "comment", line, text: withoutCode(value) };
    } else if (/^(StringLiteral|NoSubstitutionTemplate|Template(Head|Middle|Tail))$/.test(type)) {
      const isName = /(?:\btest|\bstep|\bname) ?[(:] ?$/.test(before);
      if (/[a-z,;] [a-z]/i.test(value) && (isName || !namesOnly)) {
        yield { kind: "string", line, text: withoutCode(value) };
      }
    }
    line += value.split("\n").length - 1;
    before = type === "LineTerminatorSequence" || type === "WhiteSpace"
      ? before
      : (before + value).slice(-20);
  }
}

/**
 * Yields the prose of a Markdown file line by line: everything except code blocks and link targets.
 */
function* markdownProse(source: string): Generator<Prose> {
  let isCode = false;
  for (const [index, text] of source.split("\n").entries()) {
    if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
    else if (!isCode) {
      const prose = text.replace(/\]\([^)]*\)/g, (target) => " ".repeat(target.length));
      yield { kind: "document", line: index + 1, text: withoutCode(prose) };
    }
  }
}

/** Returns the text with its code spans and option names replaced with blanks. */
function withoutCode(text: string): string {
  return text.replace(/`[^`\n]+`|(?<![\w-])--[a-z][\w-]*/g, (code) => " ".repeat(code.length));
}
