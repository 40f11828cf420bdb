import { decodePercent } from "../../base/string_escapes.ts";
import { isText, parseMediaType } from "./media_type.ts";
import type { FormPart, NameValue } from "./recording.ts";

/**
 * Parses `application/x-www-form-urlencoded` text into decoded fields. Keeps the order of the
 * fields, including those with repeated names.
 */
export function parseForm(text: string): NameValue[] {
  return text.split("&").filter((pair) => pair !== "").map((pair) => {
    const equals = pair.indexOf("=");
    const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return { name: decoded(name), value: decoded(value) };
  });
}

/**
 * Returns the fields of `params` or `queryString` in decoded form. The HAR specification requires
 * decoded fields, but some recorders write them percent-encoded. Treats the fields as encoded if
 * every `%` starts an escape and no character needs escaping.
 */
export function decodedFields(fields: readonly NameValue[]): NameValue[] {
  const texts = fields.flatMap(({ name, value }) => [name, value]);
  const encoded = texts.some((text) => text.includes("%")) && texts.every(looksEncoded);
  if (!encoded) return [...fields];
  return fields.map(({ name, value }) => ({ name: decoded(name), value: decoded(value) }));
}

function looksEncoded(text: string): boolean {
  return /^(?:[!-$'-<>-~]|%[0-9a-fA-F]{2})*$/.test(text);
}

/**
 * Decodes percent-encoded text, including `+` as a space. Keeps all escapes if any of them is
 * malformed or not valid UTF-8.
 */
function decoded(text: string): string {
  const spaced = text.replaceAll("+", " ");
  return decodePercent(spaced) ?? spaced;
}

/**
 * Parses the parts of a `multipart/form-data` body. Returns undefined if the text is malformed or
 * has a different boundary.
 */
export function parseMultipart(text: string, boundary: string): FormPart[] | undefined {
  const [preamble, ...pieces] = `\r\n${text}`.split(`\n--${boundary}`);
  if (preamble.trim() !== "" || !pieces.pop()?.startsWith("--")) return undefined;
  const parts = pieces.map(parsePart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/**
 * Parses one part of a multipart body. `piece` is the text after a delimiter, up to the line break
 * before the next delimiter. Returns undefined if `piece` is malformed.
 */
function parsePart(piece: string): FormPart | undefined {
  const [, head, content] = /^[ \t]*\r?\n([^]*?)\r?\n\r?\n([^]*?)\r?$/.exec(piece) ?? [];
  if (head === undefined) return undefined;
  const headers = new Map(
    head.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const disposition = headers.get("content-disposition") ?? "";
  const name = dispositionParameter(disposition, "name");
  if (name === undefined) return undefined;
  const filename = dispositionParameter(disposition, "filename");
  const contentType = headers.get("content-type");
  return {
    name,
    ...partContent(content, contentType),
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && { contentType }),
  };
}

/**
 * Returns the content of a part as `value` if it is text, otherwise as `base64`. `contentType`
 * defaults to `text/plain`.
 */
export function partContent(
  content: string,
  contentType: string | undefined,
): { value: string } | { base64: string } {
  const { essence } = parseMediaType(contentType ?? "text/plain");
  return isBinary(content, essence)
    ? { base64: bytesOfText(content).toBase64() }
    : { value: content };
}

/**
 * Returns a parameter of a `Content-Disposition` header, or undefined if it is absent. Decodes the
 * escapes for quotation marks and line breaks: `%22`, `%0D` and `%0A` from browsers, and `\"` from
 * other clients.
 */
function dispositionParameter(disposition: string, name: string): string | undefined {
  const pattern = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, "i");
  const [, quoted, plain] = pattern.exec(disposition) ?? [];
  return (quoted?.replace(/\\(["\\])/g, "$1") ?? plain)
    ?.replace(/%22|%0D|%0A/gi, (escape) => decodeURIComponent(escape));
}

// deno-lint-ignore no-control-regex -- these characters distinguish bytes from text
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\ufffd]/;

/**
 * Reports whether `text` is binary content that a recorder stored as a string: it contains lone
 * surrogates, or it contains control or replacement characters and its media type `essence` is not
 * textual.
 */
export function isBinary(text: string, essence: string): boolean {
  return !text.isWellFormed() || (CONTROL.test(text) && !isText(essence));
}

/**
 * Returns the original bytes of binary content that a recorder stored as a string. mitmproxy
 * escapes each byte that is not valid UTF-8 as a lone surrogate U+DC80 to U+DCFF. Firefox and
 * Chrome write one character per byte.
 */
export function bytesOfText(text: string): Uint8Array {
  if (!/[^\p{ASCII}\u0080-\u00ff]/u.test(text)) {
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
  }
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (code >= 0xdc80 && code <= 0xdcff) bytes[length++] = code & 0xff;
    else length += encoder.encodeInto(char, bytes.subarray(length)).written;
  }
  return bytes.subarray(0, length);
}
