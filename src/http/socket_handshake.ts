import { createHash, randomBytes } from "node:crypto";
import { oneLine, safeSnippet } from "../base/safe_text.ts";
import { checkSendable } from "./encode_request.ts";
import { ExchangeError, invalidResponse } from "./exchange_error.ts";
import type { ReadBuffer, ReadBuffers, Wire } from "./connection.ts";
import { ResponseHead } from "./response_head.ts";
import type { HttpResponse, SocketRequest } from "./sender.ts";
import {
  acceptedCompression,
  COMPRESSION_OFFER,
  type MessageCompression,
} from "./websocket_frames.ts";

/** Value that the server appends to the key before it hashes both (RFC 6455, section 4.2.2). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/**
 * Headers that the handshake writes itself. It ignores the values of these headers in the request.
 */
const OWN =
  /^(?:connection|upgrade|content-length|transfer-encoding|sec-websocket-(?:key|version|protocol|extensions|accept))$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LF = 10, CR = 13;

/** Result of a successful handshake. */
export interface Upgraded {
  /** Compression that the server has accepted; undefined if messages are not compressed. */
  readonly compression: MessageCompression | undefined;
  /** Bytes that arrived after the response. They belong to the first frames. */
  readonly rest: Uint8Array;
}

/**
 * Sends the upgrade request over `wire`, and reads the response into `response`. Rejects with an
 * `ExchangeError` if the server does not switch to a WebSocket as RFC 6455 requires.
 */
export async function upgrade(
  wire: Wire,
  request: SocketRequest,
  response: HttpResponse,
  limits: { readonly buffers: ReadBuffers; readonly headers: number },
): Promise<Upgraded> {
  const from = performance.now();
  const key = randomBytes(16).toString("base64");
  const bytes = encodeUpgrade(request, key);
  for (let at = 0; at < bytes.length;) {
    at += await wire.write(bytes.subarray(at));
    response.bytesSent = at;
  }
  const sentAt = performance.now();
  response.sendingMs = sentAt - from;
  let rest: Uint8Array = new Uint8Array(0);
  do {
    response.headers.length = 0;
    const next = await readHead(wire, rest, limits);
    rest = next.rest;
    response.bytesReceived += next.head.length;
    if (response.bytesReceived > limits.headers) throw headersTooLarge(limits.headers);
    parseHead(next.head, response);
  } while (response.status < 200 && response.status !== 101);
  response.waitingMs = performance.now() - sentAt;
  if (response.status !== 101) throw refused(response, rest);
  return { compression: verify(request, response, key), rest };
}

function encodeUpgrade(request: SocketRequest, key: string): Uint8Array {
  checkSendable(request);
  const { target, origin, subprotocols, compression } = request;
  for (const name of subprotocols) {
    if (TOKEN.test(name)) continue;
    throw new ExchangeError(
      "protocol",
      `the request cannot be sent: "${name}" is not a subprotocol`,
    );
  }
  let host = origin.authority;
  let rest = "";
  for (const [name, value] of request.headers) {
    if (name.toLowerCase() === "host") host = value;
    else if (!OWN.test(name)) rest += `${name}: ${value}\r\n`;
  }
  if (subprotocols.length > 0) rest += `Sec-WebSocket-Protocol: ${subprotocols.join(", ")}\r\n`;
  if (compression) rest += `Sec-WebSocket-Extensions: ${COMPRESSION_OFFER}\r\n`;
  return new TextEncoder().encode(
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${rest}\r\n`,
  );
}

/**
 * Reads a head, including the empty line, and any bytes that arrive with it. It starts with the
 * bytes `known`.
 */
async function readHead(
  wire: Wire,
  known: Uint8Array,
  { buffers, headers: limit }: { readonly buffers: ReadBuffers; readonly headers: number },
): Promise<{ head: Uint8Array; rest: Uint8Array }> {
  for (let from = 0;;) {
    const end = headEnd(known, from);
    if (end >= 0) return { head: known.subarray(0, end), rest: known.slice(end) };
    if (known.length > limit) throw headersTooLarge(limit);
    from = Math.max(0, known.length - 3);
    const buffer: ReadBuffer = buffers.take();
    try {
      const size = await wire.read(buffer.bytes);
      if (size === null) {
        const when = known.length > 0 ? "before the end of the" : "without a";
        throw new ExchangeError("closed", `the server closed the connection ${when} response`);
      }
      const more = new Uint8Array(known.length + size);
      more.set(known);
      more.set(buffer.bytes.subarray(0, size), known.length);
      known = more;
    } finally {
      buffers.give(buffer);
    }
  }
}

function headersTooLarge(limit: number): ExchangeError {
  return new ExchangeError("too_large", `the response headers are larger than ${limit} bytes`);
}

function headEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

const ALL_HEADERS = { headers: true, body: false };

function parseHead(head: Uint8Array, response: HttpResponse): void {
  const parser = new ResponseHead();
  parser.begin();
  let isFirst = true;
  for (let from = 0; from < head.length;) {
    const end = head.indexOf(LF, from);
    const to = end > from && head[end - 1] === CR ? end - 1 : end;
    if (isFirst) parser.parseStatus(head, from, to, response);
    else if (to > from) parser.parseHeader(head, from, to, ALL_HEADERS, response);
    isFirst = false;
    from = end + 1;
  }
}

function refused({ status, headers }: HttpResponse, body: Uint8Array): ExchangeError {
  const location = field(headers, "location");
  const text = safeSnippet(oneLine(new TextDecoder().decode(body.subarray(0, 400))), 80);
  const why = location === "" ? text && `: ${text}` : `, a redirect to ${location}`;
  const message = `the server did not open the WebSocket: status ${status} instead of 101${why}`;
  return new ExchangeError("upgrade", message);
}

/**
 * Checks the response headers of the WebSocket upgrade. Returns the message compression that the
 * server has accepted, or undefined if messages are not compressed. Throws `ExchangeError`
 * (`upgrade`) if a header is missing or invalid.
 */
function verify(
  { subprotocols }: SocketRequest,
  { headers }: HttpResponse,
  key: string,
): MessageCompression | undefined {
  if (field(headers, "upgrade").toLowerCase() !== "websocket") {
    throw notAccepted('the header `Upgrade` is not "websocket"');
  }
  if (!/(?:^|,)\s*upgrade\s*(?:,|$)/i.test(field(headers, "connection"))) {
    throw notAccepted('the header `Connection` does not contain "Upgrade"');
  }
  const accept = createHash("sha1").update(key + GUID).digest("base64");
  if (field(headers, "sec-websocket-accept") !== accept) {
    throw notAccepted("the header `Sec-WebSocket-Accept` does not match the key of the request");
  }
  const protocol = field(headers, "sec-websocket-protocol");
  if (protocol !== "" && !subprotocols.includes(protocol)) {
    throw notAccepted(`the server selected the subprotocol "${protocol}", which was not offered`);
  }
  try {
    return acceptedCompression(field(headers, "sec-websocket-extensions"));
  } catch (error) {
    throw notAccepted((error as Error).message);
  }
}

function notAccepted(why: string): ExchangeError {
  const { message } = invalidResponse(why);
  return new ExchangeError("upgrade", message.replace("HTTP/1", "for a WebSocket"));
}

/** Returns the values of a header, joined by commas; empty if the response does not have it. */
function field(headers: HttpResponse["headers"], name: string): string {
  return headers.filter(([known]) => known === name).map(([, value]) => value).join(", ");
}
