import { isStaticAsset } from "../static_asset.ts";
import { fieldsAt, headerValue, type JsonObject, objectAt, textAt } from "./har_fields.ts";
import { isText, type MediaType, parseMediaType } from "./media_type.ts";
import type { NameValue, RecordedRequest, RecordedResponse } from "./recording.ts";

/** Maximum length of a response body in characters. A longer body is treated as not recorded. */
const LONGEST_BODY = 16 * 2 ** 20;

/**
 * Maximum length of a static asset's body in characters. Settings and JSONP responses are usually
 * shorter, and script libraries are usually longer.
 */
const LONGEST_STATIC_BODY = 2 ** 15;

/**
 * Converts the `response` of a HAR entry. Stores the text of the body in `texts`, which decodes it
 * on each read. Throws BrokenEntry if a member has an unexpected type.
 */
export function recordedResponse(
  value: unknown,
  request: RecordedRequest,
  texts: TextStore,
): RecordedResponse {
  const response = objectAt(value, "response");
  const content = objectAt(response.content, "response.content");
  const headers = withLocation(fieldsAt(response.headers, "response.headers"), response);
  const type = contentType(content, headers);
  const isStatic = isStaticCall(request, type.essence);
  const text = isStatic && !isText(type.essence)
    ? undefined
    : bodyText(content, type, isStatic ? LONGEST_STATIC_BODY : LONGEST_BODY);
  const stored = text === undefined ? undefined : texts.put(text);
  return {
    status: countAt(response.status),
    ...((value === undefined || value === null) && { unrecorded: true }),
    headers,
    mimeType: type.essence,
    get text() {
      return stored?.();
    },
    size: countAt(content.size) || countAt(response.bodySize),
  };
}

function contentType(content: JsonObject, headers: readonly NameValue[]): MediaType {
  const stated = parseMediaType(textAt(content.mimeType, "response.content.mimeType") ?? "");
  return stated.essence === ""
    ? parseMediaType(headerValue(headers, "content-type") ?? "")
    : stated;
}

/**
 * Returns the text of a response body. A base64 body is decoded if its media type is textual. Returns
 * undefined if the body is absent, longer than `longest` characters, or not text.
 */
function bodyText(content: JsonObject, type: MediaType, longest: number): string | undefined {
  const text = textAt(content.text, "response.content.text");
  if (text === undefined || text.length > longest) return undefined;
  if (content.encoding !== "base64") return text;
  return isText(type.essence) ? decodedText(text, type.parameters.get("charset")) : undefined;
}

function decodedText(base64: string, charset = "utf-8"): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(base64);
    return new TextDecoder(isEncoding(charset) ? charset : "utf-8").decode(bytes);
  } catch {
    return undefined;
  }
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}

/** Adds a `Location` header from `redirectURL`, for recorders that omit it from the headers. */
function withLocation(headers: NameValue[], response: JsonObject): NameValue[] {
  const value = textAt(response.redirectURL, "response.redirectURL");
  if (!value || headerValue(headers, "location") !== undefined) return headers;
  return [...headers, { name: "Location", value }];
}

/**
 * Converts a number or a numeric string to a positive integer. Returns 0 for other values, such as -1
 * (unknown).
 */
function countAt(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

const SLAB = 4 * 2 ** 20;

/**
 * Stores response bodies as UTF-8 outside the garbage-collected heap, so that the garbage collector
 * never moves them. For a large recording, this halves the memory use and the time to read it.
 */
export class TextStore {
  readonly #encoder = new TextEncoder();
  #slab = new Uint8Array();
  #used = 0;

  /** Stores `text`. Returns a function that decodes and returns it on each call. */
  put(text: string): () => string {
    // UTF-8 cannot encode lone surrogates.
    if (!text.isWellFormed()) return () => text;
    return decoding(text.length > SLAB / 16 ? this.#encoder.encode(text) : this.#intoSlab(text));
  }

  #intoSlab(text: string): Uint8Array {
    if (this.#slab.length - this.#used < 3 * text.length) {
      this.#slab = new Uint8Array(SLAB);
      this.#used = 0;
    }
    const free = this.#slab.subarray(this.#used);
    const { written } = this.#encoder.encodeInto(text, free);
    this.#used += written;
    return free.subarray(0, written);
  }
}

/**
 * Returns a function that decodes `bytes`. The closure is created in a separate function, because all
 * closures of one function share their captured variables and would keep the original text alive.
 */
function decoding(bytes: Uint8Array): () => string {
  return () => DECODER.decode(bytes);
}

// Keep a byte order mark at the start of a body.
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reports whether a recorded call is a GET or HEAD request that the browser itself sent for a static
 * asset. Returns false for calls by page scripts, regardless of the media type: Rails, for example,
 * responds to them with `text/javascript`.
 */
export function isStaticCall(
  { method, url, byScript }: RecordedRequest,
  mimeType: string,
): boolean {
  return !byScript && /^(?:GET|HEAD)$/i.test(method) && isStaticAsset(mimeType, url);
}
