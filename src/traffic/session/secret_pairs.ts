import { decodePercent } from "../../base/string_escapes.ts";
import { markupSecrets } from "./markup_secrets.ts";
import {
  isNamedSecret,
  LABEL,
  LABELLED,
  mayNameSecret,
  type NamedRange,
  type Range,
} from "./secret_names.ts";

/** Matches a quotation mark, which may be escaped as in a string or in HTML. */
const QUOTE = "\\\\{0,15}[\"']|&(?:quot|apos|#0{0,5}3[49]|#x0{0,5}2[27]);";
/**
 * Matches a name and its separator in a query, a connection string, JSON, GraphQL, an attribute, or
 * a Ruby hash or PHP array that was printed as text. The groups are the quotation marks, the name
 * and the separator.
 */
const NAME = new RegExp(
  `(?<![\\p{L}\\p{N}_$])(${QUOTE})?((?:[\\p{L}_]|%[0-9a-f]{2})(?:[\\p{L}\\p{N}_.[\\]-]|%[0-9a-f]{2}){0,60})` +
    `(${QUOTE})?[ \\t]*(=>|[=:])[ \\t]*`,
  "giu",
);
/** Matches a quoted string up to the next quotation mark with the same escaping as the first. */
const QUOTED = new RegExp(`(${QUOTE})([^]*?)(?<!\\\\)\\1`, "y");
/**
 * Matches a quotation mark and the text up to the end of the line or the next `<`. Used if the
 * closing quotation mark is missing.
 */
const CUT = new RegExp(`(${QUOTE})([^\\r\\n<]+)`, "y");
/**
 * Matches an unquoted value. The group matches what must follow the value. It is empty here,
 * because any text may follow.
 */
