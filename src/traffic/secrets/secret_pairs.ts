import { markupSecrets } from "./markup_secrets.ts";
import { isNamedSecret } from "./secret_names.ts";
import type { NamedRange, Range } from "./secret_shapes.ts";

/**
 * Matches a name and its separator in a query, a connection string, JSON, GraphQL or an attribute.
 */
const NAME =
  /(?<![\p{L}\p{N}_$])(\\*["'])?([\p{L}_][\p{L}\p{N}_.[\]-]{0,60})(\\*["'])?[ \t]*([=:])[ \t]*/gu;
/** Matches a quoted string up to the next quotation mark with the same escaping as the first. */
const QUOTED = /(\\*["'])([^]*?)(?<!\\)\1/y;
const BARE = /[^\s&;,"'<>\\(){}]+/y;
/**
 * Matches an unquoted number or word that follows a quoted name. Does not match a bracket that
 * opens a list.
 */
const JSON_BARE = /[^\s&;,"'<>\\(){}[\]]+/y;
const REST_OF_LINE = /[^\s"'{}[\](),;]+(?=[ \t]*(?:\r?\n|$))/y;

/**
 * Finds the credentials in `text` that follow a name, as in `password=…`, `"password": "…"`,
 * `password: "…"`, `<Password>…</Password>` and `<input name="password" value="…">`.
 */
export function pairedSecrets(text: string): NamedRange[] {
  const found: NamedRange[] = [];
  if (/[=:]/.test(text)) {
    for (const match of text.matchAll(NAME)) {
      const [all, quote, name, , separator] = match;
      const range = valueAt(text, match.index, match.index + all.length, quote, separator);
      if (range && isNamedSecret(name, text.slice(...range))) found.push({ name, range });
    }
  }
  return text.includes("<") ? [...found, ...markupSecrets(text)] : found;
}

/**
 * Returns the range of the value after a separator, or undefined if no value follows. An unquoted
 * name followed by a colon may be prose, so its value must be quoted or end a line that starts with
 * the name.
 */
function valueAt(
  text: string,
  nameAt: number,
  at: number,
  quote: string | undefined,
  separator: string,
): Range | undefined {
  QUOTED.lastIndex = at;
  const quoted = QUOTED.exec(text);
  if (quoted) {
    const start = at + quoted[1].length;
    return [start, start + quoted[2].length];
  }
  const isOwnLine = /(?:^|\n)[ \t-]*$/.test(text.slice(Math.max(0, nameAt - 40), nameAt));
  const pattern = separator === "="
    ? BARE
    : quote !== undefined
    ? JSON_BARE
    : isOwnLine
    ? REST_OF_LINE
    : undefined;
  if (pattern === undefined) return undefined;
  pattern.lastIndex = at;
  const bare = pattern.exec(text);
  return bare ? [at, at + bare[0].length] : undefined;
}
