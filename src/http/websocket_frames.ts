import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { ByteSink, concat } from "../base/bytes/byte_source.ts";

/** Close codes of RFC 6455 that the client sends or reports. */
export const CLOSE = {
  normal: 1000,
  protocol: 1002,
  /** Code to report for a close frame without a code. Never sent. */
  none: 1005,
  /** Code to report for a connection that ended without a close frame. Never sent. */
  abnormal: 1006,
  invalidText: 1007,
  tooLarge: 1009,
} as const;

/** A violation of the WebSocket protocol by the server, or a message that is too large. */
export class SocketError extends Error {
  override readonly name = "SocketError";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Creates the error for a frame that violates RFC 6455. `why` is a clause. */
export function invalidFrame(why: string): SocketError {
  return new SocketError(CLOSE.protocol, `the server violated the WebSocket protocol: ${why}`);
}

function messageTooLarge(limit: number): SocketError {
  return new SocketError(CLOSE.tooLarge, `a message is larger than ${limit} bytes`);
}

/**
 * Accepts codes of RFC 6455 and IANA for close frames, and those of applications (3000 to 4999).
 */
export function isCloseCode(code: number): boolean {
  if (code >= 1000 && code <= 1014) return code < 1004 || code > 1006;
  return code >= 3000 && code <= 4999;
}

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Receives the content of the frames that a `FrameParser` reads. */
export interface FrameSink {
  /** Receives a complete message, whose `content` is valid only during the call. */
  message(isText: boolean, content: Uint8Array, compressed: boolean): void;
  /** Receives a close, ping or pong frame. `content` is valid only during the call. */
  control(opcode: number, content: Uint8Array): void;
}

const FIN = 0x80, COMPRESSED = 0x40, RESERVED = 0x30, MASKED = 0x80;
/** Maximum size of a header without a mask, in bytes: two bytes and a 64-bit length. */
const MAX_HEADER = 10;
const MAX_CONTROL = 125;

/** Parses frames that arrive in pieces of any size, and joins the fragments of messages. */
export class FrameParser {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #mayCompress: boolean;
  readonly #header = new Uint8Array(MAX_HEADER);
  #headerSize = 0;
  #opcode = 0;
  #isLast = false;
  /** Number of payload bytes that have not arrived yet; -1 while the header is being read. */
  #missing = -1;
  /** Opcode of the message whose fragments are being read; 0 between messages. */
  #message = 0;
  #compressed = false;
  #messageSize = 0;
  readonly #data = new ByteSink();
  readonly #control = new ByteSink();

  /** `limit` is the maximum size of a message in bytes, before decompression. */
  constructor(sink: FrameSink, limit: number, mayCompress: boolean) {
    this.#sink = sink;
    this.#limit = limit;
    this.#mayCompress = mayCompress;
  }

  /** Copies what it needs later. Throws `SocketError`. The connection must then be closed. */
  push(chunk: Uint8Array, size: number): void {
    let at = 0;
    while (at < size) {
      if (this.#missing < 0) {
        this.#header[this.#headerSize++] = chunk[at++];
        if (this.#isHeaderComplete()) this.#beginFrame();
      } else {
        const end = Math.min(size, at + this.#missing);
        this.#takePayload(chunk, at, end);
        at = end;
      }
    }
  }

  #isHeaderComplete(): boolean {
    const size = this.#headerSize;
    if (size < 2) return false;
    const length = this.#header[1] & 0x7f;
    return size === (length < 126 ? 2 : length === 126 ? 4 : MAX_HEADER);
  }

  #beginFrame(): void {
    const header = this.#header;
    const first = header[0];
    this.#headerSize = 0;
    this.#opcode = first & 0x0f;
    this.#isLast = (first & FIN) !== 0;
    if ((first & RESERVED) !== 0) throw invalidFrame("a reserved bit of a frame is set");
    if ((header[1] & MASKED) !== 0) throw invalidFrame("a frame from the server is masked");
    const size = this.#payloadSize();
    if (this.#opcode >= OPCODE.close) this.#checkControl(size, (first & COMPRESSED) !== 0);
    else this.#beginData(size, (first & COMPRESSED) !== 0);
    this.#missing = size;
    if (size === 0) this.#endFrame(undefined);
  }

  #payloadSize(): number {
    const header = this.#header;
    const length = header[1] & 0x7f;
    if (length < 126) return length;
    if (length === 126) return header[2] << 8 | header[3];
    let size = 0;
    for (let i = 2; i < MAX_HEADER; i++) size = size * 256 + header[i];
    return size;
  }

