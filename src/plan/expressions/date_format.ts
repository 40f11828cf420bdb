/** Named formats of the function `date`. */
const NAMED_DATES = ["iso", "http", "unix", "unix_ms"] as const;

/** Part of a date pattern: a field such as `yyyy`, or literal text. */
export type DatePart = { readonly field: DateField } | { readonly text: string };

/** Field of a date pattern. */
export type DateField = "yyyy" | "MM" | "dd" | "HH" | "mm" | "ss" | "SSS";
const DATE_FIELDS: readonly DateField[] = ["yyyy", "MM", "dd", "HH", "mm", "ss", "SSS"];

const PART = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+/gy;

/**
 * Parses a date pattern. Letters are fields, text in single quotes is literal, and `''` is a single
 * quote. Returns undefined if a field is unknown or a quote is not closed.
 */
export function parseDatePattern(pattern: string): DatePart[] | undefined {
  const parts: DatePart[] = [];
  let done = 0;
  for (const [found, quoted, letter] of pattern.matchAll(PART)) {
    done += found.length;
    if (letter === undefined) parts.push({ text: quoted === "" ? "'" : quoted ?? found });
    else {
      const field = DATE_FIELDS.find((name) => name === found);
      if (field === undefined) return undefined;
      parts.push({ field });
    }
  }
  return done === pattern.length ? parts : undefined;
}

/** Returns the error in a date format, or undefined if the format is valid. */
export function dateFormatError(format: string): string | undefined {
  if ((NAMED_DATES as readonly string[]).includes(format) || parseDatePattern(format)) {
    return undefined;
  }
  return `unknown date format: expected ${NAMED_DATES.join(", ")}, or a pattern of ` +
    `${DATE_FIELDS.join(", ")} with other letters in single quotes`;
}
