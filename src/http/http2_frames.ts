import { ByteSink } from "../base/bytes/byte_sink.ts";
import { ExchangeError } from "./exchange_error.ts";
import type { ErrorKind } from "./sender.ts";
import type { Wire } from "./wire.ts";

/** Frame types (RFC 9113, section 6). */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

/** Flags of frames. */
export const FLAG = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;

/** Error codes (RFC 9113, section 7). */
export const CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;
const CODE_NAMES = Object.keys(CODE);

/** Size of the head of a frame in bytes. */
export const FRAME_HEAD = 9;
/** Maximum size in bytes of the payload of a frame, in both directions. */
export const MAX_FRAME = 16_384;
/** Maximum stream ID and window size. */
export const MAX_31 = 0x7fffffff;

/** Returns the name of an error code. */
export function codeName(code: number): string {
  return CODE_NAMES[code] ?? `error code ${code}`;
}

/** Error for a frame or a response that violates HTTP/2 or a limit. */
export class Http2Error extends ExchangeError {
  /** Error code to send to the server. */
  readonly code: number;

  constructor(why: string, code: number = CODE.PROTOCOL_ERROR, kind: ErrorKind = "protocol") {
    super(kind, kind === "protocol" ? `the response is not valid HTTP/2: ${why}` : why);
    this.code = code;
  }
}

/**
 * Receives the frames of a `FrameReader`. Byte ranges are valid only during the call. If a method
 * throws, the connection must be closed.
 */
export interface FrameHandler {
  /** Announces a frame of `size` bytes that is neither DATA nor part of a header block. */
  onFrame(id: number, size: number): void;
  /** Receives the payload of a header block, without padding and split over any number of frames. */
  onHeaders(id: number, block: Block, ends: boolean): void;
  /** Announces a DATA frame with `size` bytes of data and `padding` bytes of padding. */
  onDataFrame(id: number, size: number, padding: number): void;
  /**
   * Receives the next bytes of the DATA frame that was announced last. `ends` is true for the last
   * bytes of the stream.
   */
  onData(bytes: Uint8Array, from: number, to: number, ends: boolean): void;
  onReset(id: number, code: number): void;
  /** Receives settings as pairs of a 16-bit key and a 32-bit value in `view[from, to)`. */
  onSettings(view: DataView, from: number, to: number): void;
  /** Receives the eight bytes of a PING at `at`. */
  onPing(bytes: Uint8Array, at: number): void;
  onGoaway(lastId: number, code: number, reason: Uint8Array): void;
  onWindowUpdate(id: number, increment: number): void;
}

/** A header block: `bytes[from, to)`. */
export interface Block {
  bytes: Uint8Array;
  view: DataView;
  from: number;
  to: number;
  /** Size in bytes of the frames that contain the block. */
  frameSize: number;
}

/**
 * Parses the frames that a server sends (RFC 9113). Checks their sizes, padding and order, but not
 * their meaning.
 */
