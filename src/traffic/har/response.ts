import { decoderFor } from "../../http/content.ts";
import { isStaticAsset } from "../static_asset.ts";
import {
  countAt,
  fieldsAt,
  fromBase64,
  headerValue,
  type JsonObject,
  objectAt,
  textAt,
} from "./har_fields.ts";
import { isJson, isText, type MediaType, parseMediaType } from "./body_bytes.ts";
import type { NameValue, RecordedRequest, RecordedResponse } from "./recording.ts";

/** Maximum length of a response body in characters. A longer body is treated as not recorded. */
const LONGEST_BODY = 16 * 2 ** 20;

/**
 * Maximum length of a static asset's body in characters. Settings and JSONP responses are usually
 * shorter, and script libraries are usually longer.
 */
const LONGEST_STATIC_BODY = 2 ** 15;

/**
 * Converts the `response` of a HAR entry. Throws BrokenEntry if a member has an unexpected type.
 */
export function recordedResponse(value: unknown, request: RecordedRequest): RecordedResponse {
  const response = objectAt(value, "response");
  const content = objectAt(response.content, "response.content");
  const headers = withLocation(fieldsAt(response.headers, "response.headers"), response);
  const type = contentType(content, headers);
  const isStatic = isStaticCall(request, type.essence);
  const unrecorded = value === undefined || value === null;
  return {
    status: countAt(response.status),
    ...(unrecorded && { unrecorded }),
    headers,
    mimeType: type.essence,
    text: isStatic && !isText(type.essence)
      ? undefined
      : bodyText(content, type, isStatic ? LONGEST_STATIC_BODY : LONGEST_BODY),
    size: bodySize(content, response, headers, request),
  };
}

/** Reports whether `response` had a body that the recording does not contain as text. */
export function lacksBody({ size, text }: RecordedResponse): boolean {
  return size > 0 && text === undefined;
}

function contentType(content: JsonObject, headers: readonly NameValue[]): MediaType {
  const stated = parseMediaType(textAt(content.mimeType, "response.content.mimeType") ?? "");
  return stated.essence === ""
    ? parseMediaType(headerValue(headers, "content-type") ?? "")
    : stated;
}

/**
 * Returns the text of a response body. A base64 body is decoded if its media type is textual. Text
 * that is not base64 is returned unchanged, because some recorders state a wrong encoding.
 * Returns undefined if the body is absent, longer than `longest` characters, or not text.
 */
function bodyText(content: JsonObject, type: MediaType, longest: number): string | undefined {
  const text = textAt(content.text, "response.content.text");
  if (text === undefined || text.length > longest) return undefined;
  if (content.encoding !== "base64") return text;
  if (!isText(type.essence)) return undefined;
  const bytes = fromBase64(text);
  const charset = type.parameters.get("charset")?.toLowerCase() ?? "utf-8";
  return bytes === undefined ? text : decoderFor(charset).decode(bytes);
}

/** Adds a `Location` header from `redirectURL`, for recorders that omit it from the headers. */
function withLocation(headers: NameValue[], response: JsonObject): NameValue[] {
  const value = textAt(response.redirectURL, "response.redirectURL");
  if (!value || headerValue(headers, "location") !== undefined) return headers;
  return [...headers, { name: "Location", value }];
}

/**
 * Returns the recorded size of the body in bytes, or 0 if unknown. If the recorder lost the body,
 * the size may be recorded only in the `Content-Length` header. Ignores this header for responses
 * that never have a body: those to HEAD requests, and those with status 304.
 */
function bodySize(
  content: JsonObject,
  response: JsonObject,
  headers: readonly NameValue[],
  { method }: RecordedRequest,
): number {
  const size = countAt(content.size) || countAt(response.bodySize);
  if (size > 0) return size;
  if (method === "HEAD" || countAt(response.status) === 304) return 0;
  return countAt(headerValue(headers, "content-length"));
}

/**
 * Reports whether a recorded call is a GET or HEAD request that the browser itself sent for a
 * static asset. If the browser recorded that the page needs an asset, returns true for any response
 * except JSON, even for a redirect or an error page. Returns false for calls by page scripts,
 * regardless of the media type: Rails, for example, responds to them with `text/javascript`.
 */
export function isStaticCall(
  { method, url, purpose }: RecordedRequest,
  mimeType: string,
): boolean {
  if (purpose === "script" || !/^(?:GET|HEAD)$/i.test(method)) return false;
  return isStaticAsset(mimeType, url) || (purpose === "asset" && !isJson(mimeType));
}
