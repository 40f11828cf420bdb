import { fieldsAt, type JsonObject, objectsAt, textAt } from "./har_fields.ts";
import { readJsonBody } from "./json_body.ts";
import { isJson, isText, type MediaType, parseMediaType } from "./media_type.ts";
import {
  bytesOfText,
  decodedFields,
  isBinary,
  parseForm,
  parseMultipart,
  partContent,
} from "./form_body.ts";
import type { FormPart, RequestBody } from "./recording.ts";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

/**
 * Converts the `postData` of a HAR entry to the body that a plan sends. Returns undefined if the
 * entry has no body. If `postData` has no media type, uses `contentTypeHeader`. Throws BrokenEntry
 * if a member has an unexpected type.
 */
export function requestBody(
  postData: JsonObject,
  contentTypeHeader: string | undefined,
): RequestBody | undefined {
  const contentType = textAt(postData.mimeType, "request.postData.mimeType") || contentTypeHeader ||
    "";
  const type = parseMediaType(contentType);
  const recorded = textAt(postData.text, "request.postData.text") ?? "";
  if (recorded === "") return paramsBody(postData, type, contentType);
  if (postData.encoding !== "base64") return textBody(recorded, type, contentType);
  const bytes = orUndefined(() => Uint8Array.fromBase64(recorded));
  if (bytes === undefined) return textBody(recorded, type, contentType);
  const text = isText(type.essence) || type.essence === "" || type.essence === MULTIPART
    ? orUndefined(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    : undefined;
  return text === undefined
    ? { kind: "base64", base64: bytes.toBase64(), contentType }
    : textBody(text, type, contentType);
}

/** Returns the result of `decode`, or undefined if `decode` throws. */
function orUndefined<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function textBody(text: string, type: MediaType, contentType: string): RequestBody {
  const { essence, parameters } = type;
  if (isJson(essence) || (essence === "" && /^\s*[[{]/.test(text))) {
    const json = readJsonBody(text);
    if (json) return { kind: "json", value: json.value, text, contentType };
  }
  if (essence === MULTIPART) {
    const parts = parseMultipart(text, parameters.get("boundary") ?? "");
    if (parts) return { kind: "multipart", parts, contentType };
  }
  if (isBinary(text, essence)) {
    return { kind: "base64", base64: bytesOfText(text).toBase64(), contentType };
  }
  if (essence === FORM) return { kind: "form", fields: parseForm(text), contentType };
  return { kind: "text", text, contentType };
}

/**
 * Builds the body from `postData.params`, for recorders that do not write `postData.text`. Returns
 * undefined if `params` is empty. Throws BrokenEntry if a member has an unexpected type.
 */
function paramsBody(
  postData: JsonObject,
  { essence }: MediaType,
  contentType: string,
): RequestBody | undefined {
  const path = "request.postData.params";
  if (essence === MULTIPART) {
    const parts = objectsAt(postData.params, path).map(parsePart);
    return parts.length > 0 ? { kind: "multipart", parts, contentType } : undefined;
  }
  const fields = decodedFields(fieldsAt(postData.params, path));
  return fields.length > 0 ? { kind: "form", fields, contentType: contentType || FORM } : undefined;
}

function parsePart(param: JsonObject): FormPart {
  const path = "request.postData.params";
  const filename = textAt(param.fileName, `${path}.fileName`);
  const contentType = textAt(param.contentType, `${path}.contentType`);
  return {
    name: textAt(param.name, `${path}.name`) ?? "",
    ...partContent(textAt(param.value, `${path}.value`) ?? "", contentType),
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && { contentType }),
  };
}
