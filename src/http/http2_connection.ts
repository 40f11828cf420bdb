import { safeSnippet } from "../base/safe_text.ts";
import { closeQuietly, type Connection, type ConnectionShared, type Wire } from "./connection.ts";
import { encodeHttp2Head } from "./encode_request.ts";
import { ExchangeError, exchangeFault } from "./exchange_error.ts";
import { fieldText } from "./response_head.ts";
import { HpackError } from "./hpack.ts";
import {
  type Block,
  CODE,
  codeName,
  FLAG,
  FRAME,
  FRAME_HEAD,
  type FrameHandler,
  FrameReader,
  Http2Error,
  MAX_31,
  MAX_FRAME,
} from "./http2_frames.ts";
import { FrameWriter, RequestSender } from "./http2_output.ts";
import { Http2Stream } from "./http2_stream.ts";
import type { HttpResponse, Outgoing } from "./sender.ts";

/** Receive window of the connection and of each stream in bytes, and its value at the start. */
const WINDOW = 0x3fffffff, FIRST_WINDOW = 65_535;
const FIRST_STREAMS = 100;
/** With more output, a server wants acknowledgments that it does not read. */
const MAX_ACKNOWLEDGMENTS = 512 * 1024;

const encoder = new TextEncoder();
const PREFACE = encoder.encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const HEADER_TABLE_SIZE = 1, ENABLE_PUSH = 2, MAX_STREAMS = 3, INITIAL_WINDOW = 4;
const MAX_FRAME_SIZE = 5;

/** Settings of the client. Without a dynamic table, header blocks do not depend on each other. */
const SETTINGS = new Uint8Array(18);
for (
  const [i, setting] of [[HEADER_TABLE_SIZE, 0], [ENABLE_PUSH, 0], [INITIAL_WINDOW, WINDOW]]
    .entries()
) {
  new DataView(SETTINGS.buffer).setUint16(6 * i, setting[0]);
  new DataView(SETTINGS.buffer).setUint32(6 * i + 2, setting[1]);
}

/** HTTP/2 connection that runs many exchanges at the same time. A read is always pending. */
export class Http2Connection implements Connection, FrameHandler {
  readonly shared: boolean;
  usable: boolean;
  readonly #wire: Wire;
  readonly #http: ConnectionShared;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  readonly #sender: RequestSender;
  readonly #open = new Map<number, Http2Stream>();
  readonly #waiting: Http2Stream[] = [];
  readonly #free: Http2Stream[] = [];
  #nextId: number;
  #retired = false;
  #fault: unknown;
  /** Code and reason of the server's GOAWAY, for error messages. */
  #goaway = "";
  #maxStreams = FIRST_STREAMS;
  #hasSettings = false;
  /** Bytes of data received since the last window update of the connection. */
  #unacknowledged = 0;
  #dataStream: Http2Stream | undefined;
  #dataId = 0;
  /** Bytes of frames that belong to no open stream. The next exchange that ends counts them. */
  #otherReceived = 0;
  #otherSent = 0;

