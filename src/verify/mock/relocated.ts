import { utf8Text } from "../../base/utf8.ts";
import type { MockResponse } from "./mock_response.ts";

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Moves a recorded response to another origin: replaces `from` with `to` in the headers and the
 * body, and removes the cookie attributes `Domain`, `Secure` and `SameSite=None`.
 */
export function relocated(
  { status, headers, body }: MockResponse,
  from: string,
  to: string,
  method: string,
): Response {
  const isStatus = status >= 200 && status <= 599;
  const response = new Response(
    method === "HEAD" || NO_BODY.has(status) ? null : movedBody(body, from, to),
    { status: isStatus ? status : 200 },
  );
  for (const [name, value] of headers) {
    const moved = name === "set-cookie" ? forAnyHost(value) : movedText(value, from, to);
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) response.headers.append(name, fieldValue(moved));
  }
  return response;
}

/** Removes the attributes of a cookie that bind it to a domain or to HTTPS. */
function forAnyHost(cookie: string): string {
  return cookie.replace(/;\s*(?:domain=[^;]*|secure|samesite=none)(?=;|$)/gi, "");
}

function movedText(text: string, from: string, to: string): string {
  const forms = [
    (url: string) => url,
    encodeURIComponent,
    (url: string) => url.replaceAll("/", "\\/"),
  ];
  return forms.reduce((moved, form) => moved.replaceAll(form(from), form(to)), text);
}

function movedBody(body: Uint8Array, from: string, to: string): BodyInit {
  const text = utf8Text(body);
  return text === undefined
    ? new Uint8Array(body)
    : new TextEncoder().encode(movedText(text, from, to));
}

/**
 * Encodes a header value as UTF-8 with one character per byte, because `Headers` accepts only such
 * strings.
 */
function fieldValue(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/[\0\r\n]/g, " "));
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