  #checkControl(size: number, compressed: boolean): void {
    if (this.#opcode > OPCODE.pong) throw invalidFrame(`unknown opcode ${this.#opcode}`);
    if (compressed) throw invalidFrame("a control frame is compressed");
    if (!this.#isLast) throw invalidFrame("a control frame is fragmented");
    if (size > MAX_CONTROL) throw invalidFrame(`a control frame has ${size} bytes (maximum: 125)`);
  }

  #beginData(size: number, compressed: boolean): void {
    const opcode = this.#opcode;
    if (opcode > OPCODE.binary) throw invalidFrame(`unknown opcode ${opcode}`);
    if (opcode === OPCODE.continuation) {
      if (this.#message === 0) throw invalidFrame("a continuation frame has no first frame");
      if (compressed) throw invalidFrame("a continuation frame has the compression bit set");
    } else {
      if (this.#message !== 0) throw invalidFrame("a message starts before the previous one ends");
      if (compressed && !this.#mayCompress) {
        throw invalidFrame("a frame is compressed, but compression was not negotiated");
      }
      this.#message = opcode;
      this.#compressed = compressed;
    }
    this.#messageSize += size;
    if (this.#messageSize > this.#limit) throw messageTooLarge(this.#limit);
  }

  #takePayload(chunk: Uint8Array, from: number, to: number): void {
    this.#missing -= to - from;
    const known = this.#opcode >= OPCODE.close ? this.#control : this.#data;
    // Most frames arrive in one piece and need no copy.
    if (this.#missing === 0 && this.#isLast && known.size === 0) {
      return this.#endFrame(chunk.subarray(from, to));
    }
    known.append(chunk, from, to);
    if (this.#missing === 0) this.#endFrame(undefined);
  }

  #endFrame(whole: Uint8Array | undefined): void {
    this.#missing = -1;
    if (this.#opcode >= OPCODE.close) {
      this.#sink.control(this.#opcode, whole ?? this.#control.take());
    } else if (this.#isLast) {
      const isText = this.#message === OPCODE.text;
      this.#message = this.#messageSize = 0;
      this.#sink.message(isText, whole ?? this.#data.take(), this.#compressed);
    }
  }
}

/** Minimum size, in bytes, of a payload that is masked four bytes at a time. */
const WORDWISE = 64;

const masks = new Uint32Array(256);
let nextMask = masks.length;

/** Encodes a client frame with the whole `payload`, masked with a random key. */
export function encodeFrame(opcode: number, payload: Uint8Array, compressed = false): Uint8Array {
  const { length } = payload;
  const header = length < 126 ? 6 : length < 65_536 ? 8 : 14;
  // The payload starts at a multiple of four, so that it can be masked in words.
  const start = (header + 3) & ~3;
  const buffer = new ArrayBuffer((start + length + 3) & ~3);
  const frame = new Uint8Array(buffer, start - header, header + length);
  frame[0] = FIN | opcode | (compressed ? COMPRESSED : 0);
  if (header === 6) frame[1] = MASKED | length;
  else {
    const view = new DataView(buffer, start - header);
    frame[1] = MASKED | (header === 8 ? 126 : 127);
    if (header === 8) view.setUint16(2, length);
    else view.setBigUint64(2, BigInt(length));
  }
  frame.set(payload, header);
  const words = new Uint32Array(buffer);
  const mask = words[start / 4 - 1] = takeMask();
  if (length >= WORDWISE) {
    for (let i = start / 4; i < words.length; i++) words[i] ^= mask;
  } else {
    for (let i = 0; i < length; i++) frame[header + i] ^= frame[header - 4 + (i & 3)];
  }
  return frame;
}

function takeMask(): number {
  if (nextMask === masks.length) {
    crypto.getRandomValues(masks);
    nextMask = 0;
  }
  return masks[nextMask++];
}

/** Name of the extension that compresses messages (RFC 7692). */
const NAME = "permessage-deflate";
/** The client's compression offer, the same as that of Chrome. */
export const COMPRESSION_OFFER = `${NAME}; client_max_window_bits`;
/** Bytes that a sender removes from the end of each compressed message (RFC 7692). */
const TAIL = Uint8Array.of(0, 0, 0xff, 0xff);
/** Minimum size of a message to compress, in bytes. */
const MIN_COMPRESSED = 1_024;
/** Maximum size of a DEFLATE window (the data that a message can refer back to), in bytes. */
const WINDOW = 32_768;
const EMPTY = new Uint8Array(0);

/**
 * Compresses and decompresses messages. Keeps at most 32 KiB between messages, and only if these
 * refer to earlier ones. A zlib stream for each connection would take ten times as much memory.
 */
export class MessageCompression {
  readonly #windowBits: number;
  readonly #keepsWindow: boolean;
  #window: Uint8Array = EMPTY;

  /**
   * `windowBits`: for the client's messages. `keepsWindow`: the server's may refer to earlier ones.
   */
  constructor(windowBits: number, keepsWindow: boolean) {
    this.#windowBits = windowBits;
    this.#keepsWindow = keepsWindow;
  }

  /** Compresses a message. Returns undefined if it is too small, or would not become smaller. */
  compress(message: Uint8Array): Uint8Array | undefined {
    // zlib does not support a window of 256 bytes.
    if (message.length < MIN_COMPRESSED || this.#windowBits === 8) return undefined;
    const compressed = deflateRawSync(message, {
      finishFlush: constants.Z_SYNC_FLUSH,
      windowBits: this.#windowBits,
    });
    const size = compressed.length - TAIL.length;
    return size < message.length ? compressed.subarray(0, size) : undefined;
  }

  /** Throws `SocketError` if the message is damaged or larger than `limit` bytes. */
  decompress(message: Uint8Array, limit: number): Uint8Array {
    const window = this.#window;
    const skipped = window.length;
    let whole: Uint8Array;
    try {
      const { buffer, byteOffset, length } = inflateRawSync(
        concat([stored(window), message, TAIL]),
        { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: skipped + limit },
      );
      whole = new Uint8Array(buffer, byteOffset, length);
    } catch (error) {
      if (error instanceof RangeError) throw messageTooLarge(limit);
      const why = `a message cannot be decompressed: ${(error as Error).message}`;
      throw new SocketError(CLOSE.invalidText, why, { cause: error });
    }
    if (this.#keepsWindow) this.#window = whole.slice(Math.max(0, whole.length - WINDOW));
    return whole.subarray(skipped);
  }
}

/** Returns a DEFLATE block of `window`, because Deno's zlib ignores the `dictionary` option. */
function stored(window: Uint8Array): Uint8Array {
  const { length } = window;
  if (length === 0) return EMPTY;
  const [low, high] = [length & 0xff, length >> 8];
  return concat([Uint8Array.of(0, low, high, ~low, ~high), window]);
}

/**
 * Undefined without compression. Throws an Error for an extension that the client did not offer.
 */
export function acceptedCompression(header: string): MessageCompression | undefined {
  const extensions = header.split(",").map((text) => text.trim()).filter((text) => text !== "");
  if (extensions.length === 0) return undefined;
  const [name, ...parameters] = extensions[0].split(";").map((text) => text.trim());
  if (extensions.length > 1 || name.toLowerCase() !== NAME) {
    throw new Error(`the server selected an extension that was not offered: ${header}`);
  }
  let windowBits = 15;
  let keepsWindow = true;
  const seen = new Set<string>();
  for (const parameter of parameters) {
    const [key, value] = parameter.split("=").map((text) => text.trim().replace(/^"(.*)"$/, "$1"));
    const bits = /^(?:[89]|1[0-5])$/.test(value ?? "") ? Number(value) : undefined;
    if (seen.has(key)) throw invalidParameter(parameter);
    seen.add(key);
    if (key === "server_no_context_takeover" && value === undefined) keepsWindow = false;
    else if (key === "client_no_context_takeover" && value === undefined) continue;
    else if (key === "server_max_window_bits" && bits !== undefined) continue;
    else if (key === "client_max_window_bits" && bits !== undefined) windowBits = bits;
    else throw invalidParameter(parameter);
  }
  return new MessageCompression(windowBits, keepsWindow);
}

function invalidParameter(parameter: string): Error {
  return new Error(`the server selected ${NAME} with the invalid parameter "${parameter}"`);
}
