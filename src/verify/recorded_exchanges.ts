import type { Exchange } from "../traffic/har/recording.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { redirectTarget } from "../traffic/session/kept_calls.ts";
import { hasClock } from "../traffic/session/recorded_call.ts";

/** Tolerance, in milliseconds, for recorders that truncate times. */
const TOLERANCE = 1;

/** Start and end times of exchanges. Without times in the recording, their order. */
export class RecordedTimes {
  readonly #tolerance: number;
  readonly #starts = new Map<Exchange, number>();
  readonly #ends = new Map<Exchange, number>();

  constructor(exchanges: readonly Exchange[]) {
    const isTimed = exchanges.length > 0 && hasClock(exchanges);
    this.#tolerance = isTimed ? TOLERANCE : 0;
    const numbered = exchanges.map((exchange, order) => ({ exchange, order }));
    const byUrl = Map.groupBy(numbered, ({ exchange }) => exchange.request.url.replace(/#.*/s, ""));
    for (const { exchange, order } of numbered) {
      const { startedAt, endedAt } = exchange;
      // A redirect ends when the browser follows it, although some recorders report a later end.
      const followed = byUrl.get(redirectTarget({ exchange }) ?? "")
        ?.find((other) => other.order > order)?.exchange;
      this.#starts.set(exchange, isTimed ? startedAt : 2 * order);
      this.#ends.set(
        exchange,
        isTimed ? Math.min(endedAt, followed?.startedAt ?? Infinity) : 2 * order + 1,
      );
    }
  }

  /** Returns a sort key for the start of an exchange. */
  startOf(exchange: Exchange): number {
    return this.#starts.get(exchange)!;
  }

  /** Returns a sort key for the end of an exchange. */
  endOf(exchange: Exchange): number {
    return this.#ends.get(exchange)!;
  }

  /** Reports whether the response of `first` ended before the request of `second` started. */
  isBefore(first: Exchange, second: Exchange): boolean {
    return first !== second && this.isInOrder(this.endOf(first), this.startOf(second));
  }

  /** Reports whether a response that ended at `end` can provide a value to a request at `start`. */
  isInOrder(end: number, start: number): boolean {
    return end <= start + this.#tolerance;
  }
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
