import { ByteSink } from "../base/bytes/byte_source.ts";
import { ExchangeError } from "./exchange_error.ts";
import type { ErrorKind } from "./sender.ts";
import { batchTime, type ReadBuffer, type ReadBuffers, type Wire } from "./connection.ts";

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

export const FRAME_HEAD = 9;
/** Maximum size in bytes of the payload of a frame, in both directions. */
export const MAX_FRAME = 16_384;
/** Maximum stream ID and window size. */
export const MAX_31 = 0x7fffffff;

export function codeName(code: number): string {
  return CODE_NAMES[code] ?? `error code ${code}`;
}

/** Error for a frame or a response that violates HTTP/2 or a limit. */
export class Http2Error extends ExchangeError {
  readonly code: number;

  constructor(why: string, code: number = CODE.PROTOCOL_ERROR, kind: ErrorKind = "protocol") {
    super(kind, kind === "protocol" ? `the response is not valid HTTP/2: ${why}` : why);
    this.code = code;
  }
}

/** Receives frames, whose byte ranges are valid only during the call. */
export interface FrameHandler {
  /** Receives the end of the connection: null, or the error of the read. */
  onEnd(error: unknown): void;
  /** Receives the error that makes it impossible to read more frames. */
  onInvalid(error: unknown): void;
  /** Announces a frame of `size` bytes that is neither DATA nor part of a header block. */
  onFrame(id: number, size: number): void;
  /** Receives a header block without padding, from any number of frames. */
  onHeaders(id: number, block: Block, ends: boolean): void;
  /** Announces a DATA frame with `size` bytes of data and `padding` bytes of padding. */
  onDataFrame(id: number, size: number, padding: number): void;
  /** Receives the next bytes of a DATA frame. `ends` is true for the last ones of the stream. */
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
  frameSize: number;
}

