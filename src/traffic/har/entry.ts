import { decoderFor } from "../../http/content.ts";
import { isStaticAsset } from "../static_asset.ts";
import { isJson, isText, type MediaType, parseMediaType } from "./media_type.ts";
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
import { recordedEvents, recordedMessages } from "./socket_messages.ts";

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Converts an entry. `after` (in ms) replaces an invalid start time. Throws BrokenEntry. */
export function parseEntry(entry: unknown, index: number, after: number): Exchange {
  const fields = objectAt(entry, "the entry");
  const request = recordedRequest(objectAt(fields.request, "request"), fields._resourceType);
  const startedAt = parseStart(fields.startedDateTime) ?? after;
  const events = recordedEvents(fields._eventSourceMessages);
  const messages = recordedMessages(fields._webSocketMessages, startedAt);
  const worker = parseWorker(fields);
  const cached = isCached(fields);
  const redirected = isInternalRedirect(fields);
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
    ...(redirected && { redirected }),
    ...(messages !== undefined && { messages }),
    ...(events !== undefined && { events }),
  };
}

/** Makes the events the body: Chromium records none for a stream that is still open. */
function withEvents(value: unknown, events: readonly RecordedEvent[] = []): unknown {
  if (events.length === 0) return value;
  const response = objectAt(value, "response");
  const content = objectAt(response.content, "response.content");
  if (content.text) return value;
  return { ...response, content: { ...content, text: eventStreamText(events) } };
}

/** Playwright marks requests from workers; Chromium and Safari mark responses from workers. */
function parseWorker({ _serviceWorkerRef, _fetchType, response }: JsonObject): Exchange["worker"] {
  if (typeof _serviceWorkerRef === "string") return "sent";
  return objectAt(response, "response")._fetchedViaServiceWorker === true ||
      _fetchType === "Service Worker"
    ? "handled"
    : undefined;
}

/** Chromium states the browser's cache in `_fromCache`, and Safari in `_fetchType`. */
function isCached({ _fromCache, _fetchType }: JsonObject): boolean {
  return Boolean(_fromCache) || /cache/i.test(String(_fetchType));
}

/** Chromium records redirects that it makes itself, for HSTS for example, as responses. */
function isInternalRedirect({ response }: JsonObject): boolean {
  const { status, statusText } = objectAt(response, "response");
  return status === 307 && statusText === "Internal Redirect";
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
 * Milliseconds: `time`, or the sum of the `timings`. Subtracts `ssl`, a part of `connect`, if
 * `time` counts it twice, as in the recordings of Playwright.
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
 * Joins the entries of a page's request that a service worker forwarded. Only the worker's entry
 * has the headers that were sent and received, and only the page's entry always has the response's
 * body. `exchanges` must be sorted by start time.
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

/** Reports whether a service worker may have sent `own` to forward `page`. */
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

/** Decides by Chromium's `_resourceType` and what browsers send, regardless of the response. */
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

/** Static assets with settings and JSONP responses are usually shorter than script libraries. */
const LONGEST_STATIC_BODY = 2 ** 15;

/** Maximum size of an empty body in a content coding, in bytes: gzip needs 20, and chunks more. */
const LONGEST_CODED_EMPTY = 40;

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
  const isCoded = headerValue(headers, "content-encoding") !== undefined;
  const isBodiless = /^(?:204|3\d\d)$/.test(String(response.status));
  const isCodedEmpty = isCoded && (isBodiless || size <= LONGEST_CODED_EMPTY);
  // Chromium writes an empty text for a file that it had in its cache, also after it asked again.
  const isFromCache = !isBodiless && (response._transferSize === 0 ||
    /^GET$/i.test(request.method) && isStaticAsset(type.essence, request.url));
  const isLost = text === "" && (isFromCache || size > 0 && !isCodedEmpty);
  return {
    status: countAt(response.status),
    ...(unrecorded && { unrecorded }),
    headers,
    mimeType: type.essence,
    text: isLost ? undefined : text,
    size,
    ...(isLost && { bodyMissing: true }),
  };
}

/** Reports whether a response had a body that the recording lacks as text. */
export function lacksBody({ size, text, bodyMissing }: RecordedResponse): boolean {
  return (bodyMissing ?? size > 0) && text === undefined;
}

function contentType(content: JsonObject, headers: readonly NameValue[]): MediaType {
  const stated = parseMediaType(textAt(content.mimeType, "response.content.mimeType") ?? "");
  return stated.essence === ""
    ? parseMediaType(headerValue(headers, "content-type") ?? "")
    : stated;
}

/** Decodes base64 of textual types. Keeps other text, because some recorders state it wrongly. */
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

/** Uses `Content-Length` if the recorder lost the body, unless the response never has one. */
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
 * Reports whether a browser sent a GET or HEAD for a static asset, by its record (then also for an
 * error page) or the media type. Calls by scripts do not count: Rails responds with JavaScript.
 */
export function isStaticCall(
  { method, url, purpose }: RecordedRequest,
  mimeType: string,
): boolean {
  if (purpose === "script" || !/^(?:GET|HEAD)$/i.test(method)) return false;
  return isStaticAsset(mimeType, url) || (purpose === "asset" && !isJson(mimeType));
}

/** Formats events as the body of a response with the media type `text/event-stream`. */
function eventStreamText(events: readonly RecordedEvent[]): string {
  return events.map(({ name, id, data }) =>
    (name === undefined ? "" : `event: ${name}\n`) +
    (id === undefined ? "" : `id: ${id}\n`) +
    data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join("") + "\n"
  ).join("");
}
