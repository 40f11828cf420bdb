import { ExchangeError } from "../../src/http/exchange_error.ts";
import { KnownHeads, ReadBuffer } from "../../src/http/connection.ts";
import type { Limits } from "../../src/http/network_options.ts";
import { ResponseParser } from "../../src/http/response_parser.ts";
import { type ErrorKind, HttpResponse, type ResponseNeeds } from "../../src/http/sender.ts";

/** The result of parsing bytes as an HTTP/1.1 response. */
export interface Parsed {
  readonly error: ErrorKind | undefined;
  readonly done: boolean;
  readonly reusable: boolean;
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: string;
  readonly excerpt: string;
  readonly bodySize: number;
}

/** Options for feeding bytes to the response parser. */
export interface Feeding {
  readonly method?: string;
  readonly needs?: ResponseNeeds;
  readonly limits?: Limits;
  /** Heads cached from earlier responses with the same `needs`. Empty by default. */
  readonly heads?: KnownHeads;
  /** Ascending offsets at which to split the bytes. */
  readonly cuts?: readonly number[];
  /** True if the peer closes the connection after the bytes. */
  readonly closes?: boolean;
}

/** Response needs that include the headers and the body. Tests use them by default. */
export const EVERYTHING: ResponseNeeds = { headers: true, body: true };

/** Encodes text with one byte per character. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** Decodes bytes as text with one byte per character. */
export function textOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/**
 * Feeds `bytes` to a new parser. Returns errors that a parser may report, and rethrows all others.
 */
export function parsed(bytes: Uint8Array, feeding: Feeding = {}): Parsed {
  const { method = "GET", needs = EVERYTHING, cuts = [], heads = new KnownHeads() } = feeding;
  const parser = new ResponseParser(
    feeding.limits ?? { headers: 65_536, body: 1_000_000 },
    heads,
  );
  const response = new HttpResponse();
  parser.begin(method, needs, response);
  let error: ErrorKind | undefined;
  try {
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      // The buffer is longer than the piece, because the parser must not read past the piece's end.
      const piece = new ReadBuffer(to - from + 1);
      piece.bytes.fill(0x41).set(bytes.subarray(from, to));
      if (to > from) parser.push(piece, to - from);
      from = to;
    }
    if (feeding.closes && !parser.done) parser.end();
  } catch (thrown) {
    if (!(thrown instanceof ExchangeError)) throw thrown;
    error = thrown.kind;
  }
  const { done, reusable } = parser;
  const { status, headers, bodySize } = response;
  return {
    error,
    done,
    reusable,
    status,
    headers,
    body: textOf(response.body),
    excerpt: textOf(response.excerpt),
    bodySize,
  };
}
