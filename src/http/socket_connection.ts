import { createHash, randomBytes } from "node:crypto";
import { concat } from "../base/bytes/byte_source.ts";
import { oneLine, safeSnippet } from "../base/safe_text.ts";
import {
  closeQuietly,
  type ConnectionShared,
  KnownHeads,
  type ReadBuffer,
  type ReadBuffers,
  type Wire,
} from "./connection.ts";
import { checkSendable } from "./encode_request.ts";
import { ExchangeError, exchangeFault, invalidResponse } from "./exchange_error.ts";
import { ResponseParser } from "./response_parser.ts";
import type {
  ErrorKind,
  HttpResponse,
  Socket,
  SocketEnd,
  SocketListener,
  SocketRequest,
} from "./sender.ts";
import {
  acceptedCompression,
  CLOSE,
  COMPRESSION_OFFER,
  encodeFrame,
  FrameParser,
  type FrameSink,
  invalidFrame,
  isCloseCode,
  type MessageCompression,
  OPCODE,
  SocketError,
} from "./websocket_frames.ts";

/** Size of the buffer of an idle connection, which borrows a larger one for more data. */
const IDLE_BUFFER = 1_024;
/** Time limit in ms for the server to complete the close handshake. */
const CLOSE_TIMEOUT_MS = 10_000;
/** Time limit in ms for the server to close the TCP connection after the close handshake. */
const LINGER_MS = 1_000;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const NO_BYTES = new Uint8Array(0);

export interface SocketParts {
  /** Bytes that arrived with the response to the upgrade. They belong to the first frames. */
  readonly rest: Uint8Array;
  readonly compression: MessageCompression | undefined;
  readonly buffers: ReadBuffers;
  readonly onClosed: () => void;
  readonly limit: number;
}

export class SocketConnection implements Socket, FrameSink {
  bytesSent = 0;
  bytesReceived = 0;
  readonly #wire: Wire;
  readonly #parts: SocketParts;
  readonly #parser: FrameParser;
  #listener: SocketListener | undefined;
  #unsent: Uint8Array[] = [];
  /** Last pong. It may be in `#unsent`. */
  #pong: Uint8Array = NO_BYTES;
  #flushing: Promise<void> | undefined;
  #closeSent = false;
  #ended = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(wire: Wire, parts: SocketParts) {
    this.#wire = wire;
    this.#parts = parts;
    this.#parser = new FrameParser(this, parts.limit, parts.compression !== undefined);
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    this.#read().catch((error) => this.#fail(error));
  }

  send(content: Uint8Array, isText: boolean): Promise<void> {
    if (this.#closeSent || this.#ended) return Promise.resolve();
    const compressed = this.#parts.compression?.compress(content);
    const opcode = isText ? OPCODE.text : OPCODE.binary;
    return this.#write(encodeFrame(opcode, compressed ?? content, compressed !== undefined));
  }

  close(code: number, reason: string): void {
    if (this.#closeSent || this.#ended) return;
    this.#sendClose(code, reason);
    this.#closeAfter(CLOSE_TIMEOUT_MS, () => {
      const why = `the server did not close the WebSocket within ${CLOSE_TIMEOUT_MS / 1_000}s`;
      this.#end({ code: CLOSE.abnormal, reason: "", error: "timeout", message: why });
    });
  }

  abort(): void {
    this.#endWith("cancelled", "the WebSocket was canceled");
    this.#closeWire();
  }

  message(isText: boolean, content: Uint8Array, compressed: boolean): void {
    if (this.#ended) return;
    const { compression, limit } = this.#parts;
    const whole = compressed ? compression!.decompress(content, limit) : content;
    const message = isText ? decodeText(whole) : compressed ? whole : whole.slice();
    this.#listener?.onMessage(message, whole.length);
  }

  control(opcode: number, content: Uint8Array): void {
    if (opcode === OPCODE.close) this.#takeClose(content);
    else if (opcode === OPCODE.ping && !this.#closeSent && !this.#ended) this.#sendPong(content);
  }

  /** Sends a pong. It replaces an unsent one, so that a flood of pings fills no memory. */
  #sendPong(content: Uint8Array): void {
    const unsent = this.#unsent.indexOf(this.#pong);
    this.#pong = encodeFrame(OPCODE.pong, content);
    if (unsent >= 0) this.#unsent[unsent] = this.#pong;
    else void this.#write(this.#pong);
  }

  async #read(): Promise<void> {
    const { buffers, rest } = this.#parts;
    if (rest.length > 0) this.#take(rest, rest.length);
    const idle = new Uint8Array(IDLE_BUFFER);
    let large: ReadBuffer | undefined;
    try {
      for (;;) {
        const into = large?.bytes ?? idle;
        const size = await this.#wire.read(into);
        if (size === null) return this.#takeEndOfStream();
        this.#take(into, size);
        if (size === into.length) large = large ? buffers.enlarge(large) : buffers.take();
        else if (large !== undefined) {
          buffers.give(large);
          large = undefined;
        }
      }
    } finally {
      if (large !== undefined) buffers.give(large);
    }
  }

  #take(bytes: Uint8Array, size: number): void {
    this.bytesReceived += size;
    if (!this.#ended) this.#parser.push(bytes, size);
  }

  #takeEndOfStream(): void {
    this.#closeWire();
    if (this.#closeSent) this.#end(noError(CLOSE.abnormal, ""));
    else this.#endWith("closed", "the server closed the connection without a close frame");
  }

  #takeClose(content: Uint8Array): void {
    if (this.#ended) return;
    const { code, reason } = parseClose(content);
    if (!this.#closeSent) this.#sendClose(code, "");
    this.#end(noError(code, reason));
    // The server closes the TCP connection first, so that its side keeps the TIME_WAIT state and
    // the load generator does not run out of ports.
    this.#closeAfter(LINGER_MS, () => {});
  }

  #sendClose(code: number, reason: string): void {
    const payload = new Uint8Array(code === CLOSE.none ? 0 : 125);
    let size = 0;
    if (code !== CLOSE.none) {
      payload.set([code >> 8, code & 0xff]);
      size = 2 + encoder.encodeInto(reason, payload.subarray(2)).written;
    }
    void this.#write(encodeFrame(OPCODE.close, payload.subarray(0, size)));
    this.#closeSent = true;
  }

  #write(frame: Uint8Array): Promise<void> {
    this.#unsent.push(frame);
    return this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    try {
      while (this.#unsent.length > 0) {
        const bytes = concat(this.#unsent);
        this.#unsent = [];
        for (let at = 0; at < bytes.length;) {
          const size = await this.#wire.write(at === 0 ? bytes : bytes.subarray(at));
          at += size;
          this.bytesSent += size;
        }
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#flushing = undefined;
    }
  }

  /** Ends the WebSocket because of an error, of which a close frame informs the server. */
  #fail(error: unknown): void {
    if (error instanceof SocketError) {
      if (!this.#closeSent) this.#sendClose(error.code, "");
      this.#endWith(error.code === CLOSE.tooLarge ? "too_large" : "protocol", error.message);
      this.#closeAfter(0, () => {});
    } else if (error instanceof Deno.errors.UnexpectedEof) {
      // The server closed the connection without ending TLS.
      this.#takeEndOfStream();
    } else {
      this.#closeWire();
      const { kind, message } = exchangeFault(error);
      this.#endWith(kind, message);
    }
  }

  #endWith(error: ErrorKind, message: string): void {
    this.#end({ code: CLOSE.abnormal, reason: "", error, message });
  }

  #end(end: SocketEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener?.onEnd(end);
  }

  #closeAfter(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#closeWire();
      then();
    }, ms);
  }

  #closeWire(): void {
    clearTimeout(this.#timer);
    closeQuietly(this.#wire);
    this.#parts.onClosed();
  }
}

