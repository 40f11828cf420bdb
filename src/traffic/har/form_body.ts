import { utf8Text } from "../../base/utf8.ts";
import { encodeForm, partHead } from "../../http/encode_body.ts";
import { bytesOf, bytesOfText, isBinary } from "./body_bytes.ts";
import { isText, parseMediaType } from "./media_type.ts";
import type { FormPart, NameValue } from "./recording.ts";

/**
 * Returns the form that a recorder stored only as a list of fields. Recorders decode the fields, or
 * store them as sent. In the second case, the text is not necessarily a form: if it is JSON, most
 * recorders store it as the name of a field. The text that has one of the recorded `sizes` is the
 * right one.
 */
export function formText(fields: readonly NameValue[], sizes: readonly number[]): string {
  const encoded = encodeForm(fields.map(({ name, value }) => [name, value]));
  const sent = fields.map(({ name, value }) => `${name}=${value}`).join("&");
  const bare = fields.map(({ name, value }) => value === "" ? name : `${name}=${value}`).join("&");
  const size = (text: string) => new TextEncoder().encode(text).length;
  const exact = [encoded, sent, bare].find((text) => sizes.includes(size(text)));
  return exact ?? (isEncoded(fields) ? sent : /^\s*[[{]/.test(bare) ? bare : encoded);
}

/**
 * Returns the query that a recorder stored only as a list of fields, including the `?`. The HAR
 * specification requires decoded fields, but some recorders store them as sent. Returns an empty
 * string if there are no fields.
 */
export function queryText(fields: readonly NameValue[]): string {
  if (fields.length === 0) return "";
  const encode = isEncoded(fields)
    ? (text: string) => text
    : (text: string) => encodeURIComponent(text.toWellFormed());
  return `?${fields.map(({ name, value }) => `${encode(name)}=${encode(value)}`).join("&")}`;
}

/**
 * Reports whether fields are percent-encoded: every `%` starts an escape, and no character needs
 * escaping.
 */
function isEncoded(fields: readonly NameValue[]): boolean {
  const texts = fields.flatMap(({ name, value }) => [name, value]);
  return texts.some((text) => text.includes("%")) &&
    texts.every((text) => /^(?:[!-$'-<>-~]|%[0-9a-fA-F]{2})*$/.test(text));
}

/**
 * Parses the parts of a `multipart/form-data` body. `chars` has one character per byte. Returns
 * undefined if the text is malformed or has a different boundary, or if a part has headers that
 * encoding it again would change.
 */
export function parseMultipart(chars: string, boundary: string): FormPart[] | undefined {
  const [preamble, ...pieces] = `\r\n${chars}`.split(`\n--${boundary}`);
  if (preamble.trim() !== "" || !pieces.pop()?.startsWith("--")) return undefined;
  const parts = pieces.map(parsePart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/**
 * Parses one part of a multipart body. `piece` is the text after a delimiter, up to the LF before
 * the next delimiter. Returns undefined if `piece` is malformed or has other headers than expected.
 */
function parsePart(piece: string): FormPart | undefined {
  const end = piece.indexOf("\r\n\r\n");
  if (end < 0 || !piece.startsWith("\r\n") || !piece.endsWith("\r")) return undefined;
  const head = utf8Text(bytesOf(piece.slice(2, end)));
  const [, name, filename, contentType] =
    /^.*; name="(.*?)"(?:; filename="(.*)")?(?:\r\nContent-Type: (.*))?$/.exec(head ?? "") ?? [];
  if (name === undefined) return undefined;
  const part = {
    name: unescaped(name),
    ...(filename !== undefined && { filename: unescaped(filename) }),
    ...(contentType !== undefined && { contentType }),
  };
  if (partHead(part) !== `${head}\r\n`) return undefined;
  return { ...part, ...partContent(bytesOf(piece.slice(end + 4, -1)), contentType) };
}

/** Decodes the escapes for quotation marks and line breaks in a name. */
function unescaped(name: string): string {
  return name.replace(/%22|%0D|%0A/g, decodeURIComponent);
}

/**
 * Returns the content of a part as `value` if it is text, otherwise as `base64`. `contentType`
 * defaults to `text/plain`.
 */
export function partContent(
  content: Uint8Array | string,
  contentType = "text/plain",
): { value: string } | { base64: string } {
  const isTextType = isText(parseMediaType(contentType).essence);
  const bytes = typeof content === "string"
    ? bytesOfText(content, { isText: isTextType })
    : content;
  const value = utf8Text(bytes);
  return value === undefined || isBinary(value, isTextType)
    ? { base64: bytes.toBase64() }
    : { value };
}

/** Reports whether the content of an uploaded file may be missing: the part is empty. */
export function isEmptyFile({ filename, value }: FormPart): boolean {
  return filename !== undefined && filename !== "" && value === "";
}
