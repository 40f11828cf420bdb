const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const WITH_DIGIT = /[\p{L}\p{M}]*\d[\p{L}\p{M}\d]*/gu;
/**
 * Matches letters that are probably random, because an upper-case letter follows a lower-case one
 * at least three times.
 */
const MIXED_CASE = /(?:[a-z]+[A-Z]+){3,}[A-Za-z]*/g;
const JOINED = /#(?:[-_.+~%=:#]+#)*/g;

/**
 * Returns `text` with `#` in place of everything that a server could have generated: words with
 * digits, UUIDs and random letters. Two strings that differ only in such values yield the same
 * result.
 */
export function withoutValues(text: string): string {
  return text.replace(UUID, "#").replace(WITH_DIGIT, "#").replace(
    MIXED_CASE,
    "#",
  )
    .replace(JOINED, "#");
}
