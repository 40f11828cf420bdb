import * as yaml from "yaml";

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A set of edits to YAML text. Offsets are in UTF-16 code units of the text before the edits. */
export class TextEdits {
  readonly text: string;
  readonly #newline: string;
  readonly #edits: Edit[] = [];

  constructor(text: string) {
    this.text = text;
    this.#newline = text.includes("\r\n") ? "\r\n" : "\n";
  }

  /** `lines` are separated by `\n`; all except the first get `indent`. */
  replace(from: number, to: number, lines: string, indent: string): void {
    const text = lines.replaceAll("\n", this.#newline + indent);
    this.#edits.push({ from, to, text });
  }

  /** Inserts lines below the line that contains the offset `at`. */
  insertBelow(at: number, lines: string, indent: string): void {
    const end = this.#lineEnd(at);
    this.replace(end, end, `\n${lines}`, indent);
  }

  /** Inserts lines before the content at the offset `at`. That content moves to a new line. */
  insertAbove(at: number, lines: string, indent: string): void {
    this.replace(at, at, `${lines}\n`, indent);
  }

  /** Removes the lines that contain `[from, to)`. */
  removeLines(from: number, to: number): void {
    const end = this.text.indexOf("\n", to);
    const start = this.#lineStart(from);
    this.#edits.push({ from: start, to: end < 0 ? this.text.length : end + 1, text: "" });
  }

  /** Discards the edits of `edit` if it returns false. */
  attempt(edit: () => boolean): boolean {
    const { length } = this.#edits;
    const isDone = edit();
    if (!isDone) this.#edits.length = length;
    return isDone;
  }

  /** Returns the spaces that indent a line to the column of an offset. */
  indentOf(at: number): string {
    return " ".repeat(at - this.#lineStart(at));
  }

  /** Reports whether the line has only spaces before the offset. */
  startsLine(at: number): boolean {
    return this.text.slice(this.#lineStart(at), at).trim() === "";
  }

  /**
   * Returns the offset of the first of the comments directly above the line of `at`. Only comments
   * indented to the column of `at` count. Returns `at` if there are none.
   */
  commentsAbove(at: number): number {
    const indent = this.indentOf(at);
    let first = at;
    while (true) {
      const end = this.#lineStart(first);
      if (end === 0) return first;
      const start = this.#lineStart(end - 1);
      if (!this.text.startsWith(`${indent}#`, start)) return first;
      first = start + indent.length;
    }
  }

  /** Returns the end offset of a node, excluding trailing white space and comments. */
  contentEnd(node: unknown): number {
    if (yaml.isPair(node)) {
      if (node.value !== null) return this.contentEnd(node.value);
      return this.text.indexOf(":", (node.key as yaml.Node).range![1]) + 1;
    }
    if (yaml.isCollection(node) && !node.flow && node.items.length > 0) {
      return this.contentEnd(node.items.at(-1));
    }
    const [start, end] = (node as yaml.Node).range!;
    return start + this.text.slice(start, end).trimEnd().length;
  }

  /** Edits at the same offset are applied in the order in which they were made. */
  apply(): string {
    const pieces: string[] = [];
    let done = 0;
    for (const { from, to, text } of this.#edits.toSorted((a, b) => a.from - b.from)) {
      pieces.push(this.text.slice(done, from), text);
      done = to;
    }
    return pieces.join("") + this.text.slice(done);
  }

  #lineStart(at: number): number {
    return this.text.lastIndexOf("\n", at - 1) + 1;
  }

  #lineEnd(at: number): number {
    const end = this.text.indexOf("\n", at);
    if (end < 0) return this.text.length;
    return this.text[end - 1] === "\r" ? end - 1 : end;
  }
}

/** Control character that the lexer of the `yaml` package emits before a scalar. */
const SCALAR = "\x1f";
const SCHEMA_LINE = /^# yaml-language-server:.*\n/m;

function comments(text: string): string[] {
  const found: string[] = [];
  let isScalar = false;
  for (const token of new yaml.Lexer().lex(text)) {
    if (token.startsWith("#") && !isScalar) found.push(token.trim());
    isScalar = token === SCALAR;
  }
  return found;
}

/** Comments of `edited` that are neither in `base` nor in `result`. Each occurrence counts. */
export function lostComments(base: string, edited: string, result: string): string[] {
  return without(without(comments(edited), comments(base)), comments(result));
}

function without(all: readonly string[], removed: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of removed) counts.set(text, (counts.get(text) ?? 0) + 1);
  return all.filter((text) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}

/**
 * Updates the comments at the start of `text`: replaces the comments that `convert` wrote in `base`
 * with the corresponding comments in `converted`. Keeps comments that the user changed.
 */
export function withNewHead(text: string, base: string, converted: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const [ours, old, fresh] = [text, base, converted].map((one) => one.replaceAll("\r\n", "\n"));
  const [oldHead, freshHead] = [splitHead(old), splitHead(fresh)];
  const end = head(ours).length;
  const updated = head(ours)
    .replace(oldHead.schema || "\0", () => freshHead.schema)
    .replace(oldHead.notes || "\0", () => freshHead.notes);
  return (updated + ours.slice(end)).replaceAll("\n", newline);
}

function splitHead(text: string): { readonly schema: string; readonly notes: string } {
  const all = head(text);
  const schema = SCHEMA_LINE.exec(all)?.[0] ?? "";
  return { schema, notes: all.replace(schema, "").trim() };
}

function head(text: string): string {
  return /^(?:[^\S\n]*(?:#.*)?\n)*/.exec(text)![0];
}
