import { findDecoded } from "../../base/redactor.ts";
import { type Encoding, ENTITIES, ESCAPES } from "../../base/string_escapes.ts";
import { IN_URL, percentDecodedText } from "./call_url.ts";
import { markupSecrets } from "./markup_secrets.ts";
import {
  isNamedSecret,
  LABEL,
  LABELLED,
  mayNameSecret,
  MOST_LABELS,
  type NamedRange,
  shapedSecrets,
} from "./secret_names.ts";
import { withShown } from "./value_index.ts";

/** Text shown in place of a credential. */
export const HIDDEN = "********";

/**
 * Replaces the credentials in `text` with `********`: in prose, URLs, forms, JSON and markup, also
 * within each other or truncated.
 */
export function withoutSecrets(text: string): string {
  return withShown(text, secretsIn(text).map((range) => ({ ...range, text: HIDDEN })));
}

/**
 * Finds the credentials in `text` by their shape, and by the names before or around them. Returns
 * ranges in ascending order that do not overlap.
 */
export function secretsIn(text: string): NamedRange[] {
  return findDecoded(text, ENCODINGS, (view) => [
    ...pairedSecrets(view),
    ...schemeSecrets(view),
    ...shapedSecrets(view),
    ...partSecrets(view),
    ...(view.includes("<") ? markupSecrets(view) : []),
  ], MAX_DEPTH);
}

/** Maximum number of encodings around a credential, such as JSON strings within each other. */
const MAX_DEPTH = 8;

/** Escape sequences, character references and percent-encoded characters, undone at once. */
const ENCODINGS: readonly Encoding[] = [{
  pattern: new RegExp(
    [ESCAPES, ENTITIES, IN_URL].map(({ pattern }) => pattern.source).join("|"),
    "gi",
  ),
  decode([all]) {
    const { pattern, decode } = all[0] === "\\" ? ESCAPES : all[0] === "&" ? ENTITIES : IN_URL;
    return all.replace(pattern, (...match) => decode(match));
  },
}];

/**
 * Matches credentials after the header name `Authorization`, or after the authentication scheme
 * `Bearer` or `Basic`. In a WebSocket protocol, the token is the next item of the list.
 */
const SCHEME =
  /\bauthorization["']?[ \t]*[:=,][ \t]*\[?["']?[a-z][\w-]*[ \t]+(?<value>[^\r\n"'\\<>]+)|\bbearer(?:[ \t]+|,[ \t]*|\.authorization\.k8s\.io\.)(?<token>[\w.~+/-]{10,}=*)|\bbasic[ \t]+(?<basic>[a-z0-9+/]{4,}={0,2})/dgi;

function schemeSecrets(text: string): NamedRange[] {
  return [...text.matchAll(SCHEME)].flatMap(({ groups = {}, indices }) => {
    const { token, basic } = groups;
    if (token !== undefined && !/\d/.test(token)) return [];
    if (basic !== undefined && !isUserAndPassword(basic)) return [];
    const { groups: ranges = {} } = indices!;
    const [start, end] = ranges.value ?? ranges.token ?? ranges.basic;
    return [{ name: "authorization", start, end }];
  });
}

function isUserAndPassword(base64: string): boolean {
  try {
    return atob(base64).includes(":");
  } catch {
    return false;
  }
}

/**
 * Matches a `Content-Disposition` header and the other headers of a part of a multipart form. The
 * groups are the rest of the line of the first header, and the other headers up to the content. The
 * second group is missing if there is no content.
 */
const PART = /content-disposition:([^\r\n]*)((?:\r?\n[^\r\n]+){0,20}\r?\n\r?\n(?=[^\r\n]))?/gi;
/** Matches the name of a part of a multipart form. The groups are its quoted and unquoted forms. */
const PART_NAME = /[; ]name=(?:"([^"]*)"|([^\s";]+))/i;
/** Matches the end of the content of a part of a multipart form. */
const PART_END = /\r?\n--|$/g;

function partSecrets(text: string): NamedRange[] {
  const found: NamedRange[] = [];
  let done = 0;
  for (const { 0: head, 1: header, 2: others, index } of text.matchAll(PART)) {
    const [, quoted, bare] = PART_NAME.exec(header) ?? [];
    const name = quoted ?? bare;
    if (index < done || others === undefined || name === undefined) continue;
    const start = index + head.length;
    PART_END.lastIndex = start;
    done = PART_END.exec(text)!.index;
    if (isNamedSecret(name, text.slice(start, done))) found.push({ name, start, end: done });
  }
  return found;
}

