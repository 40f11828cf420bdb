import { findDecoded } from "../../base/redactor.ts";
import { type Encoding, ENTITIES, ESCAPES } from "../../base/string_escapes.ts";
import { IN_URL, percentDecodedText } from "./call_url.ts";
import {
  isNamedSecret,
  LABEL,
  mayNameSecret,
  type NamedRange,
  partSecrets,
  schemeSecrets,
  shapedSecrets,
} from "./secret_names.ts";
import { withShown } from "./value_index.ts";

/** Matches what another member or element names. */
const LABELLED =
  /^(?:values?|val|v|text|content|contents|data|input|answer|string|(?:string|text|current|default|new|field)[_-]?value)$/i;

/** Most names that are read for one value, so that hostile text takes linear time. */
const MOST_LABELS = 8;

/** Text shown in place of a credential. */
export const HIDDEN = "********";

/** Hides credentials in prose, URLs, forms, JSON and markup, also nested or truncated. */
export function withoutSecrets(text: string): string {
  return withShown(text, secretsIn(text).map((range) => ({ ...range, text: HIDDEN })));
}

/** Finds credentials by their shape and by names. Ranges are ascending and separate. */
export function secretsIn(text: string): NamedRange[] {
  return findDecoded(text, ENCODINGS, (view) => [
    ...pairedSecrets(view),
    ...schemeSecrets(view),
    ...shapedSecrets(view),
    ...partSecrets(view),
    ...(view.includes("<") ? markupSecrets(view) : []),
  ], MAX_DEPTH);
}

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
 * Matches a quotation mark, a name and a separator in a query, a connection string, JSON, GraphQL,
 * an attribute, or a Ruby hash or PHP array. A name may be encoded.
 */
