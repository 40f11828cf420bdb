import { ExchangeError } from "../../src/engine/http/exchange_error.ts";
import { KnownHeads } from "../../src/engine/http/known_head.ts";
import type { Limits } from "../../src/engine/http/response_limits.ts";
import { newResponse } from "../../src/engine/http/new_response.ts";
import { ReadBuffer } from "../../src/engine/http/read_buffers.ts";
import { ResponseParser } from "../../src/engine/http/response_parser.ts";
import type { ErrorKind, ResponseNeeds } from "../../src/engine/sender.ts";

/** What the parser made of some bytes. */
export interface Parsed {
  readonly error: ErrorKind | undefined;
  readonly done: boolean;
  readonly reusable: boolean;
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: string;
  readonly bodySize: number;
}

/** How the parser is fed. */
export interface Feeding {
  readonly method?: string;
  readonly wants?: ResponseNeeds;
  readonly limits?: Limits;
  /** What was read before, with the same `wants`; nothing when absent. */
  readonly heads?: KnownHeads;
  /** Where the bytes are cut in pieces, ascending. */
  readonly cuts?: readonly number[];
  /** Whether the peer closes after them. */
  readonly closes?: boolean;
}

/** Everything is wanted, unless a test says otherwise. */
export const EVERYTHING: ResponseNeeds = { headers: true, body: true };

/** Text of one byte a character, as bytes. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** Bytes as text of one byte a character. */
export function textOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** Feeds `bytes` to a new parser. Throws only what the parser must not throw. */
export function parsed(bytes: Uint8Array, feeding: Feeding = {}): Parsed {
  const { method = "GET", wants = EVERYTHING, cuts = [], heads = new KnownHeads() } = feeding;
  const parser = new ResponseParser(
    feeding.limits ?? { headers: 65_536, body: 1_000_000 },
    heads,
  );
  const reply = newResponse();
  parser.begin(method, wants, reply);
  let error: ErrorKind | undefined;
  try {
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      // A buffer of its own, longer than the piece: what lies behind must not be looked at.
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
  const { status, headers, bodySize } = reply;
  return {
    error,
    done,
    reusable,
    status,
    headers,
    body: textOf(reply.body),
    bodySize,
  };
}
