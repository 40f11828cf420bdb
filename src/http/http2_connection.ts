import { safeSnippet } from "../base/safe_text.ts";
import type { Connection, ConnectionShared } from "./connection.ts";
import { encodeHttp2Head } from "./encode_request.ts";
import { ExchangeError, exchangeFault } from "./exchange_error.ts";
import { fieldText } from "./field_text.ts";
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
  FrameWriter,
  Http2Error,
  MAX_31,
  MAX_FRAME,
} from "./http2_frames.ts";
import { Http2Stream } from "./http2_stream.ts";
import type { ReadBuffer } from "./read_buffers.ts";
import type { HttpResponse, Outgoing } from "./sender.ts";
import { batchTime, closeQuietly, type Wire } from "./wire.ts";

/** Receive window of the connection and of each stream, in bytes. */
const WINDOW = 0x3fffffff;
/** Window, header table size and number of streams before the settings of the server arrive. */
const DEFAULT_WINDOW = 65_535, DEFAULT_TABLE = 4_096, DEFAULT_STREAMS = 100;
/** Number of pending bytes of output above which no request body is added. */
const MAX_OUTPUT = 256 * 1024;
/**
 * Number of pending bytes of output above which a server that wants an acknowledgment floods the
 * client: it does not read the acknowledgments.
 */
const MAX_ACKNOWLEDGMENTS = 2 * MAX_OUTPUT;

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

/**
 * HTTP/2 connection (RFC 9113) that runs many exchanges at the same time over one byte stream. A
 * read is always pending.
 */
export class Http2Connection implements Connection, FrameHandler {
  readonly shared: boolean;
  usable: boolean;
  idleSince: number = Infinity;
  readonly #wire: Wire;
  readonly #http: ConnectionShared;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  #buffer: ReadBuffer;
  /** Number of bytes at the start of `#buffer` that belong to an incomplete frame. */
  #rest = 0;
  readonly #open = new Map<number, Http2Stream>();
  /** Streams that wait until the server accepts another one. */
  readonly #waiting: Http2Stream[] = [];
  /** Streams with a body that has not been added to the output completely. */
  #sending: Http2Stream[] = [];
  /** Streams whose request may not have been written completely. */
  readonly #unwritten: Http2Stream[] = [];
  readonly #free: Http2Stream[] = [];
  #nextId: number;
  #retired = false;
  #fault: unknown;
  /** Code and reason of the server's GOAWAY, for error messages. */
  #goaway = "";
  #maxStreams = DEFAULT_STREAMS;
  #hasSettings = false;
  #streamWindow = DEFAULT_WINDOW;
  #window = DEFAULT_WINDOW;
  /** True if the next header block must state that it uses no dynamic table. */
  #announcesTable = false;
  /** Bytes of data received since the last window update of the connection. */
  #unacknowledged = 0;
  /** Stream of the current DATA frame. */
  #dataStream: Http2Stream | undefined;
  #dataId = 0;
  /** Bytes of frames that belong to no open stream. The next exchange that ends counts them. */
  #otherReceived = 0;
  #otherSent = 0;
  #now = 0;