/**
 * Matches a name and its separator in a query, a connection string, JSON, GraphQL, an attribute, or
 * a Ruby hash or PHP array that was printed as text. The name of a form field may be encoded. The
 * groups are the quotation mark, the name and the separator.
 */
const NAME =
  /(?<![\p{L}\p{N}_$])(["'])?((?<=["'])[\p{L}\p{N}_.$ /()[\]-]{1,60}:?(?=["'])|(?<![\w%.$:+[\]-])[\w%.$:+[\]-]{1,300}(?==)|[\p{L}\p{N}_$][\p{L}\p{N}_.$[\]-]{0,60})(?:["']\s{0,20}|[ \t]*)(=>|[=:])[ \t]*/gu;
/** Matches a quoted string, and one whose end is missing up to the end of the line or the next `<`. */
const QUOTED = /("""|["'])([^]*?)(?<!\\)\1|["']([^\r\n<]+)/y;
/** Match unquoted values: of a form field, after `=`, of a quoted name, and on a separate line. */
const FIELD = /(?:[^\s&;#"<>]+|;(?![\w.-]{0,60}=))+/y, BARE = /[^\s&;,"'<>\\(){}]+/y;
const JSON_BARE = /[^\s&;,"'<>\\(){}[\]]+/y, WORD = /[^\s"'{}[\](),;]+/y;
/** Matches characters that a name contains only in a form. */
const IN_FORM = /[%$:+]/;
const LINE_END = /[ \t]*(?:\r?\n|$)/y;
const SPACES = /\s{0,100}/y;
/** Matches the start of a list or a map whose first item is quoted, or is itself a list or a map. */
const CONTAINER = /[[{]\s*[[{"']/y;
/** Matches a token of a list or a map. The groups are the quotation mark and the content of a string. */
const TOKEN = /(["'])([^]*?)(?:(?<!\\)\1|$)|[{}[\],:]|=>|[^\s&;,"'<>\\{}[\]:=]+|[^]/dy;
/** Maximum number of tokens that are searched in the lists and maps of values with a label. */
const MAX_LABELLED = 20_000;
/** Maximum number of UTF-16 code units of a value that decide whether it is a credential. */
const LONGEST_CHECKED = 1_000;
/** Maximum distance between two pairs of which one names the other, outside and inside a map. */
const LONGEST_GAP = 200, LONGEST_GAP_IN_MAP = 10_000;
/** Matches a string, or a character that starts or ends a map or a tag. */
const BOUNDARY = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|[{}<>]/g;

/** A range of a text, in UTF-16 code units. `end` is exclusive. */
type Range = Pick<NamedRange, "start" | "end">;

/** A name in a text, and the values after it. */
interface Pair {
  readonly name: string;
  readonly values: readonly Range[];
  /** End of the value, or start of the list or map with the values. */
  readonly end: number;
}

/**
 * Finds the credentials in `text` that follow a name, as in `password=…`, `"password": "…"` and
 * `password: ["…"]`, or that another member names, as in `{"name": "password", "value": "…"}`.
 */
function pairedSecrets(text: string): NamedRange[] {
  if (!/[=:]/.test(text)) return [];
  const found: NamedRange[] = [];
  const search = new PairSearch(text);
  const take = (name: string, values: readonly Range[]) => {
    for (const { start, end } of values) {
      const value = text.slice(start, Math.min(end, start + LONGEST_CHECKED));
      if (isNamedSecret(name, value)) found.push({ name, start, end });
    }
  };
  const maps: Pair[][] = [[]];
  let done = 0;
  for (const match of text.matchAll(NAME)) {
    if (match.index < (found.at(-1)?.end ?? 0)) continue;
    const pair = search.pair(match);
    if (pair === undefined) continue;
    take(pair.name, pair.values);
    enterMap(maps, text.slice(done, match.index));
    done = pair.end + (/["']/.test(text[pair.end] ?? "") ? 1 : 0);
    const siblings = maps.at(-1)!;
    for (const other of siblings) {
      for (const [label, labelled] of [[other, pair], [pair, other]]) {
        if (!LABEL.test(label.name) || !LABELLED.test(labelled.name)) continue;
        if (label.values.length === 1) {
          take(text.slice(label.values[0].start, label.values[0].end), labelled.values);
        }
      }
    }
    if (siblings.length < MOST_LABELS) siblings.push(pair);
  }
  return found;
}

/** Updates the pairs of each open map after `gap`, the text between two pairs. */
function enterMap(maps: Pair[][], gap: string): void {
  if (gap.length > (maps.length > 1 ? LONGEST_GAP_IN_MAP : LONGEST_GAP)) maps.splice(0);
  for (const [boundary] of gap.slice(-LONGEST_GAP_IN_MAP).matchAll(BOUNDARY)) {
    if (boundary === "{") maps.push([]);
    else if (boundary === "}") maps.pop();
    else if (boundary === "<") maps.splice(0, Infinity, [], []);
    else if (boundary === ">") maps.splice(0);
  }
  if (maps.length === 0) maps.push([]);
}

/** Reads the values after names. Takes linear time, even for hostile text. */
class PairSearch {
  readonly #text: string;
  /**
   * Number of tokens that may still be searched in lists and maps: under the names of credentials,
   * as many as the text has, and under other names.
   */
  readonly #tokens: { named: number; labelled: number };
  /** The last pattern of `#bare`, and the end of its match, which all of its suffixes share. */
  #last = BARE;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = { named: text.length, labelled: MAX_LABELLED };
  }

  /** Returns the pair that starts with a match of `NAME`, unless its name says nothing. */
  pair(match: RegExpExecArray): Pair | undefined {
    const [all, quote, written] = match;
    const name = IN_FORM.test(written) ? percentDecodedText(written, true) : written;
    const kind = mayNameSecret(name) ? "named" : LABELLED.test(name) ? "labelled" : undefined;
    if (kind === undefined && !LABEL.test(name)) return undefined;
    const at = match.index + all.length;
    const start = endOf(SPACES, this.#text, at) ?? at;
    const value = this.#value(match, quote === undefined ? at : start);
    if (value !== undefined) return { name, values: [value], end: value.end };
    return kind !== undefined && /[[{]/.test(this.#text[start] ?? "")
      ? { name, values: this.#leaves(start, kind), end: start }
      : { name, values: [], end: at };
  }

  /**
   * Returns the value at `start`. An unquoted name followed by a colon may be prose. Its value must
   * therefore be quoted, or the name and the value must fill a line.
   */
  #value(
    { 1: quote, 2: name, 3: separator, index }: RegExpExecArray,
    start: number,
  ): Range | undefined {
    const text = this.#text;
    QUOTED.lastIndex = start;
    const quoted = QUOTED.exec(text);
    if (quoted !== null) {
      const from = start + (quoted[1] ?? '"').length;
      return { start: from, end: from + (quoted[2] ?? quoted[3]).length };
    }
    if (separator === "=" && endOf(CONTAINER, text, start) === undefined) {
      const inForm = /[?&]/.test(text[index - 1] ?? "&") || IN_FORM.test(name);
      return this.#bare(inForm ? FIELD : BARE, start);
    }
    if (quote !== undefined) return this.#bare(JSON_BARE, start);
    if (!/(?:^|\n)[ \t-]*$/.test(text.slice(Math.max(0, index - 40), index))) return undefined;
    const word = this.#bare(WORD, start);
    return word && endOf(LINE_END, text, word.end) !== undefined ? word : undefined;
  }

  #bare(pattern: RegExp, start: number): Range | undefined {
    if (pattern !== this.#last || start >= this.#end) {
      this.#last = pattern;
      this.#end = endOf(pattern, this.#text, start) ?? start;
    }
    return this.#end > start ? { start, end: this.#end } : undefined;
  }

  /**
   * Returns the strings and numbers in the list or map at `start`, without the names of members.
   * The list or map may be cut off.
   */
  #leaves(start: number, kind: "named" | "labelled"): Range[] {
    const values: Range[] = [];
    let depth = 0;
    let last: Range | undefined;
    const keep = () => {
      if (last !== undefined) values.push(last);
      last = undefined;
    };
    TOKEN.lastIndex = start;
    while (this.#tokens[kind]-- > 0) {
      const match = TOKEN.exec(this.#text);
      if (match === null) break;
      const [token, quote] = match;
      if (/^\s$/.test(token)) continue;
      if (token === ":" || token === "=>") last = undefined;
      else if (/^[{}[\],]$/.test(token)) {
        keep();
        if (/[{[]/.test(token)) depth++;
        else if (token !== "," && --depth === 0) break;
      } else {
        keep();
        if (token === "<") break;
        const [start, end] = match.indices![quote === undefined ? 0 : 2]!;
        last = { start, end };
      }
    }
    keep();
    return values;
  }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
