import type { Redactor } from "../../base/redactor.ts";
import { bodyText, decodeContent } from "../../http/content.ts";
import { mayHoldCredentials } from "../../http/redirect.ts";
import {
  type ErrorKind,
  type HttpResponse,
  MAX_EXCERPT,
  type Outgoing,
  type ResponseNeeds,
} from "../../http/sender.ts";
import { isNamedSecret } from "../../traffic/session/secret_names.ts";
import { HIDDEN, withoutSecrets } from "../../traffic/session/secret_texts.ts";
import type { FailureStats } from "../summary/flow_stats.ts";
import type { Counts, LiveRow } from "./counts.ts";
import type { EndpointKey } from "./metrics.ts";

/**
 * Reason why a request failed. Undefined if the request passed or failed only because of its
 * status.
 */
export type Fault = {
  readonly kind: ErrorKind;
  readonly message: string;
  /**
   * Returns details to append to the message, without secrets. Called only for the first error of
   * an endpoint and kind. `hide` removes the secrets of the plan.
   */
  readonly details?: (hide: Redactor) => string;
} | undefined;

/** Maximum number of samples of failed requests in a run. Limits the size of the summary. */
const MAX_SAMPLES = 25;

/** Maximum size, in bytes, of a body that is kept in full until the end of the run. */
const MAX_KEPT = 65_536;

function shortened<Body extends Uint8Array | undefined>(body: Body): Body | Uint8Array {
  return body !== undefined && body.length > MAX_KEPT ? body.slice(0, MAX_EXCERPT) : body;
}

/**
 * Maximum number of failed requests with the same status and kind of error that are examined to
 * find a complete response.
 */
const MAX_ATTEMPTS = 4;

const ALWAYS_KEPT: ReadonlySet<string> = new Set([
  "set-cookie",
  "location",
  "content-type",
  "content-encoding",
]);

function isKept({ headers, body, excerpt, bodySize }: HttpResponse, needs: ResponseNeeds): boolean {
  return (body.length > 0 || excerpt.length > 0 || bodySize === 0) &&
    (needs.headers || headers.some(([name]) => !ALWAYS_KEPT.has(name)));
}

/**
 * Counts errors and failed requests by endpoint and kind of error, with the first message of each,
 * and keeps samples of some failed requests.
 */
export class FailureLog {
  readonly #counts: Counts;
  readonly #hide: Redactor;
  readonly #kept = new Map<
    LiveRow<"failures">,
    { exchange?: SampledExchange; attemptsLeft: number }
  >();
  /** Number of samples that the run may still keep. */
  #left = MAX_SAMPLES;

  constructor(counts: Counts, hide: Redactor) {
    this.#counts = counts;
    this.#hide = hide;
  }

  addError(
    { kind, message, details }: NonNullable<Fault>,
    { scenario, name }: Pick<EndpointKey, "scenario" | "name">,
  ): void {
    const row = this.#counts.row("errors", { kind, scenario, name });
    if (row.count++ === 0) row.message = this.#hide(message) + (details?.(this.#hide) ?? "");
  }

  /**
   * Returns the row of the requests to an endpoint that failed with this status and error. Status 0
   * means that there was no response.
   */
  row(
    { scenario, group, name, method }: EndpointKey,
    status: number,
    fault: Fault,
  ): LiveRow<"failures"> {
    const labels = { scenario, group, name, method, status, kind: fault?.kind };
    const row = this.#counts.row("failures", labels);
    if (fault) row.message ??= this.#hide(fault.message);
    return row;
  }

  /**
   * Keeps the exchange as the sample of `row`, unless it has a complete one or the run has enough
   * samples. Returns true if parts of the response are missing: a later failure must then be kept
   * in full.
   */
  keep(row: LiveRow<"failures">, request: Outgoing, response: HttpResponse): boolean {
    const kept = this.#kept.get(row) ?? { attemptsLeft: this.#left-- > 0 ? MAX_ATTEMPTS : 0 };
    this.#kept.set(row, kept);
    if (kept.attemptsLeft === 0) return false;
    const isComplete = response.status === 0 || isKept(response, request.needs);
    kept.attemptsLeft = isComplete ? 0 : kept.attemptsLeft - 1;
    if (kept.exchange !== undefined && !isComplete) return kept.attemptsLeft > 0;
    kept.exchange = {
      request: { ...request, body: shortened(request.body) },
      requestSize: request.body?.length ?? 0,
      // A response without headers keeps its array, which then receives the headers of the next
      // response.
      response: { ...response, headers: [...response.headers], body: shortened(response.body) },
    };
    return kept.attemptsLeft > 0;
  }

  /** Converts the kept exchanges to samples without secrets. Call it after the run. */
  makeSamples(): void {
    for (const [row, { exchange }] of this.#kept) {
      if (exchange !== undefined) row.sample ??= failureSample(exchange, this.#hide);
    }
  }
}

/** Removes all samples of failures except the first `MAX_SAMPLES`. */
export function limitSamples(failures: readonly FailureStats[]): FailureStats[] {
  let left = MAX_SAMPLES;
  return failures.map((failure) => {
    if (failure.sample === undefined || left-- > 0) return failure;
    const { sample: _, ...rest } = failure;
    return rest;
  });
}

/** Request and response that are converted to a sample at the end of the run. */
export interface SampledExchange {
  readonly request: Outgoing;
  readonly requestSize: number;
  readonly response: HttpResponse;
}

/** Maximum length of a body or a URL in a sample, in UTF-16 code units. */
const MAX_TEXT = 2_000;
/** Maximum length of the part of a body that is searched for secrets, in UTF-16 code units. */
const MAX_SEARCHED = 8_000;
/** Maximum length of a header (name and value) in a sample, in UTF-16 code units. */
const MAX_HEADER = 300;
const MAX_HEADERS = 25;

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
