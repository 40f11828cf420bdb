import { decoderFor } from "../../http/content.ts";
import { fromBase64 } from "./har_fields.ts";
import { isStaticAsset } from "../static_asset.ts";
import { countAt, fieldsAt, headerValue, type JsonObject, objectAt, textAt } from "./har_fields.ts";
import type { LongTexts } from "./long_texts.ts";
import { isJson, isText, type MediaType, parseMediaType } from "./media_type.ts";
import type { NameValue, RecordedRequest, RecordedResponse } from "./recording.ts";
import type { LongString } from "./scan/byte_scanner.ts";
import { decodeText, type StoredText, type TextRange, type TextStore } from "./text_store.ts";

/** Maximum length of a response body in characters. A longer body is treated as not recorded. */
const LONGEST_BODY = 16 * 2 ** 20;

/**
 * Maximum length of a static asset's body in characters. Settings and JSONP responses are usually
 * shorter, and script libraries are usually longer.
 */
const LONGEST_STATIC_BODY = 2 ** 15;

/**
 * Converts the `response` of a HAR entry. Stores the text of the body in `texts`, which decodes it
 * on each read. `long` contains the text of the body if a placeholder replaces it. Throws
 * BrokenEntry if a member has an unexpected type, and SyntaxError if this text is not valid JSON.
 */
export function recordedResponse(
  value: unknown,
  request: RecordedRequest,
  texts: TextStore,
  long: LongTexts,
): RecordedResponse {
  const response = objectAt(value, "response");
  const content = objectAt(response.content, "response.content");
  const headers = withLocation(fieldsAt(response.headers, "response.headers"), response);
  const type = contentType(content, headers);
  const isStatic = isStaticCall(request, type.essence);
  const stored = isStatic && !isText(type.essence)
    ? undefined
    : storeBody(content, type, isStatic ? LONGEST_STATIC_BODY : LONGEST_BODY, texts, long);
  const read = {
    status: countAt(response.status),
    headers,
    mimeType: type.essence,
    size: bodySize(content, response, headers, request),
  };
  if (stored !== undefined && "utf8" in stored) return new StoredResponse(read, stored);
  const unrecorded = value === undefined || value === null;
  return { ...read, ...(unrecorded && { unrecorded }), text: stored?.text() };
}

/** Reports whether `response` had a body that the recording does not contain as text. */
export function lacksBody(response: RecordedResponse): boolean {
  return response.size > 0 && !("utf8" in response) && response.text === undefined;
}

/** Returns a copy of `response` with `headers` instead of the original headers. */
export function withHeaders(
  response: RecordedResponse,
  headers: readonly NameValue[],
): RecordedResponse {
  return response instanceof StoredResponse
    ? response.withHeaders(headers)
    : { ...response, headers };
}

/**
 * A response whose body is decoded, and if necessary read from the file, each time it is needed.
 */
class StoredResponse implements RecordedResponse {
  readonly status: number;
  readonly headers: readonly NameValue[];
  readonly mimeType: string;
  readonly size: number;
  readonly #stored: StoredText;

  constructor(
    { status, headers, mimeType, size }: Omit<RecordedResponse, "text" | "utf8" | "range">,
    stored: StoredText,
  ) {
    this.status = status;
    this.headers = headers;
    this.mimeType = mimeType;
    this.size = size;
    this.#stored = stored;
  }

  withHeaders(headers: readonly NameValue[]): StoredResponse {
    const { status, mimeType, size } = this;
    return new StoredResponse({ status, headers, mimeType, size }, this.#stored);
  }

  get range(): TextRange | undefined {
    return this.#stored.range;
  }

  get text(): string {
    return this.#stored.text();
  }

  get utf8(): Uint8Array | undefined {
    return this.#stored.utf8;
  }
}

function contentType(content: JsonObject, headers: readonly NameValue[]): MediaType {
  const stated = parseMediaType(textAt(content.mimeType, "response.content.mimeType") ?? "");
  return stated.essence === ""
    ? parseMediaType(headerValue(headers, "content-type") ?? "")
    : stated;
}

/**
 * Stores the text of a response body. A base64 body is decoded if its media type is textual.
 * Returns undefined if the body is absent, longer than `longest` characters, or not text.
 */
function storeBody(
  content: JsonObject,
  type: MediaType,
  longest: number,
  texts: TextStore,
  long: LongTexts,
): StoredText | undefined {
  const cut = content.encoding === "base64" ? undefined : long.find(content.text);
  if (cut !== undefined && isLonger(cut, longest)) return undefined;
  if (cut?.isWellFormed()) return texts.putJson(cut);
  const text = textAt(long.restore(content.text), "response.content.text");
  if (text === undefined || text.length > longest) return undefined;
  if (content.encoding !== "base64") return texts.put(text);
  const bytes = isText(type.essence) ? fromBase64(text) : undefined;
  const charset = type.parameters.get("charset")?.toLowerCase() ?? "utf-8";
  return bytes && texts.put(decoderFor(charset).decode(bytes));
}

/**
 * Reports whether a string has more than `longest` UTF-16 code units. May return false if the
 * string contains lone surrogates.
 */
function isLonger(string: LongString, longest: number): boolean {
  const most = string.length - 2;
  if (most <= longest) return false;
  if (most > string.longestUnit * longest) return true;
  const utf8 = string.utf8();
  return utf8 !== undefined && decodeText(utf8).length > longest;
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
