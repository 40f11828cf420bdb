import { withoutValues } from "./value_free_text.ts";

/** A piece of text: a tag, or text up to a delimiter. */
export interface TextChunk {
  readonly text: string;
  /** Offset of the chunk in UTF-16 code units. */
  readonly at: number;
}

const CHUNK = /<[A-Za-z!/?][^<>]{0,4000}>|<[^<>\n;,{}]*>?|[^<>\n;,{}]+[>\n;,{}]?|[>\n;,{}]/g;

/**
 * Splits HTML, script, JSON or any other text into small chunks. Joining all chunks gives the whole
 * text.
 */
export function splitChunks(text: string): TextChunk[] {
  return Array.from(text.matchAll(CHUNK), ({ 0: text, index }) => ({ text, at: index }));
}

const WORD = /[^\s"'<>&;,(){}[\]=]{16,}/g;

/**
 * Returns the fixed text of a chunk, with `#` in place of everything that a server could have
 * generated. Chunks with the same skeleton can be compared word by word.
 */
export function chunkSkeleton(text: string): string {
  return withoutValues(text.replace(WORD, (word) => isFixed(word) ? word : "#"));
}

/** Reports whether a long word is a path, a name or text rather than a generated token. */
function isFixed(word: string): boolean {
  return word.split(/[^A-Za-z0-9]+/).every((part) => part.length < 24 && !isRandom(part));
}

function isRandom(part: string): boolean {
  return part.length >= 12 && /\d/.test(part) && /[A-Za-z]/.test(part);
}
