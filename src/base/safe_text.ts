/**
 * Whatever can move a cursor, recolour a terminal, hide or reorder what is read: controls, format
 * and private-use characters, line and paragraph separators, lone surrogates, non-characters.
 */
export const UNSAFE: RegExp =
  /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Co}|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/**
 * Makes recorded text fit for a terminal: every control, bidirectional or invisible character and
 * every lone surrogate becomes a visible escape (`\x1b`, `\u202e`).
 */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (c) => {
    const code = c.codePointAt(0)!;
    if (code <= 0xff) return "\\x" + code.toString(16).padStart(2, "0");
    if (code <= 0xffff) return "\\u" + code.toString(16).padStart(4, "0");
    return `\\u{${code.toString(16)}}`;
  });
}

/** `safeText`, cut to at most `max` characters, an ellipsis standing for what was cut. */
export function safeSnippet(text: string, max = 120): string {
  const safe = safeText(text.length > max * 2 ? text.slice(0, max * 2) : text);
  return safe.length > max ? safe.slice(0, max - 1) + "…" : safe;
}
