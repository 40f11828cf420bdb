import { exchangeFault } from "./exchange_error.ts";
import { CLOSE, invalidFrame, isCloseCode, SocketError } from "./socket_error.ts";
import { closeQuietly, type ReadBuffer, type ReadBuffers, type Wire } from "./connection.ts";
import type { ErrorKind, Socket, SocketEnd, SocketListener } from "./sender.ts";
import {
  encodeFrame,
  FrameParser,
  type FrameSink,
  type MessageCompression,
  OPCODE,
} from "./websocket_frames.ts";

/**
 * Size of the read buffer of an idle connection, in bytes. If more data arrives than fits, the
 * connection borrows a larger buffer.
 */
const IDLE_BUFFER = 1_024;
/** Time limit in ms for the server to complete the close handshake. */
const CLOSE_TIMEOUT_MS = 10_000;
/** Time limit in ms for the server to close the TCP connection after the close handshake. */
const LINGER_MS = 1_000;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const NO_BYTES = new Uint8Array(0);

/** Parts that a `SocketConnection` needs in addition to its byte stream. */
export interface SocketParts {
  /** Bytes that arrived with the response to the upgrade. They belong to the first frames. */
  readonly rest: Uint8Array;
  readonly compression: MessageCompression | undefined;
  readonly buffers: ReadBuffers;
  /** Called when the byte stream is closed. */
  readonly onClosed: () => void;
  /** Maximum size of a message in bytes. */
  readonly limit: number;
}

/** WebSocket over a byte stream, after the upgrade (RFC 6455). */
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
    // After the end of the WebSocket, only the end of the stream matters.
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
        const bytes = joined(this.#unsent);
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

  /**
   * Ends the WebSocket because of an error. If the server violated the protocol or sent a message
   * that is too large, also sends it a close frame.
   */
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

  /** Waits `ms` milliseconds, closes the byte stream, and then calls `then`. */
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

function joined(frames: readonly Uint8Array[]): Uint8Array {
  if (frames.length === 1) return frames[0];
  const whole = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    whole.set(frame, at);
    at += frame.length;
  }
  return whole;
}
