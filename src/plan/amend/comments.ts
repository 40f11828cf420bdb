import * as yaml from "yaml";

/** Control character that the lexer of the `yaml` package emits before a scalar. */
const SCALAR = "\x1f";
const SCHEMA_LINE = /^# yaml-language-server:.*\n/m;

/** Returns the comments in YAML text, with their `#`, in order. */
export function comments(text: string): string[] {
  const found: string[] = [];
  let isScalar = false;
  for (const token of new yaml.Lexer().lex(text)) {
    if (token.startsWith("#") && !isScalar) found.push(token.trim());
    isScalar = token === SCALAR;
  }
  return found;
}

/**
 * Returns the comments that occur in `edited`, but neither in `base` nor in `result`. If a comment
 * occurs several times, each occurrence counts.
 */
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

/**
 * Splits the comments at the start of a plan into `schema`, the line with the URL of the JSON
 * Schema, and `notes`, the other comments.
 */
function splitHead(text: string): { readonly schema: string; readonly notes: string } {
  const all = head(text);
  const schema = SCHEMA_LINE.exec(all)?.[0] ?? "";
  return { schema, notes: all.replace(schema, "").trim() };
}

/** Returns the empty lines and comments at the start of `text`. */
function head(text: string): string {
  return /^(?:[^\S\n]*(?:#.*)?\n)*/.exec(text)![0];
}
