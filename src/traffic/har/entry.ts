import { decoderFor } from "../../http/content.ts";
import { isStaticAsset } from "../static_asset.ts";
import { isJson, isText, type MediaType, parseMediaType } from "./body_bytes.ts";
import {
  BrokenEntry,
  countAt,
  type Exchange,
  fieldsAt,
  fromBase64,
  headerValue,
  type JsonObject,
  type NameValue,
  objectAt,
  type RecordedEvent,
  type RecordedRequest,
  type RecordedResponse,
  type RequestPurpose,
  textAt,
} from "./recording.ts";
import { queryText, recordedBody } from "./request_body.ts";
import { eventStreamText, recordedEvents, recordedMessages } from "./socket_messages.ts";

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Converts a parsed element of `log.entries` to an exchange. If the entry has no valid start time,
 * uses `after` (Unix milliseconds or NaN). Throws BrokenEntry if the entry cannot be used.
 */
export function parseEntry(entry: unknown, index: number, after: number): Exchange {
  const fields = objectAt(entry, "the entry");
  const request = recordedRequest(objectAt(fields.request, "request"), fields._resourceType);
  const startedAt = parseStart(fields.startedDateTime) ?? after;
  const events = recordedEvents(fields._eventSourceMessages);
  const messages = recordedMessages(fields._webSocketMessages, startedAt);
  const worker = parseWorker(fields);
  const cached = isCached(fields);
  const page = textAt(fields.pageref, "pageref");
  const endedAt = startedAt + totalTime(fields);
  const response = recordedResponse(withEvents(fields.response, events), request);
  return {
    index,
    page,
    startedAt,
    endedAt,
    request,
    response,
    ...(worker !== undefined && { worker }),
    ...(cached && { cached }),
    ...(messages !== undefined && { messages }),
    ...(events !== undefined && { events }),
  };
}

/**
 * Returns the response `value`, or a copy with the recorded events as its body if it has no body.
 * Chromium does not record a body for a stream that is still open.
 */
function withEvents(value: unknown, events: readonly RecordedEvent[] = []): unknown {
  if (events.length === 0) return value;
  const response = objectAt(value, "response");
  const content = objectAt(response.content, "response.content");
  if (content.text) return value;
  return { ...response, content: { ...content, text: eventStreamText(events) } };
}

/**
 * Returns the role of a service worker in a call, or undefined if none was recorded. Playwright
 * marks requests from workers; the developer tools of Chromium and Safari mark responses from
 * workers.
 */
function parseWorker({ _serviceWorkerRef, _fetchType, response }: JsonObject): Exchange["worker"] {
  if (typeof _serviceWorkerRef === "string") return "sent";
  return objectAt(response, "response")._fetchedViaServiceWorker === true ||
      _fetchType === "Service Worker"
    ? "handled"
    : undefined;
}

/**
 * Reports whether the response comes from a cache of the browser. Chromium states the cache in
 * `_fromCache`, and Safari in `_fetchType`.
 */
function isCached({ _fromCache, _fetchType }: JsonObject): boolean {
  return Boolean(_fromCache) || /cache/i.test(String(_fetchType));
}

function recordedRequest(request: JsonObject, resourceType: unknown): RecordedRequest {
  const handshake = /^wss?:/i.test(String(request.url)) ? "GET" : undefined;
  const method = textAt(request.method, "request.method") || handshake;
  if (!method) throw new BrokenEntry("request.method is missing");
  if (!METHOD.test(method)) throw new BrokenEntry("request.method is not an HTTP method");
  const cookie = listedCookies(request.cookies).map(({ pair }) => pair).join("; ");
  const recorded = fieldsAt(request.headers, "request.headers");
  const headers = withAbsent(recorded, "Cookie", cookie === "" ? [] : [cookie]);
  const purpose = requestPurpose(headers, resourceType);
  const url = parseUrl(request, method);
  const { body, isIncomplete, isDecoded } = recordedBody(request, headers);
  return {
    method,
    url,
    headers: isDecoded
      ? headers.filter(({ name }) => name.toLowerCase() !== "content-encoding")
      : headers,
    body,
    ...(purpose !== undefined && { purpose }),
    ...(isIncomplete && { bodyMissing: true }),
  };
}

