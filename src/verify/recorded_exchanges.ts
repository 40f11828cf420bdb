import { type Exchange, headerValue } from "../traffic/har/recording.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { hasClock } from "../traffic/session/recorded_call.ts";

/** Tolerance, in milliseconds, for recorders that truncate times. */
const TOLERANCE = 1;

/**
 * Start and end times of exchanges. If the recording has no times, the order of the exchanges is
 * used instead.
 */
export class RecordedTimes {
  readonly #timed: boolean;
  readonly #order: ReadonlyMap<Exchange, number>;
  /** Start times of the requests that follow redirects, keyed by the redirect. */
  readonly #followedAt = new Map<Exchange, number>();

  constructor(exchanges: readonly Exchange[]) {
    this.#timed = exchanges.length > 0 && hasClock(exchanges);
    this.#order = new Map(exchanges.map((exchange, order) => [exchange, order]));
    const byUrl = Map.groupBy(exchanges, ({ request }) => withoutFragment(request.url));
    for (const exchange of exchanges) {
      const next = byUrl.get(redirectTarget(exchange) ?? "")?.find((other) =>
        this.#order.get(other)! > this.#order.get(exchange)!
      );
      if (next !== undefined) this.#followedAt.set(exchange, next.startedAt);
    }
  }

  /** Returns a sort key for an exchange: the later it starts, the greater the key. */
  startOf(exchange: Exchange): number {
    return this.#timed ? exchange.startedAt : 2 * this.#order.get(exchange)!;
  }

  /**
   * Returns a sort key for the end of an exchange: the later it ends, the greater the key. A
   * redirect ends when the browser follows it, although some recorders report a later end.
   */
  endOf(exchange: Exchange): number {
    if (!this.#timed) return this.startOf(exchange) + 1;
    return Math.min(exchange.endedAt, this.#followedAt.get(exchange) ?? Infinity);
  }

  /** Reports whether the response of `first` ended before the request of `second` started. */
  isBefore(first: Exchange, second: Exchange): boolean {
    return first !== second && this.isInOrder(this.endOf(first), this.startOf(second));
  }

  /**
   * Reports whether a response that ended at `end` can provide a value to a request that started at
   * `start`.
   */
  isInOrder(end: number, start: number): boolean {
    return end <= start + (this.#timed ? TOLERANCE : 0);
  }
}

function redirectTarget({ request, response: { status, headers } }: Exchange): string | undefined {
  if (status < 300 || status >= 400) return undefined;
  const location = headerValue(headers, "location");
  const url = location === undefined ? undefined : URL.parse(location, request.url)?.href;
  return url === undefined ? undefined : withoutFragment(url);
}

function withoutFragment(url: string): string {
  return url.replace(/#.*/s, "");
}

/**
 * Reports whether the server chose when to send the content of a response: a WebSocket message, or
 * events in response to a safe request.
 */
export function isPushed({ socketPart, request, response }: Exchange): boolean {
  return socketPart === "receive" ||
    (response.mimeType.startsWith("text/event-stream") && isSafeMethod(request.method));
}

/** Matches names of response headers whose values clients do not send back. */
const IRRELEVANT =
  /^(?::.*|date|expires|age|vary|via|server|alt-svc|cache-control|content-(?!location).*|strict-.*|access-control-.*)$/i;

/** Reports whether a response header may contain values that later requests send. */
export function isSearched(header: string): boolean {
  return !IRRELEVANT.test(header);
}

/** Returns the strings of a response that may contain values that later requests send. */
export function responseTexts({ response: { headers, text } }: Exchange): string[] {
  const kept = headers.filter(({ name }) => isSearched(name)).map(({ value }) => value);
  return text === undefined ? kept : [...kept, text];
}

/** Writes text in one of the notations that a response can use for it. */
export type TextWriter = (text: string) => string;

/**
 * Kind of a response body, which determines the notation that values in the body most likely have.
 */
export type TextKind = "json" | "markup" | "other";

const plain: TextWriter = (text) => text;
const json: TextWriter = (text) => JSON.stringify(text).slice(1, -1);

function unicodeEscaped(text: string, characters: RegExp): string {
  return text.replace(characters, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const asciiJson: TextWriter = (text) => unicodeEscaped(json(text), /[^\0-\x7f]/g);
const escapedSlashes: TextWriter = (text) => text.replaceAll("/", "\\/");

function withEntities(entities: Readonly<Record<string, string>>): TextWriter {
  return (text) => text.replace(/[&<>"']/g, (c) => entities[c] ?? c);
}

const BASIC = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const JSON_WRITERS: readonly TextWriter[] = [
  json,
  (text) => escapedSlashes(json(text)),
  asciiJson,
  (text) => escapedSlashes(asciiJson(text)),
  (text) => unicodeEscaped(json(text), /[&<>]/g),
];

const MARKUP_WRITERS: readonly TextWriter[] = [
  ...["&#39;", "&#x27;", "&#039;", "'"].map((apostrophe) =>
    withEntities({ ...BASIC, '"': "&quot;", "'": apostrophe })
  ),
  withEntities({ ...BASIC, '"': "&#34;", "'": "&#39;" }),
  withEntities(BASIC),
  withEntities({ "&": "&amp;", "<": "&lt;", '"': "&quot;" }),
];

const URL_WRITERS: readonly TextWriter[] = [
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"),
];

const WRITERS: Readonly<Record<TextKind, readonly TextWriter[]>> = {
  json: [...JSON_WRITERS, ...MARKUP_WRITERS, ...URL_WRITERS, plain, escapedSlashes],
  markup: [...MARKUP_WRITERS, ...JSON_WRITERS, ...URL_WRITERS, plain, escapedSlashes],
  other: [plain, escapedSlashes, ...URL_WRITERS, ...JSON_WRITERS, ...MARKUP_WRITERS],
};

/** Matches text that every notation leaves unchanged. */
const UNCHANGED = /^[\w.~-]*$/;

/**
 * Returns the distinct forms in which a response may contain a value: plain, escaped or encoded.
 */
export function writtenForms(value: string): Set<string> {
  if (UNCHANGED.test(value)) return new Set([value]);
  return new Set(WRITERS.other.map((write) => write(value)));
}

/**
 * Returns a function that writes text in the notation of `form`, a written form of `value`. If
 * several notations apply, chooses the one that is most likely in a body of the given kind. If
 * `form` is not a form of `value`, the function returns text unchanged.
 */
export function writerOf(value: string, form: string, kind: TextKind): TextWriter {
  return WRITERS[kind].find((write) => write(value) === form) ?? plain;
}
