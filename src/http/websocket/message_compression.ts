import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { CLOSE, messageTooLarge, SocketError } from "./socket_error.ts";

/** Name of the extension that compresses messages (RFC 7692). */
const NAME = "permessage-deflate";
/**
 * The client's compression offer, as the value of a `Sec-WebSocket-Extensions` header. Chrome sends
 * the same value.
 */
export const COMPRESSION_OFFER = `${NAME}; client_max_window_bits`;
/** Bytes that a sender removes from the end of each compressed message (RFC 7692). */
const TAIL = Uint8Array.of(0, 0, 0xff, 0xff);
/** Minimum size of a message to compress, in bytes. */
const MIN_COMPRESSED = 1_024;
/** Maximum size of a DEFLATE window (the data that a message can refer back to), in bytes. */
const WINDOW = 32_768;
const EMPTY = new Uint8Array(0);

/**
 * Compresses and decompresses the messages of one connection. It keeps at most 32 KiB between
 * messages, and only if the server compresses messages with references to earlier ones. A zlib
 * stream for each connection would take ten times as much memory.
 */
export class MessageCompression {
  readonly #windowBits: number;
  readonly #keepsWindow: boolean;
  #window: Uint8Array = EMPTY;

  /**
   * Creates the compression for a connection. `windowBits` is the base-2 logarithm of the maximum
   * window size, in bytes, for the client's messages. `keepsWindow` is true if the server's
   * messages may refer to earlier ones.
   */
  constructor(windowBits: number, keepsWindow: boolean) {
    this.#windowBits = windowBits;
    this.#keepsWindow = keepsWindow;
  }

  /**
   * Compresses a message. Returns undefined if the message is smaller than 1 KiB, if zlib does not
   * support the window size, or if compression does not make the message smaller.
   */
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

  /**
   * Decompresses a message. Throws `SocketError` if it is damaged or is larger than `limit` bytes.
   */
  decompress(message: Uint8Array, limit: number): Uint8Array {
    const window = this.#window;
    const skipped = window.length;
    let whole: Uint8Array;
    try {
      const { buffer, byteOffset, length } = inflateRawSync(
        concat(stored(window), message, TAIL),
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

/**
 * Returns a DEFLATE block that decompresses to `window`. It is inserted before a message that may
 * refer to earlier data, because Deno's zlib ignores the `dictionary` option for raw streams.
 */
function stored(window: Uint8Array): Uint8Array {
  const { length } = window;
  if (length === 0) return EMPTY;
  const [low, high] = [length & 0xff, length >> 8];
  return concat(Uint8Array.of(0, low, high, ~low, ~high), window);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Creates the compression that the server has accepted in the value of its
 * `Sec-WebSocket-Extensions` header. Returns undefined if the server accepted no compression.
 * Throws an Error if the server accepted something that the client did not offer.
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