export class FrameReader {
  readonly #handler: FrameHandler;
  readonly #maxBlock: number;
  readonly #block: Block = {
    bytes: new Uint8Array(0),
    view: new DataView(new ArrayBuffer(0)),
    from: 0,
    to: 0,
    frameSize: 0,
  };
  #hasSettings = false;
  /** Rest of the current DATA frame: number of bytes of data, and of padding. */
  #data = 0;
  #padding = 0;
  #inData = false;
  #ends = false;
  /** Stream of an incomplete header block, or 0. */
  #blockId = 0;
  readonly #parts = new ByteSink();

  /** Creates a reader that rejects a header block in frames of more than `maxBlock` bytes. */
  constructor(handler: FrameHandler, maxBlock: number) {
    this.#handler = handler;
    this.#maxBlock = maxBlock;
  }

  /**
   * Parses `bytes[0, end)`. Returns the offset of the first byte that it has not used: pass that
   * byte again, with more bytes after it. A buffer for `MAX_FRAME + FRAME_HEAD` bytes suffices.
   * Throws `Http2Error` if a frame is invalid.
   */
  read(bytes: Uint8Array, view: DataView, end: number): number {
    let at = 0;
    for (;;) {
      if (this.#inData) {
        at = this.#takeData(bytes, at, end);
        if (this.#inData) return at;
      }
      if (end - at < FRAME_HEAD) return at;
      const size = view.getUint32(at) >>> 8;
      const type = bytes[at + 3];
      const id = view.getUint32(at + 5) & MAX_31;
      this.#checkHead(bytes, at, size, type, id);
      const isPaddedData = type === FRAME.DATA && (bytes[at + 4] & FLAG.PADDED) !== 0 && size > 0;
      const needed = type !== FRAME.DATA ? size : isPaddedData ? 1 : 0;
      if (end - at < FRAME_HEAD + needed) return at;
      const flags = bytes[at + 4];
      at += FRAME_HEAD;
      if (type === FRAME.DATA) at = this.#beginData(bytes, at, size, flags, id);
      else {
        this.#takeFrame(bytes, view, at, size, type, flags, id);
        at += size;
      }
    }
  }

  #checkHead(bytes: Uint8Array, at: number, size: number, type: number, id: number): void {
    if (!this.#hasSettings && type !== FRAME.SETTINGS) {
      const isHttp1 = bytes[at] === 72 && bytes[at + 1] === 84 && bytes[at + 2] === 84;
      throw new Http2Error(isHttp1 ? "it is HTTP/1" : "its first frame is not SETTINGS");
    }
    this.#hasSettings = true;
    if (size > MAX_FRAME) {
      throw new Http2Error(`a frame is larger than ${MAX_FRAME} bytes`, CODE.FRAME_SIZE_ERROR);
    }
    if (
      this.#blockId !== 0
        ? type !== FRAME.CONTINUATION || id !== this.#blockId
        : type === FRAME.CONTINUATION
    ) {
      throw new Http2Error("a header block is interrupted, or a part of one has no beginning");
    }
  }

  #beginData(bytes: Uint8Array, at: number, size: number, flags: number, id: number): number {
    const isPadded = (flags & FLAG.PADDED) !== 0;
    this.#padding = isPadded ? bytes[at] : 0;
    this.#data = size - this.#padding - (isPadded ? 1 : 0);
    if (this.#data < 0) throw paddingError();
    this.#handler.onDataFrame(id, this.#data, size - this.#data);
    this.#inData = true;
    this.#ends = (flags & FLAG.END_STREAM) !== 0;
    return isPadded ? at + 1 : at;
  }

  #takeData(bytes: Uint8Array, from: number, end: number): number {
    const to = Math.min(end, from + this.#data);
    this.#data -= to - from;
    const next = Math.min(end, to + (this.#data === 0 ? this.#padding : 0));
    this.#padding -= next - to;
    this.#inData = this.#data + this.#padding > 0;
    if (to > from || !this.#inData) {
      this.#handler.onData(bytes, from, to, this.#ends && !this.#inData);
    }
    return next;
  }

  #takeFrame(
    bytes: Uint8Array,
    view: DataView,
    at: number,
    size: number,
    type: number,
    flags: number,
    id: number,
  ): void {
    if (type === FRAME.HEADERS) return this.#takeHeaders(bytes, view, at, size, flags, id);
    if (type === FRAME.CONTINUATION) return this.#continueBlock(bytes, at, size, flags, id);
    this.#handler.onFrame(id, FRAME_HEAD + size);
    switch (type) {
      case FRAME.RST_STREAM:
        checkSize(size === 4, "RST_STREAM");
        return this.#handler.onReset(id, view.getUint32(at));
      case FRAME.SETTINGS:
        checkConnection(id, "SETTINGS");
        checkSize((flags & FLAG.ACK) !== 0 ? size === 0 : size % 6 === 0, "SETTINGS");
        if ((flags & FLAG.ACK) === 0) this.#handler.onSettings(view, at, at + size);
        return;
      case FRAME.PUSH_PROMISE:
        throw new Http2Error("the server pushes a response");
      case FRAME.PING:
        checkConnection(id, "PING");
        checkSize(size === 8, "PING");
        if ((flags & FLAG.ACK) === 0) this.#handler.onPing(bytes, at);
        return;
      case FRAME.GOAWAY: {
        checkConnection(id, "GOAWAY");
        checkSize(size >= 8, "GOAWAY");
        const reason = bytes.subarray(at + 8, at + size);
        return this.#handler.onGoaway(view.getUint32(at) & MAX_31, view.getUint32(at + 4), reason);
      }
      case FRAME.WINDOW_UPDATE:
        checkSize(size === 4, "WINDOW_UPDATE");
        return this.#handler.onWindowUpdate(id, view.getUint32(at) & MAX_31);
        // Other types, such as PRIORITY, are ignored (RFC 9113, section 4.1).
    }
  }

  #takeHeaders(
    bytes: Uint8Array,
    view: DataView,
    at: number,
    size: number,
    flags: number,
    id: number,
  ): void {
    const isPadded = (flags & FLAG.PADDED) !== 0;
    const from = at + (isPadded ? 1 : 0) + ((flags & FLAG.PRIORITY) !== 0 ? 5 : 0);
    const to = at + size - (isPadded ? bytes[at] : 0);
    if (from > to) throw paddingError();
    this.#ends = (flags & FLAG.END_STREAM) !== 0;
    const block = this.#block;
    block.frameSize = FRAME_HEAD + size;
    if ((flags & FLAG.END_HEADERS) === 0) {
      this.#blockId = id;
      return this.#parts.append(bytes, from, to);
    }
    [block.bytes, block.view, block.from, block.to] = [bytes, view, from, to];
    this.#handler.onHeaders(id, block, this.#ends);
  }

  #continueBlock(bytes: Uint8Array, at: number, size: number, flags: number, id: number): void {
    const block = this.#block;
    block.frameSize += FRAME_HEAD + size;
    if (block.frameSize > this.#maxBlock) {
      const message = `the response headers are larger than ${this.#maxBlock} bytes`;
      throw new Http2Error(message, CODE.ENHANCE_YOUR_CALM, "too_large");
    }
    this.#parts.append(bytes, at, at + size);
    if ((flags & FLAG.END_HEADERS) === 0) return;
    this.#blockId = 0;
    block.bytes = this.#parts.take();
    block.view = new DataView(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length);
    [block.from, block.to] = [0, block.bytes.length];
    this.#handler.onHeaders(id, block, this.#ends);
  }
}

