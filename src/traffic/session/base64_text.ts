import { type FieldPart, fieldParts, RequestField } from "./request_field.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes base64 or base64url. Undefined for other text, and if it does not encode UTF-8. */
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
const SHORTEST_ENCODED = 12;
/** Longer base64 is usually a file, and its expression could exceed the limits of the language. */
const LONGEST_ENCODED = 2_048;

const TOKEN = /[\w+/-]{12,}={0,2}/g;

function decodeToken(encoded: string): string | undefined {
  return encoded.length > LONGEST_ENCODED ? undefined : decodeBase64Text(encoded);
}

/** Finds the base64 and base64url strings in a text that encode UTF-8 text. */
export function findBase64(text: string): { readonly encoded: string; readonly text: string }[] {
  return (text.match(TOKEN) ?? []).flatMap((encoded) => {
    const decoded = decodeToken(encoded);
    return decoded === undefined ? [] : [{ encoded, text: decoded }];
  });
}

/** Replaces texts in base64, if `replace` changes them, and encodes them in the same way. */
export function replaceBase64(text: string, replace: (decoded: string) => string): string {
  return text.replace(TOKEN, (encoded) => {
    const decoded = decodeToken(encoded);
    const replaced = decoded && replace(decoded);
    if (decoded === undefined || replaced === undefined || replaced === decoded) return encoded;
    const encoding = encodeBase64(decoded, "base64") === encoded ? "base64" : "base64url";
    return encodeBase64(replaced, encoding);
  });
}

export type Base64Function = "base64" | "base64url";

/** Text that a field contains in base64, such as `user:password` in `Basic dXNlcjpwYXNz…`. */
export class Base64Field extends RequestField {
  constructor(
    readonly outer: RequestField,
    /** Range of the base64 in the value of `outer`, in UTF-16 code units. `end` is exclusive. */
    readonly start: number,
    readonly end: number,
    text: string,
    /** Function that encodes the text as it was recorded. */
    readonly encoding: Base64Function,
    /** True if `outer` contains the base64 percent-encoded, or must do so for other text. */
    readonly inUrl: boolean,
  ) {
    super(outer.kind, outer.name, text);
  }

  override parts(): readonly FieldPart[] {
    const structured = fieldParts(this.value, "");
    if (structured.length > 0) return structured;
    let previous = "";
    return [...this.value.matchAll(DELIMITED)].map(({ 0: part, index }) => {
      const name = this.value[index - 1] === "=" ? previous : "";
      previous = part;
      return { start: index, end: index + part.length, name, inPath: false };
    });
  }
}

const DELIMITED = /[^\s:;,|&=#!~@/"'<>(){}[\]\\]+/g;
const NONE: readonly Base64Field[] = [];

/**
 * Returns the texts that a field contains in base64: as the whole value, after an auth scheme, or
 * in one of its `parts`, if a function of the plan language encodes them exactly as recorded.
 */
export function base64Fields(
  field: RequestField,
  parts: readonly FieldPart[],
): readonly Base64Field[] {
  const { length } = field.value;
  if (length < SHORTEST_ENCODED || field.numeric || field.kind === "name") return NONE;
  const inner = parts.filter(({ start, end }) => end - start < length)
    .map(({ start, end }) => [start, end] as const);
  return [...field.wholes(), ...inner].flatMap(([start, end]) => base64At(field, start, end) ?? []);
}

// deno-lint-ignore no-control-regex -- text has no control characters except white space
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

function base64At(field: RequestField, start: number, end: number): Base64Field | undefined {
  if (end - start < SHORTEST_ENCODED || end - start > LONGEST_ENCODED) return undefined;
  const value = field.value.slice(start, end);
  const text = decodeBase64Text(value);
  if (text === undefined || CONTROL.test(text)) return undefined;
  const encoding = encodeBase64(text, "base64") === value ? "base64" : "base64url";
  if (encoding === "base64url" && encodeBase64(text, encoding) !== value) return undefined;
  const recorded = field.recorded.slice(...field.recordedRange(start, end));
  const isPlain = recorded === value;
  const inUrl = encodeURIComponent(value);
  if (!isPlain && recorded !== inUrl) return undefined;
  const isUrl = field.kind === "path" || field.kind === "query";
  const mustEncode = isUrl && encoding === "base64" && inUrl === value;
  return new Base64Field(field, start, end, text, encoding, !isPlain || mustEncode);
}

/** Encodes the UTF-8 bytes of a text as the function of the plan language does. */
export function encodeBase64(text: string, encoding: Base64Function): string {
  const bytes = encoder.encode(text);
  return encoding === "base64"
    ? bytes.toBase64()
    : bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