  /** Creates a connection. `firstId` is the ID of its first stream. */
  constructor(wire: Wire, http: ConnectionShared, firstId = 1) {
    this.shared = this.usable = http.keepAlive;
    this.#wire = wire;
    this.#http = http;
    this.#nextId = firstId;
    this.#reader = new FrameReader(this, http.limits.headers);
    this.#writer = new FrameWriter(wire, this.#wrote, this.#cannotWrite);
    this.#buffer = http.buffers.take();
    this.#writer.addBytes(PREFACE);
    this.#writer.addFrame(FRAME.SETTINGS, 0, 0, SETTINGS);
    this.#updateWindow(0, WINDOW - DEFAULT_WINDOW);
    this.#otherSent = this.#writer.added;
    this.#read(this.#buffer.bytes);
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

  /**
   * Aborts the exchange that fills in `response`. If no other exchange uses the connection, also
   * closes the connection: it may be dead, and the next request would time out as well.
   */
  abort(response: HttpResponse): void {
    for (const stream of this.#open.values()) {
      if (stream.response === response) return this.#abort(stream, aborted(), CODE.CANCEL);
    }
    const index = this.#waiting.findIndex((stream) => stream.response === response);
    if (index >= 0) this.#waiting.splice(index, 1)[0].reject(aborted());
  }

  retire(): void {
    this.usable = false;
    this.#retired = true;
    this.#closeIfRetired();
  }

  close(): void {
    this.#fail(aborted());
  }

  #start(stream: Http2Stream): void {
    if (this.#nextId > MAX_31) return stream.reject(unprocessed("it has no stream IDs left"));
    const { request, response } = stream;
    const id = stream.id = this.#nextId;
    this.#nextId += 2;
    if (this.#nextId > MAX_31) this.usable = false;
    this.#open.set(id, stream);
    const writer = this.#writer;
    const before = writer.added;
    writer.addEncoded(this.#takeHead(request), id);
    response.bytesSent += writer.added - before;
    if (stream.isSent) return this.#endRequest(stream);
    stream.window = this.#streamWindow;
    this.#sending.push(stream);
    this.#sendBodies();
  }

  /** Returns the encoded head of a request. */
  #takeHead(request: Outgoing): Uint8Array {
    if (!this.#announcesTable) return request.encodedHttp2!;
    this.#announcesTable = false;
    return encodeHttp2Head(request, true);
  }

  #endRequest(stream: Http2Stream): void {
    stream.end = this.#writer.added;
    this.#unwritten.push(stream);
  }

  /** Adds request bodies to the output, as far as the windows allow, one frame of each in turn. */
  #sendBodies(): void {
    for (let isBlocked = false; !isBlocked && this.#sending.length > 0;) {
      isBlocked = true;
      for (const stream of this.#sending) if (this.#sendFrame(stream)) isBlocked = false;
      this.#sending = this.#sending.filter(({ isSent }) => !isSent);
    }
  }

  /** Adds one DATA frame to the output. Returns false if that is not possible yet. */
  #sendFrame(stream: Http2Stream): boolean {
    const body = stream.request.body!;
    const from = stream.sent;
    const rest = body.length - from;
    const size = Math.min(rest, this.#window, stream.window, MAX_FRAME);
    if (size <= 0 || this.#writer.pending > MAX_OUTPUT) return false;
    const flags = size === rest ? FLAG.END_STREAM : 0;
    this.#writer.addFrame(FRAME.DATA, flags, stream.id, body, from, from + size);
    stream.sent += size;
    stream.window -= size;
    this.#window -= size;
    stream.response.bytesSent += FRAME_HEAD + size;
    if (size === rest) this.#endRequest(stream);
    return true;
  }

  #wrote = (): void => {
    const { written } = this.#writer;
    const unwritten = this.#unwritten;
    let kept = 0;
    for (const stream of unwritten) {
      if (stream.end <= written) stream.sentAt = batchTime();
      else unwritten[kept++] = stream;
    }
    unwritten.length = kept;
    if (this.#sending.length > 0) this.#sendBodies();
  };

  /** Ignores the error of a write. The pending read fails too, and may first return a response. */
  #cannotWrite = (): void => {
    this.usable = false;
  };

  #read(into: Uint8Array): void {
    this.#wire.read(into).then(this.#received, this.#failed);
  }

  #received = (size: number | null): void => {
    if (size === null) {
      const message = "the server closed the connection before the end of the response";
      return this.#failed(new ExchangeError("closed", message));
    }
    const end = this.#rest + size;
    this.#now = batchTime();
    let at = end;
    try {
      at = this.#reader.read(this.#buffer.bytes, this.#buffer.view, end);
    } catch (error) {
      this.#rejectConnection(error);
    }
    this.idleSince = this.#now;
    if (this.#fault !== undefined) return this.#http.buffers.give(this.#buffer);
    this.#rest = end - at;
    this.#read(this.#nextTarget(at, end));
  };

  /** Moves the incomplete frame in `[at, end)` to the start of a buffer that has space after it. */
  #nextTarget(at: number, end: number): Uint8Array {
    const before = this.#buffer.bytes;
    const { buffers } = this.#http;
    if (end === before.length && end < 4 * MAX_FRAME) {
      this.#buffer = buffers.enlarge(this.#buffer);
    } else if (this.#rest === 0 && this.#open.size === 0 && end < before.length / 8) {
      // An idle connection must not keep a large buffer.
      buffers.give(this.#buffer);
      this.#buffer = buffers.take(end);
    }
    const { bytes } = this.#buffer;
    if (this.#rest === 0) return bytes;
    bytes.set(before.subarray(at, end));
    return bytes.subarray(this.#rest);
  }

  /** Handles the end of the connection. */
  #failed = (error: unknown): void => {
    this.#http.buffers.give(this.#buffer);
    const { kind, message } = exchangeFault(error);
    this.#fail(
      new ExchangeError(kind, message + (this.#goaway && ` (${this.#goaway})`), { cause: error }),
    );
  };

  /** Reports an invalid frame to the server, and closes the connection. */
  #rejectConnection(error: unknown): void {
    const fault = error instanceof HpackError
      ? new Http2Error(`a header block is not valid: ${error.message}`, CODE.COMPRESSION_ERROR)
      : error;
    if (fault instanceof Http2Error) {
      this.#writer.addIntegers(FRAME.GOAWAY, 0, 0, 0, fault.code);
      this.#writer.flush();
    }
    this.#fail(fault);
  }

  /** Closes the connection. All its exchanges fail with `error`. */
  #fail(error: unknown): void {
    this.usable = false;
    if (this.#fault !== undefined) return;
    this.#fault = error;
    closeQuietly(this.#wire);
    for (const stream of [...this.#open.values(), ...this.#waiting]) {
      stream.takePartial();
      stream.reject(error);
    }
    this.#open.clear();
    this.#waiting.length = this.#sending.length = 0;
  }

  /**
   * Resets a stream, whose exchange fails with `error`. Closes the connection if no other exchange
   * uses it.
   */
  #abort(stream: Http2Stream, error: unknown, code: number): void {
    stream.takePartial();
    this.#writer.addIntegers(FRAME.RST_STREAM, 0, stream.id, code);
    stream.response.bytesSent += FRAME_HEAD + 4;
    const isLast = this.#open.size === 1 && this.#waiting.length === 0;
    if (isLast) {
      this.#writer.flush();
      return this.#fail(error);
    }
    this.#end(stream);
    stream.reject(error);
  }

  /** Completes the exchange of a stream. `isCut` is true if the rest of the body is not needed. */
  #complete(stream: Http2Stream, isCut: boolean): void {
    const { response } = stream;
    stream.complete(this.#now, isCut);
    if (isCut || !stream.isSent) {
      this.#writer.addIntegers(FRAME.RST_STREAM, 0, stream.id, isCut ? CODE.CANCEL : CODE.NO_ERROR);
      response.bytesSent += FRAME_HEAD + 4;
    }
    response.bytesReceived += this.#otherReceived;
    response.bytesSent += this.#otherSent;
    this.#otherReceived = this.#otherSent = 0;
    this.#end(stream);
    stream.resolve();
    this.#free.push(stream);
  }

  #end(stream: Http2Stream): void {
    this.#open.delete(stream.id);
    if (!stream.isSent) this.#sending = this.#sending.filter((other) => other !== stream);
    if (this.#waiting.length > 0) this.#startWaiting();
    if (this.#retired) this.#closeIfRetired();
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

  #closeIfRetired(): void {
    if (this.#open.size === 0 && this.#waiting.length === 0) this.close();
  }

  /** Ends a stream because of an error in its response. Rethrows an error of the connection. */
  #failStream(stream: Http2Stream, error: unknown): void {
    if (error instanceof HpackError) throw error;
    this.#abort(stream, error, error instanceof Http2Error ? error.code : CODE.CANCEL);
  }

  /**
   * Returns the open stream with an ID, or undefined if its exchange has ended. Throws if there
   * never was such a stream.
   */
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

  onFrame(id: number, size: number): void {
    this.#countReceived(this.#open.get(id), size);
  }

  onHeaders(id: number, block: Block, ends: boolean): void {
    const stream = this.#find(id);
    this.#countReceived(stream, block.frameSize);
    // Without a dynamic table, a block of a canceled stream need not be decoded.
    if (stream === undefined) return;
    try {
      stream.takeBlock(block, ends, this.#now);
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
    stream.takePartial();
    this.#end(stream);
    stream.reject(new ExchangeError("reset", message, { unprocessed: isRefused }));
  }

  onSettings(view: DataView, from: number, to: number): void {
    if (!this.#hasSettings) this.#maxStreams = Infinity;
    this.#hasSettings = true;
    for (let at = from; at < to; at += 6) {
      const value = view.getUint32(at + 2);
      switch (view.getUint16(at)) {
        case HEADER_TABLE_SIZE:
          if (value < DEFAULT_TABLE) this.#announcesTable = true;
          break;
        case MAX_STREAMS:
          this.#maxStreams = value;
          break;
        case INITIAL_WINDOW:
          this.#resizeWindows(value);
          break;
        case MAX_FRAME_SIZE:
          if (value < MAX_FRAME || value > 0xffffff) {
            throw new Http2Error("its SETTINGS contain an invalid frame size");
          }
      }
    }
    this.#acknowledge(FRAME.SETTINGS, new Uint8Array(0));
    this.#startWaiting();
    this.#sendBodies();
  }

  #resizeWindows(size: number): void {
    if (size > MAX_31) {
      throw new Http2Error("its SETTINGS contain an invalid window size", CODE.FLOW_CONTROL_ERROR);
    }
    for (const stream of this.#open.values()) stream.window += size - this.#streamWindow;
    this.#streamWindow = size;
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
      stream.reject(stream.hasBegun ? new ExchangeError("closed", error.message) : error);
    }
    this.retire();
  }

  onWindowUpdate(id: number, increment: number): void {
    if (id === 0) {
      this.#window += increment;
      const fault = windowFault(increment, this.#window);
      if (fault !== undefined) throw fault;
    } else {
      const stream = this.#find(id);
      if (stream === undefined) return;
      stream.window += increment;
      const fault = windowFault(increment, stream.window);
      if (fault !== undefined) return this.#failStream(stream, fault);
    }
    this.#sendBodies();
  }

  #updateWindow(id: number, increment: number): void {
    this.#writer.addIntegers(FRAME.WINDOW_UPDATE, 0, id, increment);
    this.#otherSent += FRAME_HEAD + 4;
  }
}

/** Returns the error of a WINDOW_UPDATE frame, if any. `window` is the new size of the window. */
function windowFault(increment: number, window: number): Http2Error | undefined {
  if (increment > 0 && window <= MAX_31) return undefined;
  return new Http2Error(
    "a WINDOW_UPDATE frame has an invalid size",
    increment === 0 ? CODE.PROTOCOL_ERROR : CODE.FLOW_CONTROL_ERROR,
  );
}

function aborted(): ExchangeError {
  return new ExchangeError("closed", "the connection was closed");
}

/** Creates the error for a request that the server has certainly not processed. */
function unprocessed(why: string): ExchangeError {
  const message = `the server did not process the request (${why})`;
  return new ExchangeError("closed", message, { unprocessed: true });
}
