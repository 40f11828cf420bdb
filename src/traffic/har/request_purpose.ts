import { headerValue } from "./har_fields.ts";
import type { NameValue, RequestPurpose } from "./recording.ts";

/** Matches Chromium's resource types for calls by scripts. */
const SCRIPTED = /^(?:xhr|fetch|ping|beacon)$/i;
/** Matches Chromium's resource types for assets. */
const ASSET = /^(?:script|stylesheet|image|font|media|texttrack|manifest)$/i;
/** Matches values of `Sec-Fetch-Dest` for assets. */
const ASSET_DESTINATION =
  /^(?:audio|font|image|manifest|script|style|track|video|xslt|\w*worker|\w+worklet)$/;

/**
 * Returns the purpose of a request according to Chromium's `_resourceType` and the headers that
 * browsers and libraries send, regardless of the response. Returns undefined if it is unknown, or
 * if the request is for a page.
 */
export function requestPurpose(
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