  constructor(wire: Wire, http: ConnectionShared, firstId = 1) {
    const { keepAlive, buffers, limits } = http;
    this.shared = this.usable = keepAlive;
    this.#wire = wire;
    this.#http = http;
    this.#nextId = firstId;
    // The pending read fails as well as a write, and may first return a response.
    this.#writer = new FrameWriter(wire, {
      onWritten: () => this.#sender.onWritten(),
      onFailed: () => this.usable = false,
    });
    this.#sender = new RequestSender(this.#writer);
    this.#writer.addBytes(PREFACE);
    this.#writer.addFrame(FRAME.SETTINGS, 0, 0, SETTINGS);
    this.#updateWindow(0, WINDOW - FIRST_WINDOW);
    this.#otherSent = this.#writer.added;
    this.#reader = new FrameReader(this, wire, buffers, limits.headers);
  }

  get idleSince(): number {
    return this.#reader.now;
  }

  exchange(request: Outgoing, response: HttpResponse, from: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.#free.pop() ?? new Http2Stream(this.#http.limits, this.#http.heads);
      request.encodedHttp2 ??= encodeHttp2Head(request);
      stream.begin(request, response, from);
      stream.resolve = resolve;
      stream.reject = reject;
      if (this.#fault !== undefined) reject(this.#fault);
      else if (this.#open.size < this.#maxStreams) this.#start(stream);
      else this.#waiting.push(stream);
    });
  }

  /** Aborts an exchange. If it is the only one, the connection may be dead, so it is closed. */
  abort(response: HttpResponse): void {
    for (const stream of this.#open.values()) {
      if (stream.response === response) return this.#abort(stream, aborted(), CODE.CANCEL);
    }
    const index = this.#waiting.findIndex((stream) => stream.response === response);
    if (index < 0) return;
    this.#waiting.splice(index, 1)[0].reject(aborted());
    if (this.#isIdle) this.close();
  }

  retire(): void {
    this.usable = false;
    this.#retired = true;
    if (this.#isIdle) this.close();
  }

  close(): void {
    this.#writer.flush();
    this.#fail(aborted());
  }

  #start(stream: Http2Stream): void {
    if (this.#nextId > MAX_31) return stream.reject(unprocessed("it has no stream IDs left"));
    const id = stream.id = this.#nextId;
    this.#nextId += 2;
    if (this.#nextId > MAX_31) this.usable = false;
    this.#open.set(id, stream);
    this.#sender.start(stream);
  }

  #fail(error: unknown): void {
    this.usable = false;
    if (this.#fault !== undefined) return;
    this.#fault = error;
    this.#reader.stop();
    closeQuietly(this.#wire);
    for (const stream of [...this.#open.values(), ...this.#waiting]) stream.fail(error);
    this.#open.clear();
    this.#waiting.length = 0;
  }

  #abort(stream: Http2Stream, error: unknown, code: number): void {
    this.#writer.addIntegers(FRAME.RST_STREAM, 0, stream.id, code);
    stream.response.bytesSent += FRAME_HEAD + 4;
    this.#end(stream);
    stream.fail(error);
    if (this.#isIdle) this.close();
  }

  #complete(stream: Http2Stream, isCut: boolean): void {
    const { response } = stream;
    stream.complete(this.#reader.now, isCut);
    if (isCut || !stream.isSent) {
      this.#writer.addIntegers(FRAME.RST_STREAM, 0, stream.id, isCut ? CODE.CANCEL : CODE.NO_ERROR);
      response.bytesSent += FRAME_HEAD + 4;
    }
    response.bytesReceived += this.#otherReceived;
    response.bytesSent += this.#otherSent;
    this.#otherReceived = this.#otherSent = 0;
    this.#end(stream);
    stream.resolve();
    // An idle connection must not keep a large body in memory.
    if (stream.request.body === undefined) this.#free.push(stream);
  }

  #end(stream: Http2Stream): void {
    this.#open.delete(stream.id);
    this.#sender.stop(stream);
    if (this.#waiting.length > 0) this.#startWaiting();
    if (this.#retired && this.#isIdle) this.close();
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0 && this.#open.size < this.#maxStreams) {
      const stream = this.#waiting.shift()!;
      const now = performance.now();
      stream.response.blockedMs += now - stream.from;
      stream.from = stream.sentAt = now;
      this.#start(stream);
    }
  }

  get #isIdle(): boolean {
    return this.#open.size === 0 && this.#waiting.length === 0;
  }

  /** Ends a stream because of an error in its response. Rethrows an error of the connection. */
  #failStream(stream: Http2Stream, error: unknown): void {
    if (error instanceof HpackError) throw error;
    this.#abort(stream, error, error instanceof Http2Error ? error.code : CODE.CANCEL);
  }

  /** Returns an open stream. Throws if there never was one with this ID. */
  #find(id: number): Http2Stream | undefined {
    const stream = this.#open.get(id);
    if (stream === undefined && (id % 2 === 0 || id >= this.#nextId)) {
      throw new Http2Error(`a frame belongs to stream ${id}, which does not exist`);
    }
    return stream;
  }

  #countReceived(stream: Http2Stream | undefined, size: number): void {
    if (stream === undefined) this.#otherReceived += size;
    else stream.response.bytesReceived += size;
  }

  onEnd(error: unknown): void {
    const { kind, message } = error === null
      ? new ExchangeError(
        "closed",
        "the server closed the connection before the end of the response",
      )
      : exchangeFault(error);
    const why = this.#goaway && ` (${this.#goaway})`;
    this.#fail(new ExchangeError(kind, message + why, { cause: error }));
  }

  onInvalid(error: unknown): void {
    const fault = error instanceof HpackError
      ? new Http2Error(`a header block is not valid: ${error.message}`, CODE.COMPRESSION_ERROR)
      : error;
    if (fault instanceof Http2Error) {
      this.#writer.addIntegers(FRAME.GOAWAY, 0, 0, 0, fault.code);
      this.#writer.flush();
    }
    this.#fail(fault);
  }

  onFrame(id: number, size: number): void {
    this.#countReceived(this.#open.get(id), size);
  }

  onHeaders(id: number, block: Block, ends: boolean): void {
    const stream = this.#find(id);
    this.#countReceived(stream, block.frameSize);
    // Without a dynamic table, a block of a canceled stream need not be decoded.
    if (stream === undefined) return;
    try {
      stream.takeBlock(block, ends, this.#reader.now);
      if (ends) this.#complete(stream, false);
    } catch (error) {
      this.#failStream(stream, error);
    }
  }

  onDataFrame(id: number, size: number, padding: number): void {
    const stream = this.#dataStream = this.#find(id);
    this.#dataId = id;
    this.#countReceived(stream, FRAME_HEAD + padding);
    this.#unacknowledged += size + padding;
    if (this.#unacknowledged > WINDOW / 2) {
      this.#updateWindow(0, this.#unacknowledged);
      this.#unacknowledged = 0;
    }
    if (stream === undefined) return;
    stream.unacknowledged += size + padding;
    if (stream.unacknowledged > WINDOW / 2) {
      this.#updateWindow(id, stream.unacknowledged);
      stream.unacknowledged = 0;
    }
  }

  onData(bytes: Uint8Array, from: number, to: number, ends: boolean): void {
    const stream = this.#dataStream;
    this.#countReceived(stream, to - from);
    if (stream === undefined || this.#open.get(this.#dataId) !== stream) return;
    try {
      const isCut = stream.takeData(bytes, from, to, ends);
      if (isCut || ends) this.#complete(stream, isCut);
    } catch (error) {
      this.#failStream(stream, error);
    }
  }

  onReset(id: number, code: number): void {
    const stream = this.#find(id);
    if (stream === undefined) return;
    const isRefused = code === CODE.REFUSED_STREAM && !stream.hasBegun;
    const message = `the server reset the stream (${codeName(code)})`;
    this.#end(stream);
    stream.fail(new ExchangeError("reset", message, { unprocessed: isRefused }));
  }

  onSettings(view: DataView, from: number, to: number): void {
    if (!this.#hasSettings) this.#maxStreams = Infinity;
    this.#hasSettings = true;
    for (let at = from; at < to; at += 6) {
      const value = view.getUint32(at + 2);
      switch (view.getUint16(at)) {
        case HEADER_TABLE_SIZE:
          this.#sender.limitTable(value);
          break;
        case MAX_STREAMS:
          this.#maxStreams = value;
          break;
        case INITIAL_WINDOW:
          this.#sender.resizeWindows(value, this.#open.values());
          break;
        case MAX_FRAME_SIZE:
          if (value < MAX_FRAME || value > 0xffffff) {
            throw new Http2Error("its SETTINGS contain an invalid frame size");
          }
      }
    }
    this.#acknowledge(FRAME.SETTINGS, new Uint8Array(0));
    this.#startWaiting();
    this.#sender.sendBodies();
  }

  onPing(bytes: Uint8Array, at: number): void {
    this.#acknowledge(FRAME.PING, bytes.slice(at, at + 8));
  }

  #acknowledge(type: number, payload: Uint8Array): void {
    if (this.#writer.pending > MAX_ACKNOWLEDGMENTS) {
      throw new Http2Error("the server floods the connection", CODE.ENHANCE_YOUR_CALM);
    }
    this.#writer.addFrame(type, FLAG.ACK, 0, payload);
    this.#otherSent += FRAME_HEAD + payload.length;
  }

  onGoaway(lastId: number, code: number, reason: Uint8Array): void {
    const text = safeSnippet(fieldText(reason, 0, reason.length), 80);
    this.#goaway = `GOAWAY, ${codeName(code)}${text && `: ${text}`}`;
    const error = unprocessed(this.#goaway);
    for (const stream of this.#waiting.splice(0)) stream.reject(error);
    for (const stream of [...this.#open.values()]) {
      if (stream.id <= lastId) continue;
      this.#end(stream);
      stream.fail(stream.hasBegun ? new ExchangeError("closed", error.message) : error);
    }
    this.retire();
  }

  onWindowUpdate(id: number, increment: number): void {
    const stream = id === 0 ? undefined : this.#find(id);
    if (stream === undefined && id !== 0) return;
    try {
      this.#sender.enlargeWindow(increment, stream);
    } catch (error) {
      if (stream === undefined) throw error;
      this.#failStream(stream, error);
    }
  }

  #updateWindow(id: number, increment: number): void {
    this.#writer.addIntegers(FRAME.WINDOW_UPDATE, 0, id, increment);
    this.#otherSent += FRAME_HEAD + 4;
  }
}

function aborted(): ExchangeError {
  return new ExchangeError("closed", "the connection was closed");
}

function unprocessed(why: string): ExchangeError {
  const message = `the server did not process the request (${why})`;
  return new ExchangeError("closed", message, { unprocessed: true });
}
