import { utf8Text } from "../../base/utf8.ts";
import { bytesOfText, charsOf, isBinary, isCoded } from "./body_bytes.ts";
import { formText, isEmptyFile, parseMultipart, partContent } from "./form_body.ts";
import {
  countAt,
  fieldsAt,
  fromBase64,
  headerValue,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "./har_fields.ts";
import { readJsonBody } from "./json_body.ts";
import { isJson, isText, parseMediaType } from "./media_type.ts";
import type { FormPart, NameValue, RequestBody } from "./recording.ts";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";
/** Matches text that can be a form: it has a field, and does not start as JSON or XML. */
const FORM_TEXT = /^[^{[<"\s][^=]*=/;

/** What a HAR contains of the body of a request. */
export interface RecordedBody {
  /** The body, or undefined if the HAR does not contain it. */
  readonly body: RequestBody | undefined;
  /** True if the HAR lacks the body or a part of it. */
  readonly isIncomplete: boolean;
  /** True if the recorder decoded the body, so that its `Content-Encoding` no longer applies. */
  readonly isDecoded: boolean;
}

/**
 * Reads the body of the request in a HAR entry. The media type in `headers` takes precedence over
 * that in `postData`. Throws BrokenEntry if a member has an unexpected type.
 */
export function recordedBody(request: JsonObject, headers: readonly NameValue[]): RecordedBody {
  const postData = objectAt(request.postData, "request.postData");
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
  const text = recorded || formText(fieldsAt(params, PARAMS), [contentLength, bodySize]);
  if (text === "") {
    const isIncomplete = size > 0 || typeof _file === "string";
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

/**
 * Takes a request body apart, so that a plan that sends its parts sends the same bytes. JSON can
 * have other white space, and multipart another boundary. Any other body becomes text, or base64 if
 * it is not text.
 */
export function parseBody(bytes: Uint8Array, contentType: string): RequestBody {
  const { essence, parameters } = parseMediaType(contentType);
  const text = utf8Text(bytes);
  if (text !== undefined && (isJson(essence) || (essence === "" && /^\s*[[{]/.test(text)))) {
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