function noError(code: number, reason: string): SocketEnd {
  return { code, reason, error: undefined, message: undefined };
}

function parseClose(content: Uint8Array): { code: number; reason: string } {
  if (content.length === 0) return { code: CLOSE.none, reason: "" };
  const code = content[0] << 8 | content[1];
  if (content.length === 1 || !isCloseCode(code)) {
    throw invalidFrame("a close frame has no valid code");
  }
  return { code, reason: decodeText(content.subarray(2)) };
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    const why = "the server violated the WebSocket protocol: a text message is not valid UTF-8";
    throw new SocketError(CLOSE.invalidText, why, { cause: error });
  }
}

/** Value that the server appends to the key before it hashes both (RFC 6455, section 4.2.2). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** Headers that the handshake writes itself. It ignores those of the request. */
const OWN =
  /^(?:connection|upgrade|content-length|transfer-encoding|sec-websocket-(?:key|version|protocol|extensions|accept))$/i;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface Upgraded {
  readonly compression: MessageCompression | undefined;
  readonly rest: Uint8Array;
}

/** Sends the upgrade request and reads its response. Rejects if it is not as RFC 6455 says. */
export async function upgrade(
  wire: Wire,
  request: SocketRequest,
  response: HttpResponse,
  shared: Pick<ConnectionShared, "buffers" | "limits">,
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
  const rest = await readResponse(wire, response, shared);
  response.waitingMs = performance.now() - sentAt;
  if (response.status !== 101) throw refused(response);
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

/** Reads the response to the upgrade. Resolves to the bytes that arrived after it. */
async function readResponse(
  wire: Wire,
  response: HttpResponse,
  { buffers, limits }: Pick<ConnectionShared, "buffers" | "limits">,
): Promise<Uint8Array> {
  const parser = new ResponseParser(limits, new KnownHeads());
  parser.begin("GET", { headers: true, body: false, sampleNext: 1 }, response);
  const buffer = buffers.take();
  try {
    for (;;) {
      const size = await wire.read(buffer.bytes);
      if (size === null) parser.end();
      const used = size === null ? 0 : parser.push(buffer, size);
      response.bytesReceived += used;
      if (parser.done) return buffer.bytes.slice(used, size ?? 0);
    }
  } finally {
    buffers.give(buffer);
  }
}

function refused({ status, headers, excerpt }: HttpResponse): ExchangeError {
  const location = field(headers, "location");
  const text = safeSnippet(oneLine(new TextDecoder().decode(excerpt.subarray(0, 400))), 80);
  const why = location === "" ? text && `: ${text}` : `, a redirect to ${location}`;
  const message = `the server did not open the WebSocket: status ${status} instead of 101${why}`;
  return new ExchangeError("upgrade", message);
}

/** Returns the compression that the server accepted, if any. Throws `ExchangeError` (`upgrade`). */
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