const BARE = /[^\s&;,"'<>\\(){}]+()/y;
/**
 * Matches an unquoted number or word that follows a quoted name. Does not match a bracket that
 * opens a list.
 */
const JSON_BARE = /[^\s&;,"'<>\\(){}[\]]+()/y;
/**
 * Matches the start of a list or a map whose first item is quoted, or is itself a list or a map.
 */
const CONTAINER = /^[[{]\s*(?:[[{\\"']|&\w+;|&#)/;
/** Matches a word. The group is the end of the line, and is missing if other text follows. */
const REST_OF_LINE = /[^\s"'{}[\](),;]+([ \t]*(?:\r?\n|$))?/y;
/**
 * Matches a token of a list or a map. The groups are the quotation mark and the content of a
 * string.
 */
const TOKEN = new RegExp(
  `(${QUOTE})([^]*?)(?:(?<!\\\\)\\1|$)|[{}[\\],:]|=>|[^\\s&;,"'<>\\\\{}[\\]:=]+|[^]`,
  "dy",
);
/** Maximum length of a list or a map that is searched, in UTF-16 code units. */
const MAX_LENGTH = 20_000;
/** Maximum total number of tokens that are searched in the lists and maps of a string. */
const MAX_TOKENS = 20_000;
/**
 * Maximum number of UTF-16 code units, from the start of a value, that are checked to decide
 * whether it is a credential.
 */
const LONGEST_CHECKED = 1_000;

/**
 * State of a search for credentials in one string. Keeps the search time linear, even for hostile
 * text.
 */
class PairSearch {
  /** Number of tokens that may still be searched in the lists and maps of the text. */
  tokens = MAX_TOKENS;
  readonly #bare = new Map<RegExp, { readonly end: number; readonly isValue: boolean }>();

  constructor(readonly text: string) {}

  /** Reports whether the value of the field `name`, at `[start, end)`, is a credential. */
  isSecret(name: string, [start, end]: Range): boolean {
    return isNamedSecret(name, this.text.slice(start, Math.min(end, start + LONGEST_CHECKED)));
  }

  /**
   * Returns the range from `at` to the end of the unquoted value that `pattern` matches. This range
   * excludes the group of `pattern`. Returns undefined if `pattern` does not match or the group is
   * missing. Caches the last match, because all matches that start within one value have the same
   * end.
   */
  bareValue(pattern: RegExp, at: number): Range | undefined {
    let found = this.#bare.get(pattern);
    if (found === undefined || at >= found.end) {
      pattern.lastIndex = at;
      const match = pattern.exec(this.text);
      if (match === null) return undefined;
      const [all, rest] = match;
      found = { end: at + all.length - (rest?.length ?? 0), isValue: rest !== undefined };
      this.#bare.set(pattern, found);
    }
    return found.isValue ? [at, found.end] : undefined;
  }
}

/** A name in a string, and the ranges of the values that follow it. */
interface Pair {
  readonly name: string;
  readonly values: readonly Range[];
  /** End offset of the last value, or of the separator after the name if no value follows. */
  readonly end: number;
}

/**
 * Finds the credentials in `text` that follow a name, as in `password=…`, `"password": "…"`,
 * `password: ["…"]`, `<Password>…</Password>` and `<input name="password" value="…">`. Also finds
 * the credentials that another member names, as in `{"name": "password", "value": "…"}`.
 */
export function pairedSecrets(text: string): NamedRange[] {
  const found: NamedRange[] = [];
  if (/[=:]/.test(text)) {
    const search = new PairSearch(text);
    let previous: Pair | undefined;
    let hiddenTo = 0;
    for (const match of text.matchAll(NAME)) {
      if (match.index < hiddenTo) continue;
      const pair = readPair(search, match);
      if (pair === undefined) continue;
      for (const range of pair.values) {
        if (!search.isSecret(pair.name, range)) continue;
        found.push({ name: pair.name, range });
        hiddenTo = range[1];
      }
      if (previous !== undefined && isNextMember(text, previous.end, match.index)) {
        found.push(...labelled(search, previous, pair), ...labelled(search, pair, previous));
      }
      previous = pair;
    }
  }
  return text.includes("<") ? [...found, ...markupSecrets(text)] : found;
}

function readPair(search: PairSearch, match: RegExpMatchArray): Pair | undefined {
  const { text } = search;
  const [all, quote, encoded, , separator] = match;
  const at = match.index! + all.length;
  const name = encoded.includes("%") ? decodePercent(encoded) ?? encoded : encoded;
  const isLabelled = LABELLED.test(name);
  if (!mayNameSecret(name) && !isLabelled && !LABEL.test(name)) return undefined;
  const value = valueAt(search, match.index!, at, quote, separator);
  if (value !== undefined) return { name, values: [value], end: value[1] };
  const start = at + /^\s*/.exec(text.slice(at, at + 100))![0].length;
  const isContainer = /[[{]/.test(text[start] ?? "");
  const values = isContainer && (isLabelled || mayNameSecret(name)) ? leavesAt(search, start) : [];
  return { name, values, end: values.at(-1)?.[1] ?? at };
}

function isNextMember(text: string, end: number, next: number): boolean {
  return next - end < 40 && /^(?:\\*["']|&\w+;|&#\w+;)?\s*,\s*$/.test(text.slice(end, next));
}

function labelled(search: PairSearch, label: Pair, of: Pair): NamedRange[] {
  if (!LABEL.test(label.name) || !LABELLED.test(of.name) || label.values.length !== 1) return [];
  const name = search.text.slice(...label.values[0]);
  return of.values.filter((range) => search.isSecret(name, range))
    .map((range) => ({ name, range }));
}

/**
 * Returns the range of the value after a separator, or undefined if no value follows. An unquoted
 * name followed by a colon may be prose. Its value must therefore be quoted, or the name and the
 * value must fill a line.
 */
function valueAt(
  search: PairSearch,
  nameAt: number,
  at: number,
  quote: string | undefined,
  separator: string,
): Range | undefined {
  const { text } = search;
  QUOTED.lastIndex = quote === undefined
    ? at
    : at + /^\s*/.exec(text.slice(at, at + 100))![0].length;
  const from = QUOTED.lastIndex;
  CUT.lastIndex = from;
  const quoted = QUOTED.exec(text) ?? CUT.exec(text);
  if (quoted) {
    const start = from + quoted[1].length;
    return [start, start + quoted[2].length];
  }
  const isOwnLine = /(?:^|\n)[ \t-]*$/.test(text.slice(Math.max(0, nameAt - 40), nameAt));
  const pattern = separator === "=" && !CONTAINER.test(text.slice(at, at + 20))
    ? BARE
    : quote !== undefined
    ? JSON_BARE
    : isOwnLine
    ? REST_OF_LINE
    : undefined;
  return pattern && search.bareValue(pattern, at);
}

/**
 * Returns the ranges of all strings and numbers in the list or map at `start`, without the names of
 * members. The list or map may be cut off.
 */
function leavesAt(search: PairSearch, start: number): Range[] {
  const { text } = search;
  const leaves: Range[] = [];
  let depth = 0;
  let last: Range | undefined;
  const keep = () => {
    if (last !== undefined) leaves.push(last);
    last = undefined;
  };
  TOKEN.lastIndex = start;
  while (search.tokens-- > 0 && TOKEN.lastIndex < start + MAX_LENGTH) {
    const match = TOKEN.exec(text);
    if (match === null) break;
    const [token, quote] = match;
    if (/^\s$/.test(token)) continue;
    if (token === ":" || token === "=>") last = undefined;
    else if (/^[{}[\],]$/.test(token)) {
      keep();
      if (/[{[]/.test(token)) depth++;
      else if (token !== "," && --depth === 0) break;
    } else if (quote !== undefined) {
      keep();
      last = match.indices![2];
    } else if (token === "<") break;
    else {
      keep();
      last = match.indices![0];
    }
  }
  keep();
  return leaves;
}
