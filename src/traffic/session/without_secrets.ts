import { decodePercent } from "../../base/string_escapes.ts";
import {
  isNamedSecret,
  LABEL,
  LABELLED,
  mayNameSecret,
  MOST_LABELS,
  type Range,
  shapedSecrets,
} from "./secret_names.ts";
import { pairedSecrets } from "./secret_pairs.ts";
import { type ShownRange, withoutOverlaps, withShown } from "./value_index.ts";

/** Text shown in place of a credential. */
export const HIDDEN = "********";

/**
 * Replaces the credentials in `text` with `********`. Identifies them by their shape, or by the
 * name before them, as in a query string.
 */
export function withoutSecrets(text: string): string {
  const ranges = [
    ...schemeSecrets(text),
    ...shapedSecrets(text),
    ...pairedSecrets(text).map(({ range }) => range),
  ];
  const pieces = withoutOverlaps(ranges.map(([start, end]) => ({ start, end })));
  return withShown(text, pieces.map(({ start, end }) => ({ start, end, text: HIDDEN })));
}

/**
 * Matches credentials after the header name `Authorization`, or after the authentication scheme
 * `Bearer` or `Basic`.
 */
const SCHEME =
  /\bauthorization\\*["']?[ \t]*[:=,][ \t]*\[?\\*["']?[a-z][\w-]*[ \t]+(?<value>[^\r\n"'\\<>]+)|\bbearer[ \t]+(?<token>[\w.~+/-]{10,}=*)|\bbasic[ \t]+(?<basic>[a-z0-9+/]{4,}={0,2})/dgi;

function schemeSecrets(text: string): Range[] {
  const found: Range[] = [];
  for (const { groups = {}, indices } of text.matchAll(SCHEME)) {
    const { value, token, basic } = groups;
    if (value !== undefined) found.push(indices!.groups!.value);
    else if (token !== undefined && /\d/.test(token)) found.push(indices!.groups!.token);
    else if (basic !== undefined && isUserAndPassword(basic)) found.push(indices!.groups!.basic);
  }
  return found;
}

function isUserAndPassword(base64: string): boolean {
  try {
    return atob(base64).includes(":");
  } catch {
    return false;
  }
}

/** Maximum nesting depth of text within text, such as JSON in a JSON string. */
const MAX_NESTING = 5;
/**
 * Prefilter for text in which JSON starts after at most 100 characters, for example after a prefix
 * such as `data:`, `callback(` or `)]}',`, or in a log message. May also match other text, but
 * searching it for JSON does no harm.
 */
