import { utf8Text } from "../../base/string_escapes.ts";
import { decoderFor } from "../../http/content.ts";
import { encodeForm, partHead } from "../../http/encode_body.ts";
import { isJson, isText, parseMediaType } from "./media_type.ts";
import {
  countAt,
  fieldsAt,
  type FormPart,
  fromBase64,
  headerValue,
  type JsonObject,
  type NameValue,
  objectAt,
  objectsAt,
  type RequestBody,
  textAt,
} from "./recording.ts";
import { readJsonBody } from "./json_text.ts";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";
/** Matches text that can be a form: it has a field, and does not start as JSON or XML. */
const FORM_TEXT = /^[^{[<"\s][^=]*=/;

export interface RecordedBody {
  readonly body: RequestBody | undefined;
  readonly isIncomplete: boolean;
  /** True if the recorder decoded the body, so that its `Content-Encoding` no longer applies. */
  readonly isDecoded: boolean;
}

/** The media type in `headers` takes precedence over that in `postData`. Throws BrokenEntry. */
export function recordedBody(request: JsonObject, headers: readonly NameValue[]): RecordedBody {
  // HTTP Toolkit stores bodies that are not text in `_content`.
  const postData = objectAt(request.postData ?? request._content, "request.postData");
  const { _file, encoding, params } = postData;
  const stated = headerValue(headers, "content-type") ||
    textAt(postData.mimeType, "request.postData.mimeType");
  const contentLength = countAt(headerValue(headers, "content-length"));
  const bodySize = countAt(request.bodySize);
  const size = contentLength || bodySize;
  const recorded = textAt(postData.text, "request.postData.text") ?? "";
  if (recorded === "" && stated !== undefined && parseMediaType(stated).essence === MULTIPART) {
    const parts = objectsAt(params, PARAMS).map(parsePart);
    if (parts.length > 0) {
      const body = { kind: "multipart", parts, contentType: stated } as const;
      return { body, isIncomplete: parts.some(isEmptyFile), isDecoded: false };
    }
  }
  const sizes = [contentLength, bodySize];
  const isJsonList = recorded === "" && stated !== undefined &&
    isJson(parseMediaType(stated).essence);
  const text = recorded || isJsonList && jsonText(objectsAt(params, PARAMS), sizes) ||
    formText(fieldsAt(params, PARAMS), sizes);
  if (text === "") {
    // Browsers always send content as multipart, even for a form without fields.
    const isMultipart = stated !== undefined && parseMediaType(stated).essence === MULTIPART;
    const isIncomplete = size > 0 || typeof _file === "string" || isMultipart;
    return { body: undefined, isIncomplete, isDecoded: false };
  }
  const contentType = stated || (recorded === "" ? FORM : "");
  const { essence, parameters } = parseMediaType(contentType);
  const codings = headerValue(headers, "content-encoding") ?? "";
  const coding = codings.slice(codings.lastIndexOf(",") + 1).trim().toLowerCase();
  const charset = parameters.get("charset")?.toLowerCase();
  const facts = { contentLength, bodySize, coding, charset, isText: isText(essence) };
  const original = encoding === "base64" ? fromBase64(text) : undefined;
  const bytes = original ?? bytesOfText(text, facts);
  const body = parseBody(bytes, contentType);
  const isDecoded = isCoded(charsOf(bytes.subarray(0, 1_024)), coding) === false;
  const mayLack = size !== bytes.length &&
    (original === undefined && text.includes("\ufffd") ||
      body.kind === "multipart" && body.parts.some(isEmptyFile));
  return { body, isIncomplete: mayLack || !isDecoded && size > bytes.length, isDecoded };
}

/** Takes a body apart, so that a plan sends the same bytes, except JSON's spaces and boundaries. */
export function parseBody(bytes: Uint8Array, contentType: string): RequestBody {
  const { essence, parameters } = parseMediaType(contentType);
  const text = utf8Text(bytes);
  const mayBeJson = text !== undefined && (isJson(essence) ||
    essence === "" && /^\s*[[{]/.test(text) || essence === "text/plain" && isCompactJson(text));
  if (mayBeJson) {
    const json = readJsonBody(text);
    if (json) return { kind: "json", value: json.value, text, contentType };
  }
  if (essence === MULTIPART) {
    const parts = parseMultipart(charsOf(bytes), parameters.get("boundary") ?? "");
    if (parts) return { kind: "multipart", parts, contentType };
  }
  if (text === undefined || isBinary(text, isText(essence))) {
    return { kind: "base64", base64: bytes.toBase64(), contentType };
  }
  const isForm = essence === FORM && FORM_TEXT.test(text);
  return { kind: isForm ? "form" : "text", text, contentType };
}

/** Reports whether a text is a JSON object or list as `JSON.stringify` writes it. */
function isCompactJson(text: string): boolean {
  if (!/^(?:\{"|\[)/.test(text) || !/[}\]]$/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const PARAMS = "request.postData.params";

function parsePart(param: JsonObject): FormPart {
  const filename = textAt(param.fileName, `${PARAMS}.fileName`);
  const contentType = textAt(param.contentType, `${PARAMS}.contentType`);
  const value = textAt(param.value, `${PARAMS}.value`) ?? "";
  return {
    name: textAt(param.name, `${PARAMS}.name`) ?? "",
    ...partContent(value, contentType),
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && { contentType }),
  };
}

/**
 * Returns the form of a list of fields. Recorders decode them, or store them as sent; then JSON is
 * the name of a field. The text that has one of the recorded `sizes` is the right one.
 */
function formText(fields: readonly NameValue[], sizes: readonly number[]): string {
  const encoded = encodeForm(fields.map(({ name, value }) => [name, value]));
  const sent = fields.map(({ name, value }) => `${name}=${value}`).join("&");
  const bare = fields.map(({ name, value }) => value === "" ? name : `${name}=${value}`).join("&");
  const size = (text: string) => new TextEncoder().encode(text).length;
  const exact = [encoded, sent, bare].find((text) => sizes.includes(size(text)));
  return exact ?? (isEncoded(fields) ? sent : /^\s*[[{]/.test(bare) ? bare : encoded);
}

/**
 * Returns the JSON that chrome-har stored as a list of its members, with several of a name for a
 * list. The text that has one of the recorded `sizes` is the right one. May be empty.
 */
function jsonText(params: readonly JsonObject[], sizes: readonly number[]): string {
  const byName = Map.groupBy(params, ({ name }) => String(name));
  if (byName.size === 0 || /^\s*[[{]/.test(String(params[0].name))) return "";
  const members = [...byName].map(([name, same]) => {
    const values = same.map(({ value }) => JSON.stringify(value ?? null));
    return { name, value: values.length > 1 ? `[${values}]` : values[0] };
  });
  const object = `{${members.map(({ name, value }) => `${JSON.stringify(name)}:${value}`)}}`;
  const isList = members.every(({ name }, i) => name === String(i));
  const found = [...isList ? [`[${members.map(({ value }) => value)}]`] : [], object];
  return found.find((text) => sizes.includes(new TextEncoder().encode(text).length)) ?? found[0];
}

/** Returns `?` and the fields, which HAR requires decoded, but some recorders store as sent. */
export function queryText(fields: readonly NameValue[]): string {
  if (fields.length === 0) return "";
  const encode = isEncoded(fields)
    ? (text: string) => text
    : (text: string) => encodeURIComponent(text.toWellFormed());
  return `?${fields.map(({ name, value }) => `${encode(name)}=${encode(value)}`).join("&")}`;
}

function isEncoded(fields: readonly NameValue[]): boolean {
  const texts = fields.flatMap(({ name, value }) => [name, value]);
  return texts.some((text) => text.includes("%")) &&
    texts.every((text) => /^(?:[!-$'-<>-~]|%[0-9a-fA-F]{2})*$/.test(text));
}

function parseMultipart(chars: string, boundary: string): FormPart[] | undefined {
  const [preamble, ...pieces] = `\r\n${chars}`.split(`\n--${boundary}`);
  if (preamble.trim() !== "" || !pieces.pop()?.startsWith("--")) return undefined;
  const parts = pieces.map(parseSentPart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function parseSentPart(piece: string): FormPart | undefined {
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

function unescaped(name: string): string {
  return name.replace(/%22|%0D|%0A/g, decodeURIComponent);
}

function partContent(
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
function isEmptyFile({ filename, value }: FormPart): boolean {
  return filename !== undefined && filename !== "" && value === "";
}

function charsOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

interface BodyFacts {
  /** Size in bytes according to `Content-Length`. Absent or 0 if unknown. */
  readonly contentLength?: number;
  readonly bodySize?: number;
  /** The last content coding in lower case, such as `gzip`. */
  readonly coding?: string;
  readonly charset?: string;
  readonly isText: boolean;
}

const encoder = new TextEncoder();

// deno-lint-ignore no-control-regex -- these characters distinguish bytes from text
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\ufffd]/;

/** First characters of bodies with a content coding, with one character per byte. */
const SIGNATURES: ReadonlyMap<string, readonly string[]> = new Map([
  ["gzip", ["\x1f\x8b"]],
  ["deflate", ["x\x01", "x\x5e", "x\x9c", "x\xda"]],
  ["zstd", ["\x28\xb5\x2f\xfd"]],
]);

/** `text` has one character per byte. Undefined if the content coding is unknown. */
function isCoded(text: string, coding = ""): boolean | undefined {
  // Brotli has no signature, but its output contains control characters.
  if (coding === "br") return CONTROL.test(text);
  return SIGNATURES.get(coding.replace(/^x-/, ""))?.some((start) => text.startsWith(start));
}

/** Reports whether text is binary content: it has control characters, and its type is not text. */
function isBinary(text: string, isTextType: boolean): boolean {
  return !isTextType && CONTROL.test(text);
}

/**
 * Returns the bytes of a body that a recorder stored as text: UTF-8, one character per byte,
 * another charset, or lone surrogates for bytes (mitmproxy). Decides by `Content-Length`, then the
 * content coding, the charset, the recorder's size, and control characters.
 */
function bytesOfText(text: string, facts: BodyFacts): Uint8Array {
  const utf8 = utf8Bytes(text);
  if (utf8.length === text.length) return utf8;
  const single = /[^\0-\xff]/.test(text) ? undefined : bytesOf(text);
  const other = encodeAs(text, facts.charset);
  const ofSize = (size = 0) => [utf8, other, single].find((bytes) => bytes?.length === size);
  return ofSize(facts.contentLength) ??
    (isCoded(text, facts.coding) ? single : undefined) ??
    other ??
    ofSize(facts.bodySize) ??
    (isBinary(text, facts.isText) ? single : undefined) ??
    utf8;
}

/** Encodes text as UTF-8, except for the bytes that mitmproxy escaped as lone surrogates. */
function utf8Bytes(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    if (code >= 0xdc80 && code <= 0xdcff) bytes[length++] = code & 0xff;
    else length += encoder.encodeInto(char, bytes.subarray(length)).written;
  }
  return bytes.subarray(0, length);
}

/** Returns the bytes of text that has one character per byte. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

const charsets = new Map<string, ReadonlyMap<string, readonly number[]>>();

function encodeAs(text: string, charset = "utf-8"): Uint8Array | undefined {
  const known = charsets.getOrInsertComputed(charset, charactersOf);
  if (known.size === 0) return undefined;
  const bytes = [...text].map((char) =>
    known.get(char) ?? [...char <= "\xff" ? bytesOf(char) : []]
  );
  return bytes.every(({ length }) => length > 0) ? Uint8Array.from(bytes.flat()) : undefined;
}

function charactersOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const known = new Map<string, readonly number[]>();
  const decoder = decoderFor(charset);
  if (decoder.encoding.startsWith("utf-")) return known;
  const add = (...bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if ([...char].length === 1 && char !== "\ufffd" && !known.has(char)) known.set(char, bytes);
  };
  for (let first = 0; first <= 0xff; first++) add(first);
  for (let first = 0x81; first <= 0xfe; first++) {
    for (let second = 0x40; second <= 0xfe; second++) add(first, second);
  }
  return known;
}