function paddingError(): Http2Error {
  return new Http2Error("the padding of a frame is longer than the frame");
}

function checkSize(isValid: boolean, name: string): void {
  if (!isValid) throw new Http2Error(`a ${name} frame has a wrong size`, CODE.FRAME_SIZE_ERROR);
}

function checkConnection(id: number, name: string): void {
  if (id !== 0) throw new Http2Error(`a ${name} frame belongs to a stream`);
}

/** Buffer for frames, accessible as bytes and as a `DataView`. */
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
  readonly #onWritten: () => void;
  readonly #onFailed: () => void;
  #filling = new FrameBuffer();
  #writing = new FrameBuffer();
  /** Number of bytes in `#filling`, and in `#writing` from `#offset`. */
  #size = 0;
  #offset = 0;
  #end = 0;
  #isDue = false;

  /** Creates a writer that calls `onWritten` after each write, or `onFailed` if a write fails. */
  constructor(wire: Wire, onWritten: () => void, onFailed: () => void) {
    this.#wire = wire;
    this.#onWritten = onWritten;
    this.#onFailed = onFailed;
  }

  /** Number of bytes that have not been written. */
  get pending(): number {
    return this.added - this.written;
  }

  /** Adds a frame with a payload of 32-bit integers. */
  addIntegers(type: number, flags: number, id: number, ...values: readonly number[]): void {
    let at = this.#addHead(4 * values.length, type, flags, id);
    for (const value of values) {
      this.#filling.view.setUint32(at, value);
      at += 4;
    }
  }

  /** Adds a frame with the payload `payload[from, to)`. */
  addFrame(
    type: number,
    flags: number,
    id: number,
    payload: Uint8Array,
    from: number = 0,
    to: number = payload.length,
  ): void {
    const at = this.#addHead(to - from, type, flags, id);
    this.#filling.bytes.set(
      from === 0 && to === payload.length ? payload : payload.subarray(from, to),
      at,
    );
  }

  /** Adds encoded frames, and sets their stream to `id`. */
  addEncoded(frames: Uint8Array, id: number): void {
    const start = this.#reserve(frames.length);
    const { bytes, view } = this.#filling;
    bytes.set(frames, start);
    for (let at = start; at < this.#size; at += FRAME_HEAD + (view.getUint32(at) >>> 8)) {
      view.setUint32(at + 5, id);
    }
  }

  /** Adds bytes that are not a frame. */
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
      .then(this.#wrote, this.#onFailed);
  }

  #wrote = (count: number): void => {
    this.#offset += count;
    this.written += count;
    if (this.#offset < this.#end) return this.#write();
    this.#end = 0;
    if (this.#writing.bytes.length > MAX_KEPT) this.#writing.resize(1024, 0);
    this.#onWritten();
    this.flush();
  };
}