function parseUrl(request: JsonObject, method: string): string {
  const url = textAt(request.url, "request.url");
  if (!url) throw new BrokenEntry("request.url is missing");
  if (method === "CONNECT") return url;
  if (!URL.canParse(url)) throw new BrokenEntry("request.url is not an absolute URL");
  if (url.includes("?")) return url;
  return url.replace(
    /(?=#)|$/,
    () => queryText(fieldsAt(request.queryString, "request.queryString")),
  );
}

function parseStart(startedDateTime: unknown): number | undefined {
  if (typeof startedDateTime !== "string") return undefined;
  const ms = Date.parse(startedDateTime);
  if (Number.isNaN(ms)) return undefined;
  const finer = /\.\d{3}(\d+)/.exec(startedDateTime)?.[1];
  return finer === undefined ? ms : ms + Number(`0.${finer}`);
}

/** Maximum rounding error of the sum of the phases of an exchange, in milliseconds. */
const ROUNDING_MS = 0.01;

/**
 * Returns the duration of an exchange in milliseconds: `time`, or the sum of the `timings` if
 * `time` is missing. The phase `ssl` is a part of `connect`. If `time` counts it twice, as in the
 * recordings of Playwright, subtracts it. Returns 0 if neither is known. Throws BrokenEntry if
 * `time` is missing and `timings` is not an object.
 */
function totalTime(entry: JsonObject): number {
  const { time, timings } = entry;
  if (!isDuration(time)) return sumOfPhases(objectAt(timings, "timings"));
  const ssl = (timings as JsonObject | null | undefined)?.ssl;
  if (!isDuration(ssl) || ssl === 0) return time;
  const sum = sumOfPhases(timings as JsonObject);
  return Math.abs(sum + ssl - time) < ROUNDING_MS ? sum : time;
}

function sumOfPhases({ ssl: _withinConnect, ...phases }: JsonObject): number {
  return Object.values(phases).filter(isDuration).reduce((sum, ms) => sum + ms, 0);
}

/** A longer duration is a mistake of the recorder: a year. */
const LONGEST_MS = 365 * 86_400_000;

function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LONGEST_MS;
}

/**
 * Joins the two entries that a browser records if a service worker forwards a page's request to the
 * server: the page's entry and the worker's entry. Only the worker's entry has the headers that
 * were sent and received, such as cookies. Only the page's entry always has the body of the
 * response. `exchanges` must be sorted by start time. Keeps the position of the page's entry.
 */
export function joinForwarded(exchanges: Exchange[]): Exchange[] {
  if (!exchanges.some(({ worker }) => worker !== undefined)) return exchanges;
  const forwarded = new Set<Exchange>();
  const joined = exchanges.map((page, i) => {
    if (page.worker === "sent" || forwarded.has(page)) return page;
    for (let j = i + 1; j < exchanges.length && exchanges[j].startedAt <= page.endedAt; j++) {
      const own = exchanges[j];
      if (forwarded.has(own) || !isForwarded(page, own)) continue;
      forwarded.add(own);
      const request = { ...page.request, headers: own.request.headers };
      const { worker: _, ...rest } = page;
      return { ...rest, request, response: { ...page.response, headers: own.response.headers } };
    }
    return page;
  });
  return joined.filter((_, i) => !forwarded.has(exchanges[i]));
}

/**
 * Reports whether `own` may be the request that a service worker sent to forward `page`, the
 * request of a page.
 */
function isForwarded(page: Exchange, own: Exchange): boolean {
  const isOwn = own.worker === "sent" || (page.worker === "handled" && own.worker === undefined);
  return isOwn && own.response.status === page.response.status &&
    isSame(page.request, own.request);
}

function isSame(page: RecordedRequest, own: RecordedRequest): boolean {
  return page.method === own.method && page.url === own.url &&
    JSON.stringify(page.body) === JSON.stringify(own.body);
}

