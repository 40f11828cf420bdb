import jsTokens from "js-tokens";

/** A piece of text that people read, and where it is. */
export interface Prose {
  readonly kind: "comment" | "string" | "document";
  /** Line number of the text's first character, from 1. */
  readonly line: number;
  /** The text; code spans are replaced by blanks of the same length. */
  readonly text: string;
}

/**
 * The prose of a TypeScript file: comments, and string literals of at least two words. With
 * `namesOnly`, as for tests, only those strings that name a test.
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

/** The prose of a Markdown file: everything outside code blocks and link targets, line by line. */
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

/** The text with code spans and option names blanked out. */
function withoutCode(text: string): string {
  return text.replace(/`[^`\n]+`|(?<![\w-])--[a-z][\w-]*/g, (code) => " ".repeat(code.length));
}
