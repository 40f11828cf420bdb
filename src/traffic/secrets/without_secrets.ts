import { decodePercent } from "../../base/string_escapes.ts";
import { type ShownRange, withoutOverlaps, withShown } from "../session/text_ranges.ts";
import { jsonSecrets } from "./json_secrets.ts";
import { isNamedSecret } from "./secret_names.ts";
import { pairedSecrets } from "./secret_pairs.ts";
import { type Range, shapedSecrets } from "./secret_shapes.ts";

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

/** Finds the credentials of HTTP authentication. */
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
const MAX_DEPTH = 5;
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
  if (depth > MAX_DEPTH) return withoutSecrets(text);
  const parts = withShown(text, partSecrets(text));
  const shown = JSON_START.test(parts) ? withoutJsonSecrets(parts, depth) : parts;
  return depth === 0 ? withoutSecrets(shown) : withoutFields(shown, depth);
}

function withoutJsonSecrets(json: string, depth: number): string {
  return withShown(json, jsonSecrets(json, HIDDEN, (inner) => withoutNested(inner, depth + 1)));
}

/** Finds the parts of multipart forms whose content is a credential. */
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