const SCRIPTED = /^(?:xhr|fetch|ping|beacon)$/i;
const ASSET = /^(?:script|stylesheet|image|font|media|texttrack|manifest)$/i;
const ASSET_DESTINATION =
  /^(?:audio|font|image|manifest|script|style|track|video|xslt|\w*worker|\w+worklet)$/;

/**
 * Returns the purpose of a request according to Chromium's `_resourceType` and the headers that
 * browsers and libraries send, regardless of the response. Returns undefined if it is unknown, or
 * if the request is for a page.
 */
function requestPurpose(
  headers: readonly NameValue[],
  resourceType: unknown,
): RequestPurpose | undefined {
  const type = typeof resourceType === "string" ? resourceType : "";
  if (SCRIPTED.test(type)) return "script";
  // Android's WebView and Flash send this header with other values, even for images.
  if (headerValue(headers, "x-requested-with")?.toLowerCase() === "xmlhttprequest") return "script";
  const destination = headerValue(headers, "sec-fetch-dest") ?? "";
  if (ASSET.test(type) || ASSET_DESTINATION.test(destination)) return "asset";
  if (destination !== "empty") return undefined;
  // Prefetches that the page itself requests also have an empty destination.
  const purpose = headerValue(headers, "sec-purpose") ?? headerValue(headers, "purpose");
  return purpose?.includes("prefetch") ? undefined : "script";
}

/** Maximum length of a response body in characters. A longer body is treated as not recorded. */
const LONGEST_BODY = 16 * 2 ** 20;

/**
 * Maximum length of a static asset's body in characters. Settings and JSONP responses are usually
 * shorter, and script libraries are usually longer.
 */
const LONGEST_STATIC_BODY = 2 ** 15;

function recordedResponse(value: unknown, request: RecordedRequest): RecordedResponse {
  const response = objectAt(value, "response");
  const content = objectAt(response.content, "response.content");
  const location = textAt(response.redirectURL, "response.redirectURL");
  const recorded = fieldsAt(response.headers, "response.headers");
  const headers = withAbsent(
    withAbsent(recorded, "Location", location ? [location] : []),
    "Set-Cookie",
    listedCookies(response.cookies).map(({ pair, path }) => path ? `${pair}; Path=${path}` : pair),
  );
  const type = contentType(content, headers);
  const isStatic = isStaticCall(request, type.essence);
  const unrecorded = value === undefined || value === null;
  const size = bodySize(content, response, headers, request);
  const text = isStatic && !isText(type.essence)
    ? undefined
    : bodyText(content, type, isStatic ? LONGEST_STATIC_BODY : LONGEST_BODY);
  // Recorders also write an empty text for a body that they lost. A coded empty body has a size.
  const isLost = text === "" && size > 0 && !headerValue(headers, "content-encoding");
  return {
    status: countAt(response.status),
    ...(unrecorded && { unrecorded }),
    headers,
    mimeType: type.essence,
    text: isLost ? undefined : text,
    size,
  };
}

/** Reports whether a response had a body that the recording lacks as text. */
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
 * that is not base64 is returned unchanged, because some recorders state a wrong encoding. Returns
 * undefined if the body is absent, longer than `longest` characters, or not text.
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

/** Adds a header for each value, unless `headers` contains one with this name. */
function withAbsent(headers: NameValue[], name: string, values: readonly string[]): NameValue[] {
  return values.length === 0 || headerValue(headers, name.toLowerCase()) !== undefined
    ? headers
    : [...headers, ...values.map((value) => ({ name, value }))];
}

/** Returns the cookies in a list of a HAR, which some recorders write without the header. */
function listedCookies(cookies: unknown): { readonly pair: string; readonly path: string }[] {
  const listed: unknown[] = Array.isArray(cookies) ? cookies : [];
  return listed.map(Object).filter(({ name }) => name)
    .map(({ name, value, path }) => ({ pair: `${name}=${value ?? ""}`, path: path ?? "" }));
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