const NAME =
  /(?<![\p{L}\p{N}_$])(["'])?((?<=["'])[\p{L}\p{N}_.$ /()[\]-]{1,60}:?(?=["'])|(?<![\w%.$:+[\]-])[\w%.$:+[\]-]{1,300}(?==)|[\p{L}\p{N}_$][\p{L}\p{N}_.$[\]-]{0,60})(?:["']\s{0,20}|[ \t]*)(=>|[=:])[ \t]*/gu;
/** Matches a quoted string, perhaps cut off at the end of the line or before `<`. */
const QUOTED = /("""|["'])([^]*?)(?<!\\)\1|["']([^\r\n<]+)/y;
/** Match unquoted values: of a form field, after `=`, of a quoted name, and on a separate line. */
const FIELD = /(?:[^\s&;#"<>]+|;(?![\w.-]{0,60}=))+/y, BARE = /[^\s&;,"'<>\\(){}]+/y;
const JSON_BARE = /[^\s&;,"'<>\\(){}[\]]+/y, WORD = /[^\s"'{}[\](),;]+/y;
/** Matches characters that a name contains only in a form. */
const IN_FORM = /[%$:+]/;
const LINE_END = /[ \t]*(?:\r?\n|$)/y;
const SPACES = /\s{0,100}/y;
/** Matches the start of a list or a map with a string, or a list or a map in it. */
const CONTAINER = /[[{]\s*[[{"']/y;
/** Matches a token of a list or a map: the groups are the quotation mark and the string. */
const TOKEN = /(["'])([^]*?)(?:(?<!\\)\1|$)|[{}[\],:]|=>|[^\s&;,"'<>\\{}[\]:=]+|[^]/dy;
/** Most tokens that are searched in lists and maps of values with a label. */
const MAX_LABELLED = 20_000;
const LONGEST_CHECKED = 1_000;
/** Maximum distance between two pairs of which one names the other, outside and inside a map. */
const LONGEST_GAP = 200, LONGEST_GAP_IN_MAP = 10_000;
/** Matches a string, or a character that starts or ends a map or a tag. */
const BOUNDARY = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|[{}<>]/g;

type Range = Pick<NamedRange, "start" | "end">;

interface Pair {
  readonly name: string;
  readonly values: readonly Range[];
  readonly end: number;
}

/**
 * Finds credentials after a name, as in `password=…` and `"password": ["…"]`, or that another
 * member names, as in `{"name": "password", "value": "…"}`.
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
  /** Tokens that may still be searched: `named`, as many as the text has, and `labelled`. */
  readonly #tokens: { named: number; labelled: number };
  /** The last pattern of `#bare`, and the end of its match, which all of its suffixes share. */
  #last = BARE;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = { named: text.length, labelled: MAX_LABELLED };
  }

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

  /** After an unquoted name and a colon (perhaps prose), it must be quoted, or fill a line. */
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

  /** Returns the strings and numbers of a list or map, which may be cut off. */
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

/** Also reads scripts and comments, because they may contain markup. */
const MARKUP =
  /<!\[CDATA\[(?<data>[^]*?)(?:\]\]>|$)|<(?<end>\/)?(?:[\w-]+:)?(?<name>[\p{L}_][\p{L}\p{N}_.-]*)(?<attributes>(?:"[^"<]*"|'[^'<]*'|[^<>"']+|["']){0,1000})>?|(?<text>[^<]+)|</dgiu;

/** Matches attributes that name an element's value. An `id` often identifies a section. */
const NAMING = /^(?:name|key|property|field|param|parameter|header)$/i;
const ATTRIBUTE = /(?<![\w:-])([\w:-]{1,60})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

const MAX_ENCLOSING = 32;
/** Maximum number of open elements. Deeper ones are treated as siblings. */
const MAX_OPEN = 256;

interface Open {
  readonly name: string;
  /** Names of credentials that describe the element's text. At most `MOST_LABELS`. */
  readonly names: readonly string[];
  /** Text that names the next child, as in `<name>pin</name><value>1</value>`. */
  label?: string;
}

/**
 * Finds all text in elements that are named as credentials: by their own name, an attribute, or the
 * text of the preceding element.
 */
function markupSecrets(markup: string): NamedRange[] {
  const found: NamedRange[] = [];
  const open: Open[] = [];
  const ended = new Map<string, boolean>();
  const isVoid = (name: string) => {
    if (!VOID.test(name)) return false;
    return !ended.getOrInsertComputed(name, () => markup.includes(`</${name}`));
  };
  for (const { groups = {}, indices } of markup.matchAll(MARKUP)) {
    const { name, attributes = "", end, data, text = data } = groups;
    if (name === undefined) {
      const ranges = indices!.groups!;
      if (text !== undefined) takeText(text, (ranges.data ?? ranges.text)![0]);
    } else if (end !== undefined) {
      const at = open.findLastIndex((element) => element.name === name);
      if (at >= 0) open.length = at;
    } else if (!attributes.endsWith("/") && !isVoid(name)) enter(name, attributes);
  }
  return found;

  function enter(name: string, attributes: string): void {
    const label = LABELLED.test(name) ? open.at(-1)?.label : undefined;
    if (open.length === MAX_OPEN) open.pop();
    const labels = attributes.includes("=")
      ? [...attributes.matchAll(ATTRIBUTE)].filter(([, key]) => NAMING.test(key))
        .map(([, , double, single, bare]) => double ?? single ?? bare)
      : [];
    const names = [name, ...labels, ...(label ? [label] : [])].filter(mayNameSecret);
    open.push({ name, names: names.slice(0, MOST_LABELS) });
  }

  function takeText(text: string, from: number): void {
    const value = text.trim();
    const inside = open.at(-1);
    if (value === "" || inside === undefined) return;
    const parent = open.at(-2);
    if (parent !== undefined && LABEL.test(inside.name)) parent.label = value;
    const name = open.slice(-MAX_ENCLOSING).flatMap(({ names }) => names)
      .find((candidate) => isNamedSecret(candidate, value));
    if (name === undefined) return;
    const start = from + text.indexOf(value);
    found.push({ name, start, end: start + value.length });
  }
}
