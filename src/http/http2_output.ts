import { encodeHttp2Head } from "./encode_request.ts";
import { CODE, FLAG, FRAME, FRAME_HEAD, Http2Error, MAX_31, MAX_FRAME } from "./http2_frames.ts";
import type { Http2Stream } from "./http2_stream.ts";
import { batchTime, type Wire } from "./connection.ts";

class FrameBuffer {
  bytes = new Uint8Array(1024);
  view = new DataView(this.bytes.buffer);

  resize(size: number, kept: number): void {
    const other = new Uint8Array(size);
    other.set(this.bytes.subarray(0, kept));
    this.bytes = other;
    this.view = new DataView(other.buffer);
  }
}

/** Size in bytes above which a buffer is not kept for the next frames. */
const MAX_KEPT = 64 * 1024;
const settled = Promise.resolve();

export interface WriteEvents {
  onWritten(): void;
  onFailed(): void;
}

/**
 * Collects frames, and writes them to a wire once the code that adds them has run, so that requests
 * that start together are written together. Adds to one buffer while the other is being written,
 * because the bytes of a pending write must not change.
 */
export class FrameWriter {
  /** Number of bytes added, and number of bytes written, since the connection was opened. */
  added = 0;
  written = 0;
  readonly #wire: Wire;
  readonly #on: WriteEvents;
  #filling = new FrameBuffer();
  #writing = new FrameBuffer();
  /** Number of bytes in `#filling`, and in `#writing` from `#offset`. */
  #size = 0;
  #offset = 0;
  #end = 0;
  #isDue = false;

  constructor(wire: Wire, on: WriteEvents) {
    this.#wire = wire;
    this.#on = on;
  }

  get pending(): number {
    return this.added - this.written;
  }

  addIntegers(type: number, flags: number, id: number, ...values: readonly number[]): void {
    let at = this.#addHead(4 * values.length, type, flags, id);
    for (const value of values) {
      this.#filling.view.setUint32(at, value);
      at += 4;
    }
  }

  addFrame(
    type: number,
    flags: number,
    id: number,
    payload: Uint8Array,
    from: number = 0,
    to: number = payload.length,
  ): void {
    const at = this.#addHead(to - from, type, flags, id);
    this.#filling.bytes.set(payload.subarray(from, to), at);
  }

  addEncoded(frames: Uint8Array, id: number): void {
    const start = this.#reserve(frames.length);
    const { bytes, view } = this.#filling;
    bytes.set(frames, start);
    for (let at = start; at < this.#size; at += FRAME_HEAD + (view.getUint32(at) >>> 8)) {
      view.setUint32(at + 5, id);
    }
  }

  addBytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#filling.bytes.set(bytes, at);
  }

  /** Starts to write what has been added, unless a write is in progress. */
  flush = (): void => {
    this.#isDue = false;
    if (this.#end > 0 || this.#size === 0) return;
    [this.#filling, this.#writing] = [this.#writing, this.#filling];
    [this.#offset, this.#end, this.#size] = [0, this.#size, 0];
    this.#write();
  };

  #addHead(size: number, type: number, flags: number, id: number): number {
    const at = this.#reserve(FRAME_HEAD + size);
    const { bytes, view } = this.#filling;
    view.setUint32(at, size << 8 | type);
    bytes[at + 4] = flags;
    view.setUint32(at + 5, id);
    return at + FRAME_HEAD;
  }

  #reserve(count: number): number {
    const at = this.#size;
    this.#size += count;
    this.added += count;
    const capacity = this.#filling.bytes.length;
    if (this.#size > capacity) this.#filling.resize(Math.max(this.#size, 2 * capacity), at);
    if (!this.#isDue && this.#end === 0) {
      this.#isDue = true;
      settled.then(this.flush);
    }
    return at;
  }

  #write(): void {
    this.#wire.write(this.#writing.bytes.subarray(this.#offset, this.#end))
      .then(this.#wrote, this.#on.onFailed);
  }

  #wrote = (count: number): void => {
    this.#offset += count;
    this.written += count;
    if (this.#offset < this.#end) return this.#write();
    this.#end = 0;
    if (this.#writing.bytes.length > MAX_KEPT) this.#writing.resize(1024, 0);
    this.#on.onWritten();
    this.flush();
  };
}

/** Flow-control window and header table size that apply before the settings of the server. */
const DEFAULT_WINDOW = 65_535, DEFAULT_TABLE = 4_096;
/** Number of pending bytes of output above which no request body is added. */
const MAX_OUTPUT = 256 * 1024;

/** Sends heads at once, and bodies as far as the windows of the server allow. */
export class RequestSender {
  readonly #writer: FrameWriter;
  /** Streams with a body that has not been added to the output completely. */
  #sending: Http2Stream[] = [];
  /** Streams whose request may not have been written completely. */
  readonly #unwritten: Http2Stream[] = [];
  #window = DEFAULT_WINDOW;
  #streamWindow = DEFAULT_WINDOW;
  /** True if the next header block must state that it uses no dynamic table. */
  #announcesTable = false;

  constructor(writer: FrameWriter) {
    this.#writer = writer;
  }

  start(stream: Http2Stream): void {
    const { request, response, id } = stream;
    const head = this.#announcesTable ? encodeHttp2Head(request, true) : request.encodedHttp2!;
    this.#announcesTable = false;
    this.#writer.addEncoded(head, id);
    response.bytesSent += head.length;
    if (stream.isSent) return this.#end(stream);
    stream.window = this.#streamWindow;
    this.#sending.push(stream);
    this.sendBodies();
  }

  stop(stream: Http2Stream): void {
    if (!stream.isSent) this.#sending = this.#sending.filter((other) => other !== stream);
  }

  /** Adds request bodies to the output, one frame of each in turn. */
  sendBodies(): void {
    for (let isBlocked = false; !isBlocked && this.#sending.length > 0;) {
      isBlocked = true;
      for (const stream of this.#sending) if (this.#sendFrame(stream)) isBlocked = false;
      this.#sending = this.#sending.filter(({ isSent }) => !isSent);
    }
  }

  onWritten(): void {
    const { written } = this.#writer;
    const unwritten = this.#unwritten;
    let kept = 0;
    for (const stream of unwritten) {
      if (stream.end <= written) stream.sentAt = batchTime();
      else unwritten[kept++] = stream;
    }
    unwritten.length = kept;
    if (this.#sending.length > 0) this.sendBodies();
  }

  limitTable(size: number): void {
    if (size < DEFAULT_TABLE) this.#announcesTable = true;
  }

  /** Applies a new initial window to the open streams. Throws `Http2Error` if it is invalid. */
  resizeWindows(size: number, open: Iterable<Http2Stream>): void {
    if (size > MAX_31) {
      throw new Http2Error("its SETTINGS contain an invalid window size", CODE.FLOW_CONTROL_ERROR);
    }
    for (const stream of open) stream.window += size - this.#streamWindow;
    this.#streamWindow = size;
  }

  /** Enlarges the window of a stream or the connection. Throws `Http2Error` if it is invalid. */
  enlargeWindow(increment: number, stream: Http2Stream | undefined): void {
    const window = stream === undefined ? this.#window += increment : stream.window += increment;
    if (increment > 0 && window <= MAX_31) return this.sendBodies();
    throw new Http2Error(
      "a WINDOW_UPDATE frame has an invalid size",
      increment === 0 ? CODE.PROTOCOL_ERROR : CODE.FLOW_CONTROL_ERROR,
    );
  }

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
    if (size === rest) this.#end(stream);
    return true;
  }

  #end(stream: Http2Stream): void {
    stream.end = this.#writer.added;
    this.#unwritten.push(stream);
  }
}