const JSON_START = /^(?!\s*<)[^{[]{0,100}[{[]/;
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

/**
 * Replaces the credentials in `text` as `withoutSecrets` does. In addition, hides everything nested
 * under a JSON member with the name of a credential, fields of multipart forms, and credentials in
 * JSON, URLs and forms within strings.
 */
export function withoutNestedSecrets(text: string): string {
  return withoutNested(text, 0);
}

function withoutNested(text: string, depth: number): string {
  if (depth > MAX_NESTING) return withoutSecrets(text);
  const parts = withShown(text, partSecrets(text));
  const shown = JSON_START.test(parts) ? withoutJsonSecrets(parts, depth) : parts;
  return depth === 0 ? withoutSecrets(shown) : withoutFields(shown, depth);
}

function withoutJsonSecrets(json: string, depth: number): string {
  return withShown(json, jsonSecrets(json, HIDDEN, (inner) => withoutNested(inner, depth + 1)));
}

function partSecrets(text: string): ShownRange[] {
  const found: ShownRange[] = [];
  let done = 0;
  for (const { 0: head, 1: header, 2: others, index } of text.matchAll(PART)) {
    if (index < done || others === undefined) continue;
    const [, quoted, bare] = PART_NAME.exec(header) ?? [];
    const name = quoted ?? bare;
    if (name === undefined) continue;
    const start = index + head.length;
    PART_END.lastIndex = start;
    const end = PART_END.exec(text)!.index;
    if (isNamedSecret(name, text.slice(start, end))) found.push({ start, end, text: HIDDEN });
    done = end;
  }
  return found;
}

/** Matches a field of a query or of a URL-encoded form. */
const FIELD = /(?<=^|[?&])([^?&=#\s]+)=([^&#\s]+)/g;

/**
 * Replaces the credentials in a URL, a query or a URL-encoded form with `********`. Unlike
 * `withoutSecrets`, decodes the names of the fields, and hides the whole value of a field. Also
 * hides credentials in JSON, URLs and forms within a field.
 */
export function withoutSecretFields(text: string): string {
  return withoutFields(text, 0);
}

function withoutFields(text: string, depth: number): string {
  return withoutSecrets(text.replace(FIELD, (field, name: string, value: string) => {
    const [plainName, plainValue] = [name, value].map((encoded) =>
      decodePercent(encoded.replaceAll("+", " ")) ?? encoded
    );
    if (isNamedSecret(plainName, plainValue)) return `${name}=${HIDDEN}`;
    const shown = withoutNested(plainValue, depth + 1);
    return shown === plainValue ? field : `${name}=${encodeURIComponent(shown)}`;
  }));
}

/**
 * Matches a JSON token. If the text was cut off, its last string may lack the closing quotation
 * mark.
 */
const TOKEN = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Maximum number of enclosing members whose names are checked for each value. */
const MAX_DEPTH = 32;

/** An open map or list. */
interface Container {
  readonly isMap: boolean;
  /** Names of the members that contain this map or list, innermost first. */
  readonly names: readonly string[];
  /**
   * Name of the map member whose value is being read. Undefined before the member's colon, and in a
   * list.
   */
  member: string | undefined;
  /**
   * Names of credentials that occur as values of members, such as `pin` in
   * `{"name": "pin", "value": "…"}`. At most `MOST_LABELS`.
   */
  readonly labels: string[];
  /**
   * Strings and numbers, at any depth, in members such as `value`. The names in `labels` decide
   * which of them are credentials.
   */
  readonly values: Token[];
}

interface Token {
  readonly text: string;
  readonly at: number;
}

/**
 * Finds the credentials in JSON text, which may be truncated. Checks each string and number against
 * the names of the members that enclose it, and against names in sibling members, as in
 * `{"name": "pin", "value": "1"}`. Returns the replacements in order: `hidden` for a credential,
 * and the result of `hideText` for any other string that `hideText` changes.
 */
function jsonSecrets(
  json: string,
  hidden: string,
  hideText: (text: string) => string,
): ShownRange[] {
  const found = new Map<number, ShownRange>();
  const open: Container[] = [];
  let last: Token | undefined;
  for (const { 0: text, index: at } of json.matchAll(TOKEN)) {
    const inside = open.at(-1);
    switch (text) {
      case "{":
      case "[": {
        const names = inside === undefined ? [] : namesIn(inside);
        open.push({
          isMap: text === "{",
          names,
          member: undefined,
          labels: [],
          values: [],
        });
        break;
      }
      case "}":
      case "]":
        if (inside !== undefined) hideLabelled(inside);
        open.pop();
        break;
      case ",":
        if (inside !== undefined) inside.member = undefined;
        break;
      case ":":
        if (inside?.isMap && last !== undefined) inside.member = stringIn(last.text);
        break;
      default:
        if (inside === undefined || !inside.isMap || inside.member !== undefined) {
          take({ text, at }, inside);
        }
    }
    last = { text, at };
  }
  for (const container of open) hideLabelled(container);
  return [...found.values()].sort((a, b) => a.start - b.start);

  function take(token: Token, inside: Container | undefined): void {
    const value = stringIn(token.text);
    if (inside?.isMap && inside.labels.length < MOST_LABELS && LABEL.test(inside.member!)) {
      if (mayNameSecret(value)) inside.labels.push(value);
    }
    for (const container of open.slice(-MAX_DEPTH)) {
      if (LABELLED.test(container.member ?? "")) container.values.push(token);
    }
    const names = inside === undefined ? [] : namesIn(inside);
    if (names.some((name) => isNamedSecret(name, value))) return replace(token, hidden);
    if (token.text[0] !== '"') return;
    const shown = hideText(value);
    if (shown !== value) replace(token, shown);
  }

  function hideLabelled({ labels, values }: Container): void {
    for (const value of labels.length === 0 ? [] : values) {
      const text = stringIn(value.text);
      if (labels.some((label) => isNamedSecret(label, text))) replace(value, hidden);
    }
  }

  function replace({ text, at }: Token, by: string): void {
    const shown = text[0] === '"' ? JSON.stringify(by) : by;
    found.set(at, { start: at, end: at + text.length, text: shown });
  }
}

function namesIn({ names, member }: Container): readonly string[] {
  return member === undefined ? names : [member, ...names].slice(0, MAX_DEPTH);
}

/** Returns the value of a string token, which may be cut off, or the text of any other token. */
function stringIn(token: string): string {
  if (token[0] !== '"') return token;
  const text = token.length > 1 && token.endsWith('"')
    ? token
    : `${token.replace(/\\.{0,5}$/, "")}"`;
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1);
  }
}