/** Reads frames of a server, and checks their sizes, padding and order, but not their meaning. */
export class FrameReader {
  /** `performance.now()` time at which the last bytes arrived; Infinity before that. */
  now: number = Infinity;
  readonly #handler: FrameHandler;
  readonly #wire: Wire;
  readonly #buffers: ReadBuffers;
  #buffer: ReadBuffer;
  /** Number of bytes at the start of `#buffer` that belong to an incomplete frame. */
  #rest = 0;
  #isStopped = false;
  readonly #maxBlock: number;
  readonly #block: Block = {
    bytes: new Uint8Array(0),
    view: new DataView(new ArrayBuffer(0)),
    from: 0,
    to: 0,
    frameSize: 0,
  };
  #hasSettings = false;
  #size = 0;
  #type = 0;
  #flags = 0;
  #id = 0;
  /** Rest of the current DATA frame: number of bytes of data, and of padding. */
  #data = 0;
  #padding = 0;
  #inData = false;
  #ends = false;
  /** Stream of an incomplete header block, or 0. */
  #blockId = 0;
  readonly #parts = new ByteSink();

  /** Starts to read. Rejects a header block in frames of more than `maxBlock` bytes. */
  constructor(handler: FrameHandler, wire: Wire, buffers: ReadBuffers, maxBlock: number) {
    this.#handler = handler;
    this.#wire = wire;
    this.#buffers = buffers;
    this.#maxBlock = maxBlock;
    this.#buffer = buffers.take();
    this.#listen(this.#buffer.bytes);
  }

  /** Stops reading. Call this before the wire is closed. */
  stop(): void {
    this.#isStopped = true;
  }

  #listen(into: Uint8Array): void {
    this.#wire.read(into).then(this.#received, this.#end);
  }

  #received = (size: number | null): void => {
    if (size === null) return this.#end(null);
    const end = this.#rest + size;
    this.now = batchTime();
    let at = end;
    try {
      at = this.#parse(end);
    } catch (error) {
      this.#handler.onInvalid(error);
    }
    if (this.#isStopped) return this.#buffers.give(this.#buffer);
    this.#rest = end - at;
    this.#listen(this.#nextTarget(at, end));
  };

  #end = (error: unknown): void => {
    this.#buffers.give(this.#buffer);
    if (!this.#isStopped) this.#handler.onEnd(error);
  };

  #nextTarget(at: number, end: number): Uint8Array {
    const before = this.#buffer.bytes;
    if (end === before.length && end < 4 * MAX_FRAME) {
      this.#buffer = this.#buffers.enlarge(this.#buffer);
    } else if (at === end && end < before.length / 16) {
      // An idle connection must not keep a large buffer.
      this.#buffers.give(this.#buffer);
      this.#buffer = this.#buffers.take(end);
    }
    const { bytes } = this.#buffer;
    if (at === end) return bytes;
    bytes.set(before.subarray(at, end));
    return bytes.subarray(end - at);
  }

  /** Parses the buffer up to `end`. Returns the offset of the first byte that it did not use. */
  #parse(end: number): number {
    const { bytes, view } = this.#buffer;
    let at = 0;
    while (!this.#isStopped) {
      if (this.#inData) {
        at = this.#takeData(bytes, at, end);
        if (this.#inData) return at;
      }
      if (end - at < FRAME_HEAD) return at;
      const size = this.#size = view.getUint32(at) >>> 8;
      const type = this.#type = bytes[at + 3];
      this.#flags = bytes[at + 4];
      this.#id = view.getUint32(at + 5) & MAX_31;
      this.#checkHead(bytes, at);
      const needed = type !== FRAME.DATA
        ? size
        : this.#hasFlag(FLAG.PADDED)
        ? Math.min(size, 1)
        : 0;
      if (end - at < FRAME_HEAD + needed) return at;
      at += FRAME_HEAD;
      if (type === FRAME.DATA) at = this.#beginData(bytes, at);
      else {
        this.#takeFrame(at);
        at += size;
      }
    }
    return end;
  }

  #hasFlag(flag: number): boolean {
    return (this.#flags & flag) !== 0;
  }

  #checkHead(bytes: Uint8Array, at: number): void {
    if (!this.#hasSettings && this.#type !== FRAME.SETTINGS) {
      const isHttp1 = bytes[at] === 72 && bytes[at + 1] === 84 && bytes[at + 2] === 84;
      throw new Http2Error(isHttp1 ? "it is HTTP/1" : "its first frame is not SETTINGS");
    }
    this.#hasSettings = true;
    if (this.#size > MAX_FRAME) {
      throw new Http2Error(`a frame is larger than ${MAX_FRAME} bytes`, CODE.FRAME_SIZE_ERROR);
    }
    const continuedId = this.#type === FRAME.CONTINUATION ? this.#id : 0;
    if (continuedId !== this.#blockId) {
      throw new Http2Error("a header block is interrupted, or a part of one has no beginning");
    }
  }

  #beginData(bytes: Uint8Array, at: number): number {
    const isPadded = this.#hasFlag(FLAG.PADDED);
    this.#padding = isPadded ? bytes[at] : 0;
    this.#data = this.#size - this.#padding - (isPadded ? 1 : 0);
    if (this.#data < 0) throw paddingError();
    this.#handler.onDataFrame(this.#id, this.#data, this.#size - this.#data);
    this.#inData = true;
    this.#ends = this.#hasFlag(FLAG.END_STREAM);
    return isPadded ? at + 1 : at;
  }

  #takeData(bytes: Uint8Array, from: number, end: number): number {
    const to = Math.min(end, from + this.#data);
    this.#data -= to - from;
    const next = Math.min(end, to + this.#padding);
    this.#padding -= next - to;
    this.#inData = this.#data + this.#padding > 0;
    if (to > from || !this.#inData) {
      this.#handler.onData(bytes, from, to, this.#ends && !this.#inData);
    }
    return next;
  }

  #takeFrame(at: number): void {
    const { bytes, view } = this.#buffer;
    const [size, id, isAck] = [this.#size, this.#id, this.#hasFlag(FLAG.ACK)];
    if (this.#type === FRAME.HEADERS) return this.#takeHeaders(at);
    if (this.#type === FRAME.CONTINUATION) return this.#continueBlock(at);
    this.#handler.onFrame(id, FRAME_HEAD + size);
    switch (this.#type) {
      case FRAME.RST_STREAM:
        checkSize(size === 4, "RST_STREAM");
        return this.#handler.onReset(id, view.getUint32(at));
      case FRAME.SETTINGS:
        checkConnection(id, "SETTINGS");
        checkSize(isAck ? size === 0 : size % 6 === 0, "SETTINGS");
        if (!isAck) this.#handler.onSettings(view, at, at + size);
        return;
      case FRAME.PUSH_PROMISE:
        throw new Http2Error("the server pushes a response");
      case FRAME.PING:
        checkConnection(id, "PING");
        checkSize(size === 8, "PING");
        if (!isAck) this.#handler.onPing(bytes, at);
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

  #takeHeaders(at: number): void {
    const { bytes, view } = this.#buffer;
    const isPadded = this.#hasFlag(FLAG.PADDED);
    const from = at + (isPadded ? 1 : 0) + (this.#hasFlag(FLAG.PRIORITY) ? 5 : 0);
    const to = at + this.#size - (isPadded ? bytes[at] : 0);
    if (from > to) throw paddingError();
    this.#ends = this.#hasFlag(FLAG.END_STREAM);
    const block = this.#block;
    block.frameSize = FRAME_HEAD + this.#size;
    if (!this.#hasFlag(FLAG.END_HEADERS)) {
      this.#blockId = this.#id;
      return this.#parts.append(bytes, from, to);
    }
    [block.bytes, block.view, block.from, block.to] = [bytes, view, from, to];
    this.#handler.onHeaders(this.#id, block, this.#ends);
  }

  #continueBlock(at: number): void {
    const block = this.#block;
    block.frameSize += FRAME_HEAD + this.#size;
    if (block.frameSize > this.#maxBlock) {
      const message = `the response headers are larger than ${this.#maxBlock} bytes`;
      throw new Http2Error(message, CODE.ENHANCE_YOUR_CALM, "too_large");
    }
    this.#parts.append(this.#buffer.bytes, at, at + this.#size);
    if (!this.#hasFlag(FLAG.END_HEADERS)) return;
    this.#blockId = 0;
    block.bytes = this.#parts.take();
    block.view = new DataView(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length);
    [block.from, block.to] = [0, block.bytes.length];
    this.#handler.onHeaders(this.#id, block, this.#ends);
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
