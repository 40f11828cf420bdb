import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { concat } from "../base/bytes/byte_source.ts";
import { ZstdFrameWalker } from "../base/bytes/open_bytes.ts";
import type { HttpResponse } from "./sender.ts";
import { ExchangeError } from "./exchange_error.ts";

/** Content encodings that `decodeContent` supports, as the value of an Accept-Encoding header. */
export const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** Error for a body that does not match its Content-Encoding or is too large after decoding. */
export class ContentError extends Error {
  override readonly name = "ContentError";
}

const MOST_BYTES = 128 * 1024 * 1024;
const MOST_ENCODINGS = 4;
/** Maximum size, in bytes, of a valid brotli stream that decodes to an empty body. */
const LARGEST_EMPTY_BROTLI = 4;
const LIMIT = { maxOutputLength: MOST_BYTES };

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, LIMIT),
  deflate: inflateZlibOrRaw,
  br: unbrotli,
  zstd: unzstdAll,
};

/**
 * Decodes a body by its Content-Encoding headers, the last first. Ignores unknown encodings, such
 * as `aws-chunked`. Throws `ContentError` for a damaged body, more than 128 MiB, or five encodings.
 * Not all damage to a brotli body is detected.
 */
export function decodeContent({ body, headers }: HttpResponse): Uint8Array {
  const fields = headers.filter(([name]) => name === "content-encoding");
  if (fields.length === 0) return body;
  const encodings = fields.flatMap(([, value]) => value.toLowerCase().split(","))
    .map((encoding) => encoding.trim()).filter((encoding) => encoding !== "");
  if (encodings.length > MOST_ENCODINGS) {
    throw new ContentError(
      `the body has ${encodings.length} content encodings, but at most ${MOST_ENCODINGS} are supported`,
    );
  }
  if (body.length === 0) return body;
  return encodings.reduceRight(decode, body);
}

function decode(bytes: Uint8Array, encoding: string): Uint8Array {
  const name = encoding.replace(/^x-/, "");
  if (!Object.hasOwn(DECODERS, name)) return bytes;
  try {
    return DECODERS[name](bytes);
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    const why = tooLarge
      ? `its decoded size is more than ${MOST_BYTES} bytes`
      : (error as Error).message;
    throw new ContentError(`cannot decode the ${encoding} body: ${why}`, { cause: error });
  }
}

function inflateZlibOrRaw(bytes: Uint8Array): Uint8Array {
  const isZlib = (bytes[0] & 0x0f) === 8 && ((bytes[0] << 8) | bytes[1]) % 31 === 0;
  return isZlib ? inflateSync(bytes, LIMIT) : inflateRawSync(bytes, LIMIT);
}

/** Deno's decoder does not report invalid or truncated input, whose result is only empty. */
function unbrotli(bytes: Uint8Array): Uint8Array {
  const decoded = brotliDecompressSync(bytes, LIMIT);
  if (decoded.length === 0 && bytes.length > LARGEST_EMPTY_BROTLI) throw new Error("it is damaged");
  return decoded;
}

/** Deno's decoder stops after the first frame, and accepts a truncated one. */
function unzstdAll(bytes: Uint8Array): Uint8Array {
  const frames: Uint8Array[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length;) {
    const walker = new ZstdFrameWalker();
    const end = at + walker.walk(bytes.subarray(at));
    if (!walker.done) throw new Error("it is truncated");
    if (!walker.skippable) {
      const frame = zstdDecompressSync(bytes.subarray(at, end), {
        maxOutputLength: Math.max(1, MOST_BYTES - size),
      });
      frames.push(frame);
      size += frame.length;
    }
    at = end;
  }
  return concat(frames);
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

const decoders = new Map<string, TextDecoder>();
const utf8 = new TextDecoder();

/** Decodes a body in the charset of `contentType`, or in UTF-8 if it is unknown. */
export function contentText(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1];
  return (charset === undefined ? utf8 : decoderFor(charset.toLowerCase())).decode(bytes);
}

/** Returns a decoder of a charset in lower case, or of UTF-8 if the charset is unknown. */
export function decoderFor(charset: string): TextDecoder {
  if (charset === "utf-8") return utf8;
  let decoder = decoders.get(charset);
  if (decoder === undefined) {
    decoder = createDecoder(charset);
    if (decoder !== utf8) decoders.set(charset, decoder);
  }
  return decoder;
}

function createDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return utf8;
  }
}

const TEXTUAL = /^(text\/|application\/([\w.+-]*(json|xml|javascript)|x-www-form-urlencoded))/;
// deno-lint-ignore no-control-regex -- matches control characters that do not occur in text
const BINARY = /[\x00-\x08\x0e-\x1f]/;

/**
 * Decodes a body in the charset of its content type, or as UTF-8 if it has none. Undefined if it is
 * not text. `isCut`: it is the beginning of a longer one, so its last character may be incomplete.
 */
export function bodyText(body: Uint8Array, type: string, isCut = false): string | undefined {
  if (type !== "") return TEXTUAL.test(type) ? contentText(body, type) : undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: isCut });
    return BINARY.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const MAX_EVENT = 16 * 1024 * 1024;

/** Parses server-sent events, and passes the data of each one to the callback. */
export class EventParser {
  readonly #onEvent: (data: string) => void;
  readonly #decoder = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #size = 0;
  #afterCr = false;

  constructor(onEvent: (data: string) => void) {
    this.#onEvent = onEvent;
  }

  /** Throws `ExchangeError` (`too_large`) if an event is too large. */
  push(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    let from = 0;
    for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
      // This line feed belongs to the carriage return at the end of the previous piece.
      const isRest = this.#afterCr && index === 0 && end === "\n";
      if (!isRest) this.#endLine(this.#line + text.slice(from, index));
      this.#line = "";
      from = index + end.length;
    }
    if (text !== "") this.#afterCr = text.endsWith("\r");
    this.#line += text.slice(from);
    if (this.#size + this.#line.length > MAX_EVENT) {
      throw new ExchangeError("too_large", `an event is larger than ${MAX_EVENT} characters`);
    }
  }

  #endLine(line: string): void {
    if (line === "") {
      if (this.#data.length > 0) this.#onEvent(this.#data.join("\n"));
      this.#data = [];
      this.#size = 0;
      return;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field !== "data") return;
    this.#data.push(value);
    this.#size += value.length + 1;
  }
}
