import { concat } from "../base/bytes/byte_source.ts";
import { ExchangeError } from "./exchange_error.ts";
import { HpackEncoder } from "./hpack.ts";
import { FLAG, FRAME, FRAME_HEAD, MAX_FRAME } from "./http2_frames.ts";
import type { Outgoing } from "./sender.ts";

const encoder = new TextEncoder();
const hpack = new HpackEncoder();
/** Methods whose requests have a Content-Length header even without a body. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Headers that the encoder writes itself. It ignores those of the request. */
const FRAMING: ReadonlySet<string> = new Set(["connection", "content-length", "transfer-encoding"]);
/** Request headers that HTTP/2 forbids or that the encoder writes itself. */
const NOT_IN_HTTP2: ReadonlySet<string> = new Set([
  ...["connection", "content-length", "host", "http2-settings", "keep-alive", "proxy-connection"],
  ...["te", "transfer-encoding", "upgrade"],
]);
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const BREAKS = /[\0\r\n]/;
const NOT_IN_TARGET = /[\0-\x20\x7f]/;

/**
 * Encodes a request for HTTP/1.1. Throws `ExchangeError` (`protocol`) if the target is empty, or
 * for characters, such as line breaks, that would change the structure of the request.
 */
export function encodeRequest(request: Outgoing, keepAlive: boolean): Uint8Array {
  const head = encoder.encode(encodeHead(request, keepAlive));
  const { body } = request;
  if (body === undefined || body.length === 0) return head;
  return concat([head, body]);
}

function encodeHead(request: Outgoing, keepAlive: boolean): string {
  checkSendable(request);
  const { method, target, headers, body } = request;
  let text = `${method} ${target} HTTP/1.1\r\n`;
  let host: string | undefined;
  let rest = "";
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === "host") host = value;
    else if (!FRAMING.has(lower)) rest += `${name}: ${value}\r\n`;
  }
  text += `Host: ${host ?? request.origin.authority}\r\n${rest}`;
  if (body !== undefined || METHODS_WITH_BODY.has(method)) {
    text += `Content-Length: ${body?.length ?? 0}\r\n`;
  }
  return text + (keepAlive ? "\r\n" : "Connection: close\r\n\r\n");
}

/**
 * Encodes the head of a request for HTTP/2 in frames with the stream ID 0. `announcesTable` states
 * in it that it uses no dynamic table. Throws like `encodeRequest`.
 */
export function encodeHttp2Head(request: Outgoing, announcesTable = false): Uint8Array {
  checkSendable(request);
  const { method, origin, target, headers, body } = request;
  const host = headers.findLast(([name]) => name.toLowerCase() === "host");
  if (announcesTable) hpack.announceTable();
  hpack.add(":method", method);
  hpack.add(":scheme", origin.secure ? "https" : "http");
  hpack.add(":authority", host?.[1] ?? origin.authority);
  hpack.add(":path", target);
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (!NOT_IN_HTTP2.has(lower)) hpack.add(lower, value.trim());
  }
  if (body !== undefined) hpack.add("content-length", `${body.length}`);
  return intoFrames(hpack.take(), body === undefined || body.length === 0);
}

function intoFrames(block: Uint8Array, endsStream: boolean): Uint8Array {
  const count = Math.ceil(block.length / MAX_FRAME);
  const frames = new Uint8Array(block.length + count * FRAME_HEAD);
  for (let i = 0, at = 0; i < count; i++) {
    const part = count === 1 ? block : block.subarray(i * MAX_FRAME, (i + 1) * MAX_FRAME);
    frames[at++] = part.length >> 16;
    frames[at++] = part.length >> 8;
    frames[at++] = part.length;
    frames[at++] = i === 0 ? FRAME.HEADERS : FRAME.CONTINUATION;
    frames[at++] = (i === count - 1 ? FLAG.END_HEADERS : 0) |
      (i === 0 && endsStream ? FLAG.END_STREAM : 0);
    frames.set(part, at += 4);
    at += part.length;
  }
  return frames;
}

/** Throws `ExchangeError` for a text that would change the structure of the request. */
export function checkSendable({ method, target, headers }: Outgoing): void {
  if (!NAME.test(method)) throw unsendable(`"${method}" is not a valid method`);
  if (target === "" || NOT_IN_TARGET.test(target)) {
    throw unsendable(
      "its URL is empty, or contains a space or control character that must be percent-encoded",
    );
  }
  for (const [name, value] of headers) {
    if (!NAME.test(name)) throw unsendable(`"${name}" is not a valid header name`);
    if (BREAKS.test(value)) {
      throw unsendable(`the value of the header "${name}" contains a line break or NUL`);
    }
  }
}

function unsendable(why: string): ExchangeError {
  return new ExchangeError("protocol", `the request cannot be sent: ${why}`);
}
