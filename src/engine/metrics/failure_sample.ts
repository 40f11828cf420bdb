import type { Redactor } from "../../base/redactor.ts";
import { bodyText, decodeContent } from "../../http/content.ts";
import { mayHoldCredentials } from "../../http/redirect.ts";
import type { HttpResponse, Outgoing } from "../../http/sender.ts";
import { isNamedSecret } from "../../traffic/session/secret_names.ts";
import { HIDDEN, withoutSecrets } from "../../traffic/session/secret_texts.ts";
import type { FailureStats } from "../summary/flow_stats.ts";

/** Request and response that are converted to a sample at the end of the run. */
export interface SampledExchange {
  /** The sent request. Its body may be truncated. */
  readonly request: Outgoing;
  /** Size of the request body in bytes. */
  readonly requestSize: number;
  /** Copy of the response. Its body may be shortened. */
  readonly response: HttpResponse;
}

/** Maximum length of a body or a URL in a sample, in UTF-16 code units. */
const MAX_TEXT = 2_000;
/** Maximum length of the part of a body that is searched for secrets, in UTF-16 code units. */
const MAX_SEARCHED = 8_000;
/** Maximum length of a header (name and value) in a sample, in UTF-16 code units. */
const MAX_HEADER = 300;
/** Maximum number of headers of a request or response in a sample. */
const MAX_HEADERS = 25;

/** Failed request and its response, for display. */
export type FailureSample = NonNullable<FailureStats["sample"]>;
type Header = readonly [name: string, value: string];

/**
 * Converts a failed exchange to a sample of limited size. Hides the secrets of the plan (`hide`),
 * cookies, and other values that look like credentials.
 */
export function failureSample(
  { request, requestSize, response }: SampledExchange,
  hide: Redactor,
): FailureSample {
  const { method, origin, target, headers, body } = request;
  const url = `http${origin.secure ? "s" : ""}://${origin.authority}${target}`;
  const sent = body && textOf(body, requestSize, contentType(headers), hide);
  return {
    request: {
      method,
      url: cut(withoutSecrets(hide(url)), MAX_TEXT),
      headers: shownHeaders(headers, hide),
      ...(sent !== undefined && { body: sent }),
    },
    ...(response.status > 0 && { response: sampledResponse(response, hide) }),
  };
}

function sampledResponse(response: HttpResponse, hide: Redactor): FailureSample["response"] {
  const { status, headers, bodySize } = response;
  const body = bodySize === 0 ? undefined : responseText(response, hide);
  return { status, headers: shownHeaders(headers, hide), ...(body !== undefined && { body }) };
}

/** Returns the text of the response body, or a note in parentheses if the text is not available. */
function responseText(response: HttpResponse, hide: Redactor): string {
  const { headers, bodySize, excerpt, error, message } = response;
  const body = response.body.length > 0 ? response.body : excerpt;
  const cause = error === undefined ? "" : `: ${hide(message ?? error)}`;
  if (body.length === 0) return `(${bodySize} bytes, not kept${cause})`;
  const type = contentType(headers);
  const isEncoded = headers.some(([name]) => name === "content-encoding");
  if (!isEncoded) {
    const text = textOf(body, bodySize, type, hide);
    return error === undefined ? text : `${text} (incomplete${cause})`;
  }
  if (body.length < bodySize || error !== undefined) {
    return `(${bodySize} bytes, compressed and incomplete${cause})`;
  }
  try {
    const decoded = decodeContent({ ...response, body });
    return textOf(decoded, decoded.length, type, hide);
  } catch (error) {
    return `(${(error as Error).message})`;
  }
}

function textOf(body: Uint8Array, size: number, type: string, hide: Redactor): string {
  const text = bodyText(body, type, body.length < size);
  if (text === undefined) return `(${size} bytes of ${cut(type, 100) || "unknown type"})`;
  // Hides secrets before shortening the text, because part of a secret would not be recognized.
  return cut(withoutSecrets(hide(text.slice(0, MAX_SEARCHED))), MAX_TEXT);
}

function shownHeaders(headers: readonly Header[], hide: Redactor): string[] {
  return headers.slice(0, MAX_HEADERS).map(([name, value]) => {
    const shown = withoutSecrets(hide(withoutCredentials(name.toLowerCase(), value)));
    return cut(`${name}: ${shown}`, MAX_HEADER);
  });
}

function withoutCredentials(name: string, value: string): string {
  if (name === "cookie") return value.replace(/=[^;]*/g, `=${HIDDEN}`);
  if (name === "set-cookie") return value.replace(/=[^;]*/, `=${HIDDEN}`);
  if (/^(?:proxy-)?authorization$/.test(name)) return value.replace(/^(\w+ )?.*$/s, `$1${HIDDEN}`);
  return mayHoldCredentials(name) || isNamedSecret(name, value) ? HIDDEN : value;
}

function contentType(headers: readonly Header[]): string {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].toLowerCase() ?? "";
}

/** Shortens text to `most` UTF-16 code units, and appends `…` if it was longer. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
