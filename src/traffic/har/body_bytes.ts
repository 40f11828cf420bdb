import { decoderFor } from "../../http/content.ts";

export interface BodyFacts {
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
export function isCoded(text: string, coding = ""): boolean | undefined {
  // Brotli has no signature, but its output contains control characters.
  if (coding === "br") return CONTROL.test(text);
  return SIGNATURES.get(coding.replace(/^x-/, ""))?.some((start) => text.startsWith(start));
}

/** Reports whether text is binary content: it has control characters, and its type is not text. */
export function isBinary(text: string, isTextType: boolean): boolean {
  return !isTextType && CONTROL.test(text);
}

/**
 * Returns the bytes of a body that a recorder stored as text: UTF-8, one character per byte,
 * another charset, or lone surrogates for bytes (mitmproxy). Decides by `Content-Length`, then the
 * content coding, the charset, the recorder's size, and control characters.
 */
export function bytesOfText(text: string, facts: BodyFacts): Uint8Array {
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
export function bytesOf(text: string): Uint8Array {
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

/** A parsed value of a `Content-Type` header. */
export interface MediaType {
  /** Media type as `type/subtype` in lower case. Empty if the header contains no media type. */
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g;

/** Parses the value of a `Content-Type` header, such as `text/html; charset=utf-8`. */
export function parseMediaType(text: string): MediaType {
  const essence = /^[^;\r\n\0]*/.exec(text)![0].trim().toLowerCase();
  const parameters = new Map<string, string>();
  for (const [, name, quoted, plain] of text.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain.trim());
  }
  return { essence: essence.includes("/") ? essence : "", parameters };
}

/** Reports whether `type/subtype` is a JSON media type, such as `application/problem+json`. */
export function isJson(essence: string): boolean {
  return essence.endsWith("json") && /[/+](?:x-)?(?:nd)?json$/.test(essence);
}

/** Reports whether `type/subtype` is readable text, such as HTML, JSON, or a batch of responses. */
export function isText(essence: string): boolean {
  return essence.startsWith("text/") || isJson(essence) || essence === "image/svg+xml" ||
    essence === "multipart/mixed" ||
    /[/+](?:xml|yaml|javascript|x-javascript|ecmascript|graphql|x-www-form-urlencoded|csp-report)$/
      .test(essence);
}
