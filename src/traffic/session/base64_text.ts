import { type FieldPart, fieldParts, RequestField } from "./request_field.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Decodes base64, with padding, or base64url, with or without padding. Returns the encoded text, or
 * undefined if the value is in neither encoding or does not contain UTF-8 text.
 */
export function decodeBase64Text(value: string): string | undefined {
  if (!BASE64.test(value)) return undefined;
  try {
    const alphabet = /[-_]/.test(value) ? "base64url" : "base64";
    const text = utf8.decode(Uint8Array.fromBase64(value, { alphabet }));
    return text.includes("\ufffd") ? undefined : text;
  } catch {
    return undefined; // The length is invalid.
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]+|[\w-]+)={0,2}$/;

/** Minimum length of base64 that is decoded, in characters. */
const SHORTEST = 12;
/** Maximum length of base64 that is decoded, in characters. Longer base64 is usually a file, and
 * its expression could exceed the limits of the plan language. */
const LONGEST = 2_048;

/** Matches strings of 12 or more characters that may be text in base64 or base64url. */
const TOKEN = /[\w+/-]{12,}={0,2}/g;

/** Finds the base64 and base64url strings in a text that encode UTF-8 text. */
export function findBase64(text: string): { readonly encoded: string; readonly text: string }[] {
  if (text.length < SHORTEST) return [];
  return [...text.matchAll(TOKEN)].flatMap(([encoded]) => {
    const decoded = encoded.length > LONGEST ? undefined : decodeBase64Text(encoded);
    return decoded === undefined ? [] : [{ encoded, text: decoded }];
  });
}

/**
 * Replaces the UTF-8 texts that `text` contains in base64 or base64url with the results of
 * `replace`, encoded in the same way. Base64 whose text `replace` returns unchanged stays unchanged.
 */
export function replaceBase64(text: string, replace: (decoded: string) => string): string {
  if (text.length < SHORTEST) return text;
  return text.replace(TOKEN, (encoded) => {
    const decoded = encoded.length > LONGEST ? undefined : decodeBase64Text(encoded);
    if (decoded === undefined) return encoded;
    const replaced = replace(decoded);
    if (replaced === decoded) return encoded;
    const encoding = encodeBase64(decoded, "base64") === encoded ? "base64" : "base64url";
    return encodeBase64(replaced, encoding);
  });
}

/** Functions of the plan language that encode text in base64. */
export type Base64Function = "base64" | "base64url";

/**
 * Text that a request field contains in base64 or base64url, such as `user:password` in
 * `Basic dXNlcjpwYXNzd29yZA==`. `value` and `recorded` are the decoded text.
 */
export class Base64Field extends RequestField {
  /** The field that contains the base64. */
  readonly outer: RequestField;
  /** Offset of the base64 in the value of `outer`, in UTF-16 code units. */
  readonly start: number;
  /** Offset of the end of the base64 in the value of `outer`, exclusive. */
  readonly end: number;
  /** Function that encodes the text as it was recorded. */
  readonly encoding: Base64Function;
  /** True if `outer` contains the base64 percent-encoded, or must do so for other text. */
  readonly inUrl: boolean;

  constructor(outer: RequestField, start: number, end: number, text: Encoded) {
    super(outer.kind, outer.name, text.text);
    this.outer = outer;
    this.start = start;
    this.end = end;
    this.encoding = text.encoding;
    this.inUrl = text.inUrl;
  }

  override parts(): readonly FieldPart[] {
    return base64Parts(this.value);
  }
}

/** Decoded text, and how to encode it again. */
interface Encoded {
  readonly text: string;
  readonly encoding: Base64Function;
  readonly inUrl: boolean;
}

const NONE: readonly Base64Field[] = [];

/**
 * Returns the texts that a field contains in base64 or base64url: as the whole value, after an auth
 * scheme, or in one of `parts`, which must be the parts of the field. Returns only texts that a
 * function of the plan language encodes exactly as they were recorded. Ignores text with control
 * characters, and base64 of fewer than 12 or more than 2,048 characters.
 */
export function base64Fields(
  field: RequestField,
  parts: readonly FieldPart[],
): readonly Base64Field[] {
  const { length } = field.value;
  if (length < SHORTEST || field.numeric || field.kind === "name") return NONE;
  const found: Base64Field[] = [];
  addBase64(found, field, 0, length);
  const { schemeLength } = field;
  if (schemeLength > 0) addBase64(found, field, schemeLength, length);
  for (const { start, end } of parts) {
    if (end - start < length) addBase64(found, field, start, end);
  }
  return found;
}

function addBase64(found: Base64Field[], field: RequestField, start: number, end: number): void {
  if (end - start < SHORTEST || end - start > LONGEST) return;
  const encoded = encodedText(field, start, end);
  if (encoded !== undefined) found.push(new Base64Field(field, start, end, encoded));
}

// deno-lint-ignore no-control-regex -- text has no control characters except white space
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

function encodedText(field: RequestField, start: number, end: number): Encoded | undefined {
  const value = field.value.slice(start, end);
  const text = decodeBase64Text(value);
  if (text === undefined || CONTROL.test(text)) return undefined;
  const encoding = encodeBase64(text, "base64") === value ? "base64" : "base64url";
  if (encoding === "base64url" && encodeBase64(text, encoding) !== value) return undefined;
  const recorded = field.recorded.slice(...field.recordedRange(start, end));
  const isUrl = field.kind === "path" || field.kind === "query";
  if (recorded === value) {
    const inUrl = isUrl && encoding === "base64" && encodeURIComponent(value) === value;
    return { text, encoding, inUrl };
  }
  return recorded === encodeURIComponent(value) ? { text, encoding, inUrl: true } : undefined;
}

/** Encodes the UTF-8 bytes of a text as the function of the plan language does. */
export function encodeBase64(text: string, encoding: Base64Function): string {
  const bytes = encoder.encode(text);
  return encoding === "base64"
    ? bytes.toBase64()
    : bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

const DELIMITED = /[^\s:;,|&=#!~@/"'<>(){}[\]\\]+/g;

function base64Parts(text: string): readonly FieldPart[] {
  const structured = fieldParts(text, "");
  if (structured.length > 0) return structured;
  let name = "";
  return [...text.matchAll(DELIMITED)].map(({ 0: part, index }) => {
    const isNamed = index > 0 && text[index - 1] === "=";
    const found = { start: index, end: index + part.length, name: "", inPath: false };
    if (isNamed) found.name = name;
    name = part;
    return found;
  });
}
