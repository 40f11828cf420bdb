import jsTokens from "js-tokens";

/** A piece of text that people read, with its position. */
export interface Prose {
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
export function* typescriptProse(source: string, namesOnly = false): Generator<Prose> {
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
export function* markdownProse(source: string): Generator<Prose> {
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
